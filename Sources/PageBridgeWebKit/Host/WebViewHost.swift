import Observation
import WebSocketTransport

/// One native process of an app: it connects to a relay and is asked for web views whenever somebody opens the app's page.
///
/// ```swift
/// let host = WebViewHost(app: "player", relay: URL(string: "http://127.0.0.1:8080")!)
/// try await host.run { scene in
///   PlayerViewController(scene: scene)   // makes a WKWebView; retained for the visitor's life
/// }
/// ```
///
/// All of it is on the main actor; the connection has a thread of its own.
@MainActor
@Observable
public final class WebViewHost {
  /// How a host deviates from the defaults.
  public struct Options: Sendable {
    /// A name for people, shown by the relay.
    public var name: String?
    /// Where the host's identity is kept, so that its sessions outlive a restart. JSON, readable by the user only.
    public var stateFile: URL?
    /// Where events go, one JSON object a line; see ``HostEvents``.
    public var eventsFile: URL?
    /// The longest wait before the relay is tried again; nil for 10 s, or 1 s if the relay is on this machine.
    public var reconnectCap: Duration?
    /// How long a session outlives the loss of its page's connection.
    public var sessionGrace: Duration = .seconds(30 * 60)
    /// Whether any certificate will do: for tests against a relay that made its own.
    public var trustsAnyCertificate = false
    /// A file of authorities (PEM) to trust besides the system's.
    public var caFile: String?

    /// Makes the defaults.
    public init() {}
  }

  /// The host whose closure is running; nil outside.
  public static var current: WebViewHost? { openingScene?.host }

  /// The scene whose closure is running.
  static var openingScene: WebViewScene?

  private struct Reference {
    weak var host: WebViewHost?
  }

  private static var references: [Reference] = []

  /// The hosts of the process, oldest first.
  static var all: [WebViewHost] { references.compactMap(\.host) }

  /// The name under which pages find the host.
  public let app: String
  /// The relay's origin.
  public let relay: URL
  /// What the host writes down.
  public let events: HostEvents
  /// How the host stands towards its relay.
  public internal(set) var state = ConnectionState.stopped
  /// Whether the relay knows the host now.
  public var isConnected: Bool { if case .connected = state { true } else { false } }

  @ObservationIgnored let connection: HostConnection
  @ObservationIgnored let inbox: MainInbox
  @ObservationIgnored var open: (@MainActor (WebViewScene) -> AnyObject?)?
  @ObservationIgnored var sessions: [String: WebViewSession] = [:]
  @ObservationIgnored var scenes: [String: WebViewScene] = [:]
  /// The instance that the relay gave; it stays over reconnects.
  @ObservationIgnored var instance: String?
  @ObservationIgnored var isOver = false
  /// Contents of viewers that an earlier process showed, with the viewer's session, until they are shown or given up.
  @ObservationIgnored var restoredContents: [String: String]
  /// Documents of such contents that have come already.
  @ObservationIgnored var restoredDocuments: [String: OpenRequest] = [:]
  @ObservationIgnored var stopWaiters: [CheckedContinuation<Void, Never>] = []
  @ObservationIgnored var connectWaiters: [CheckedContinuation<Void, any Error>] = []

  /// Makes a host; nothing is connected before ``start(_:)``.
  ///
  /// - Parameters:
  ///   - app: a letter or digit, then up to 63 letters, digits, `.`, `_` or `-`.
  ///   - relay: the relay's origin with scheme `http`, `https`, `ws` or `wss`.
  ///   - options: how it deviates from the defaults.
  public convenience init(app: String, relay: URL, options: Options = Options()) {
    self.init(
      app: app, relay: RelayAddress.origin(of: relay), options: options,
      transport: LoopTransport(app: app, relay: relay, options: options))
  }

  /// Makes a host over another transport.
  package init(app: String, relay: URL, options: Options, transport: any HostTransport) {
    precondition(Identifiers.isApp(app), "'\(app)' is no app name")
    self.app = app
    self.relay = relay
    let events = HostEvents(file: options.eventsFile)
    self.events = events
    let box = HostBox()
    inbox = MainInbox { Task { @MainActor in box.host?.drain() } }
    connection = HostConnection(
      settings: HostConnection.Settings(
        app: app, name: options.name, stateFile: options.stateFile,
        reconnectCap: options.reconnectCap ?? RelayAddress.defaultReconnectCap(relay),
        sessionGrace: options.sessionGrace),
      transport: transport, inbox: inbox, events: events)
    restoredContents = connection.earlierContents
    box.host = self
    Self.references.removeAll { $0.host == nil }
    Self.references.append(Reference(host: self))
  }

  deinit {
    connection.submit(.stop)
  }

  // MARK: Life

  /// Connects, and stays connected until ``stop()``.
  ///
  /// - Parameter open: runs for each visitor: a browser tab or a viewer. What it returns is retained for the visitor's life.
  public func start(_ open: @escaping @MainActor (WebViewScene) -> AnyObject?) {
    self.open = open
    guard !isOver else { return }
    connection.submit(.start)
  }

  /// Connects and returns when the host has stopped.
  ///
  /// - Throws: ``WebViewHostError`` when the relay refuses the host for good.
  public func run(_ open: @escaping @MainActor (WebViewScene) -> AnyObject?) async throws {
    start(open)
    if !isOver { await withCheckedContinuation { stopWaiters.append($0) } }
    if case .refused(let code, let reason) = state { throw WebViewHostError(code: code, message: reason) }
  }

  /// Returns once the relay knows the host: web views can be made outside of the closure from then on.
  ///
  /// - Throws: ``WebViewHostError`` when the relay refuses the host for good, or the host stops.
  public func connected() async throws {
    if isConnected { return }
    guard !isOver else { throw overError }
    try await withCheckedThrowingContinuation { connectWaiters.append($0) }
  }

  /// Ends all sessions and the connection, and returns once the socket is closed.
  public func stop() async {
    guard !isOver else { return }
    connection.submit(.stop)
    await withCheckedContinuation { stopWaiters.append($0) }
    await events.flush()
  }

  var overError: WebViewHostError {
    if case .refused(let code, let reason) = state { return WebViewHostError(code: code, message: reason) }
    return WebViewHostError(code: 0, message: "the host has stopped")
  }

  /// Whether nothing waits between connection and main actor.
  package var isIdle: Bool { inbox.isIdle && connection.isIdle }

  // MARK: Sessions

  /// Makes a session of this host's own.
  func makeSession() -> WebViewSession {
    guard let instance else {
      preconditionFailure(
        "the host is not connected yet: make web views inside the closure of start, or after connected()")
    }
    let session = WebViewSession(id: instance + RandomToken.bits128(), host: self)
    sessions[session.id] = session
    return session
  }

  /// The session of a web view that an earlier process showed on that screen; nil if there is none left.
  func takeRestoredSession(screen: String) -> (session: WebViewSession, request: OpenRequest?)? {
    guard let id = restoredContents.filter({ $0.value == screen }).keys.min() else { return nil }
    restoredContents[id] = nil
    let session = WebViewSession(id: id, host: self)
    sessions[id] = session
    return (session, restoredDocuments.removeValue(forKey: id))
  }

  /// What an earlier process showed on that screen and this one did not take over is given up.
  func abandonRestoredSessions(screen: String) {
    for id in restoredContents.filter({ $0.value == screen }).keys { abandonRestored(id) }
  }

  func abandonRestored(_ id: String) {
    restoredContents[id] = nil
    restoredDocuments[id] = nil
    connection.submit(.abandonRestored(session: id))
  }

  func restored(_ request: OpenRequest) {
    if let webView = sessions[request.session]?.webView {
      webView.resumed(request)
    } else {
      restoredDocuments[request.session] = request
    }
  }

  /// Runs work later on the main actor, behind what waits already.
  func later(_ work: @escaping @MainActor @Sendable () -> Void) {
    let scene = WebViewScene.current
    inbox.post(.deferred { WebViewScene.running(scene, work) })
  }
}

/// A weak reference that another thread may pass on to the main actor.
@MainActor
private final class HostBox {
  weak var host: WebViewHost?
}

/// The relay refuses a host for good.
public struct WebViewHostError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The close code; see the protocol article. 0 when the host was stopped.
  public let code: UInt16
  /// Why, in words.
  public let message: String

  /// Both in one line.
  public var description: String { "\(message) (close code \(code))" }
}
