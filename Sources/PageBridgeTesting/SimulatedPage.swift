import BridgeProtocol
import BridgeSession
import Foundation
import Synchronization

/// A browser tab without a browser: it speaks bridge.js's side of the wire and follows the host's loads.
///
/// Scripts are answered by ``onEvaluate(_:)``; what the host says is kept in ``received``. Any thread may call it; what it
/// does happens in order in one place: a simulated relay's, or a service loop's.
///
/// A page of kind `WebClientKind.screen` opens what the host shows as a page of its own, in ``frame``.
public final class SimulatedPage: Sendable {
  /// How a page deviates from the defaults.
  public struct Options: Sendable {
    /// A page, or a viewer's screen.
    public var isScreen = false
    /// Whether the page only holds the place for the app's content.
    public var isPlaceholder = false
    /// Where the page is.
    public var url = "http://127.0.0.1:8080/page"
    /// The page's title.
    public var title = "Simulated"
    /// The window's size in points.
    public var width = 390.0
    /// The window's height in points.
    public var height = 844.0
    /// Whether the page follows `load`, `reload` and what a screen shows.
    public var followsLoads = true
    /// Whether the page tells of itself as bridge.js does: committed, its state, finished.
    public var tellsState = true

    /// Makes the defaults: a page of a phone's size that behaves as bridge.js does.
    public init() {}
  }

  /// A message of the host.
  public struct HostMessage: Sendable {
    /// Such as `evaluate` or `configure`.
    public let method: String
    /// What it says.
    public let params: WireValue
    /// The id that an answer carries; nil for messages that want none.
    public let id: String?
    /// Whether it was sent to an earlier life of the page's host too.
    public let isAgain: Bool
  }

  /// How the page stands towards its relay.
  public enum State: Hashable, Sendable {
    /// It has no socket: not opened yet, left, or cut.
    case closed
    /// Its socket is on the way, or its hello is not answered yet.
    case connecting
    /// The relay knows it, and the app has no host yet.
    case waiting
    /// Its host is there and has said its sync: messages flow.
    case attached
    /// The host's socket is gone; the host may come back.
    case away
    /// Its session is over.
    case ended
    /// Another socket took its place.
    case replaced
  }

  let driver: PageDriver

  init(app: String, wire: any PageWire, options: Options) {
    driver = PageDriver(app: app, wire: wire, options: options)
  }

  /// Makes a page of a real relay, reached by a WebSocket.
  ///
  /// - Parameters:
  ///   - app: the name under which it meets its host.
  ///   - relay: the relay's origin.
  ///   - options: how it deviates from a page of a phone's size.
  /// - Throws: `TransportError` when the system gives no thread for sockets.
  public convenience init(app: String, relay: URL, options: Options = Options()) throws {
    self.init(app: app, wire: try WebSocketPageWire(relay: relay), options: options)
  }

  /// Returns once something is true of the page; it is looked at whenever the page has moved.
  public func wait(until isTrue: @escaping @Sendable (SimulatedPage) -> Bool) async {
    await withCheckedContinuation { continuation in
      driver.perform { [self] driver in
        if isTrue(self) {
          continuation.resume()
        } else {
          driver.waiters.append(PageDriver.Waiter(isTrue: { isTrue(self) }, continuation: continuation))
        }
      }
    }
  }

  /// Opens a socket and says hello. A page that was open before resumes its session.
  public func open() {
    driver.perform { $0.open() }
  }

  /// Opens an address that a host gave: with the ticket in its fragment the page joins that host's session.
  public func open(_ address: String) {
    driver.perform { $0.open(address: address) }
  }

  /// The socket dies, as in a network that fails; nothing is said.
  public func cut() {
    driver.perform { $0.close(code: 1006) }
  }

  /// The page is left and no other one follows.
  public func leave() {
    driver.perform { $0.close(code: CloseCode.leaving.rawValue) }
  }

  /// Goes to another page in the same tab: a new document that inherits the session.
  public func navigate(to address: String) {
    driver.perform { $0.navigate(to: address) }
  }

  /// Comes back to an earlier document, as from a browser's cache: by its id in ``documents``.
  public func restore(document: String) {
    driver.perform { $0.restore(document) }
  }

  /// Posts a message to a handler of the host.
  public func post(_ body: WireValue, to handler: String) {
    driver.perform { $0.post(body, to: handler) }
  }

  /// Sends a message of any method.
  public func send(_ method: String, _ params: WireValue, id: String? = nil) {
    driver.perform { $0.send(method, params, id: id) }
  }

  /// Sends a bridge message's text as it is, without its opening brace and counters.
  public func sendRaw(_ text: String) {
    driver.perform { $0.sendRaw(text) }
  }

  /// Answers a call of the host by its id.
  public func answer(_ id: String, _ result: WireValue) {
    driver.perform { $0.answer(id, .success(result)) }
  }

  /// Whether the page goes where the host's loads lead, from now on.
  public func followLoads(_ follows: Bool) {
    driver.perform { $0.followsLoads = follows }
  }

  /// Says how scripts are answered; without it each is answered by `undefined`. A call of a registered function comes as
  /// the function's name.
  ///
  /// A closure that throws ``ScriptException`` answers an exception; one that answers nil leaves the call open.
  public func onEvaluate(_ evaluate: @escaping @Sendable (String) throws -> WireValue?) {
    driver.perform { $0.evaluate = evaluate }
  }

  /// What the host has said, oldest first.
  public var received: [HostMessage] { driver.view.withLock { $0.received } }
  /// The host's answers to what the page asked, by the question's id.
  public var answers: [String: WireValue] { driver.view.withLock { $0.answers } }
  /// The host's errors to what the page asked, by the question's id.
  public var errors: [String: WireValue] { driver.view.withLock { $0.errors } }
  /// The handlers that the page may post to.
  public var handlers: [String] { driver.view.withLock { $0.handlers } }
  /// The settings that the page was given.
  public var settings: WireValue { driver.view.withLock { $0.settings } }
  /// How the page stands towards its relay.
  public var state: State { driver.view.withLock { $0.state } }
  /// The session's id, once it is known.
  public var session: String? { driver.view.withLock { $0.session } }
  /// The documents that the tab has shown, the present one last.
  public var documents: [String] { driver.view.withLock { $0.documents } }
  /// Where the page is.
  public var url: String { driver.view.withLock { $0.url } }
  /// The path of the one-time script that starts the page's bridge; nil where the relay named none.
  public var script: String? { driver.view.withLock { $0.script } }
  /// Messages of the host that came twice and were dropped.
  public var doubles: Int { driver.view.withLock { $0.doubles } }
  /// Messages that the host has not yet handled.
  public var pending: Int { driver.view.withLock { $0.pending } }
  /// How many numbered messages the present document has sent.
  public var sentMessages: Int { driver.view.withLock { $0.sent } }
  /// With which code the last socket closed.
  public var closeCode: UInt16? { driver.view.withLock { $0.closeCode } }
  /// The page in a screen's frame.
  public var frame: SimulatedPage? { driver.view.withLock { $0.frame } }

  /// What the host said to a screen, oldest first: commands of that type.
  public func commands(_ type: String) -> [WireValue] {
    received.filter { $0.method == "screen" && $0.params["type"]?.string == type }.map(\.params)
  }
}

/// An exception of a simulated page's script.
public struct ScriptException: Error, Sendable {
  /// A code of the wire: 4 for an exception, 5 for a result of an unsupported type.
  public var code: Int
  /// The exception's text, such as `ReferenceError: x is not defined`.
  public var message: String
  /// The line in the script, from 1.
  public var line: Int
  /// The column in that line.
  public var column: Int

  /// Makes an exception at a place of the script.
  public init(_ message: String, code: Int = 4, line: Int = 1, column: Int = 1) {
    self.message = message
    self.code = code
    self.line = line
    self.column = column
  }
}
