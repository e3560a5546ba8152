import BridgeProtocol
import BridgeSession
import Foundation
import WebSocketTransport

/// The one connection of a host: all its sessions, on one thread.
///
/// It owns the conversations with all documents, opens sockets and opens them again, and speaks with the main actor
/// through one inbox each way.
///
/// Sendable unchecked: all stored properties below "the connection's thread" are used on the transport's thread only;
/// the commands have a lock.
final class HostConnection: HostSocketHandler, @unchecked Sendable {
  /// What a connection needs to know at its start.
  struct Settings: Sendable {
    var app: String
    var name: String?
    var stateFile: URL?
    var reconnectCap: Duration
    var sessionGrace: Duration
  }

  enum Link {
    case idle
    case connecting(any HostSocket)
    case greeting(any HostSocket)
    case connected(any HostSocket)
    case waiting(any HostTimer)
    case stopping(any HostSocket)
    case over
  }

  /// How long a session outlives a document that left, when no other one follows.
  static let successorGrace = Duration.seconds(10)
  /// How long a document has from its start to its socket.
  static let firstSocketGrace = Duration.seconds(30)
  /// A connection that lived that long proves that the relay takes this host.
  private static let provenAfter = Duration.seconds(1)

  let settings: Settings
  let epoch = RandomToken.bits48()
  let transport: any HostTransport
  let inbox: MainInbox
  let events: HostEvents
  let markup: BridgeMarkup
  /// Contents of viewers, with the viewer's session, as an earlier process left them.
  let earlierContents: [String: String]
  private let commands = Locked<[HostCommand]>([])

  // The connection's thread.
  private(set) var link = Link.idle
  private var identity: HostIdentity?
  /// Contents of viewers that an earlier process showed and that this one has not taken over yet.
  var restoredContents: [String: String]
  /// Whether the state file is out of date.
  var isStateStale = false
  /// The instance that the sessions belong to.
  private var instance: String?
  private var reconnect: ReconnectPolicy
  private var provenTimer: (any HostTimer)?
  var acknowledgeTimer: (any HostTimer)?
  var sessions: [String: SessionRecord] = [:]
  var streams: [Int: ContentStream] = [:]
  /// Answers of handlers of the app's schemes, by request.
  var schemeAnswers: [Int: SchemeAnswer] = [:]
  /// Those among them that have something new to send.
  var readySchemes: Set<Int> = []
  private var outbound: [[UInt8]] = []
  /// Sessions of viewers with traffic that waits to be told.
  var talkativeScreens: Set<String> = []
  /// How many calls have carried changes of website data.
  var websiteFlights = 0
  /// Wrapped messages for sessions that this process does not know.
  var strayMessages = 0

  init(settings: Settings, transport: any HostTransport, inbox: MainInbox, events: HostEvents) {
    self.settings = settings
    self.transport = transport
    self.inbox = inbox
    self.events = events
    markup = BridgeMarkup(app: settings.app)
    reconnect = ReconnectPolicy(cap: settings.reconnectCap)
    let state = settings.stateFile.flatMap(HostState.load)
    identity = state?.identity
    restoredContents = state?.contents ?? [:]
    earlierContents = restoredContents
  }

  // MARK: From any thread

  /// Hands a command to the connection's thread; many that come together cost one hop.
  func submit(_ command: HostCommand) {
    let isFirst = commands.withLock { commands in
      commands.append(command)
      return commands.count == 1
    }
    if isFirst { transport.perform { [self] in runCommands() } }
  }

  /// Whether no command waits.
  var isIdle: Bool { commands.withLock { $0.isEmpty } }

  private func runCommands() {
    let waiting = commands.withLock { commands in
      let waiting = commands
      commands = []
      return waiting
    }
    for command in waiting { run(command) }
    flush()
  }

  // MARK: The connection's thread

  /// Queues a wire text for the relay; dropped without a connection, since the channels send again what matters.
  func put(_ text: [UInt8]) {
    guard case .connected = link else { return }
    outbound.append(text)
  }

  /// Gives the socket what one turn has gathered.
  func flush() {
    pumpSchemes()
    tellTraffic()
    if isStateStale { saveState() }
    guard !outbound.isEmpty else { return }
    if case .connected(let socket) = link { socket.send(outbound) }
    outbound = []
  }

  private func connect() {
    provenTimer?.cancel()
    inbox.post(.connection(.connecting))
    link = .connecting(transport.connect(self))
  }

  func startConnecting() {
    switch link {
    case .idle: connect()
    case .connecting, .greeting, .connected, .waiting, .stopping, .over: break
    }
  }

  func stopConnecting() {
    acknowledgeTimer?.cancel()
    provenTimer?.cancel()
    for record in sessions.values { record.cancelTimers() }
    switch link {
    case .connected(let socket), .greeting(let socket), .connecting(let socket):
      flush()
      link = .stopping(socket)
      socket.close(code: CloseCode.finished.rawValue, reason: "the host ends")
    case .waiting(let timer):
      timer.cancel()
      finish(.stopped)
    case .idle: finish(.stopped)
    case .stopping, .over: break
    }
  }

  private func finish(_ state: ConnectionState) {
    link = .over
    for record in sessions.values { record.cancelTimers() }
    sessions = [:]
    dropStreams()
    inbox.post(.connection(state))
    inbox.post(.stopped)
  }

  func opened(_ socket: any HostSocket) {
    guard case .connecting(let current) = link, current === socket else { return }
    link = .greeting(socket)
    socket.send([
      HostControl.hello(app: settings.app, epoch: epoch, name: settings.name, identity: identity)
    ])
  }

  func received(_ socket: any HostSocket, text: UnsafeRawBufferPointer) {
    switch link {
    case .greeting(let current), .connected(let current):
      guard current === socket, let first = text.first else { return }
      if first == UInt8(ascii: "[") {
        receiveWrapped(text)
      } else {
        receiveControl(text)
      }
    case .idle, .connecting, .waiting, .stopping, .over: break
    }
  }

  func turnEnded(_ socket: any HostSocket) {
    flush()
  }

  func closed(_ socket: any HostSocket, code: UInt16, reason: String) {
    switch link {
    case .stopping(let current) where current === socket:
      events.record("disconnected", ["code": .number(Double(code)), "reason": .string(reason)])
      finish(.stopped)
    case .connecting(let current) where current === socket, .greeting(let current) where current === socket,
      .connected(let current) where current === socket:
      lost(code: code, reason: reason)
    case .idle, .connecting, .greeting, .connected, .waiting, .stopping, .over: break
    }
  }

  private func lost(code: UInt16, reason: String) {
    provenTimer?.cancel()
    outbound = []
    dropStreams()
    for record in sessions.values {
      // The relay lets their pages go on.
      record.dialogs = []
      if let document = record.channel.currentDocument { record.channel.away(document: document) }
    }
    if case .connected = link {
      events.record("disconnected", ["code": .number(Double(code)), "reason": .string(reason)])
    }
    switch CloseCode(rawValue: code) {
    case .wrongKey, .wrongSession:
      // A relay with another secret: the instance is lost, and a new one costs nothing more.
      identity = nil
    case .subprotocolMissing, .expectedHello, .malformedHello, .helloTooLarge, .unknownRole, .wrongApp,
      .originMayNotHost, .replaced:
      finish(.refused(code: code, reason: reason))
      return
    default: break
    }
    inbox.post(.connection(.disconnected(reason: reason.isEmpty ? "close code \(code)" : reason)))
    let delay = reconnect.next(random: Double.random(in: 0...1))
    link = .waiting(
      transport.schedule(after: delay) { [self] in
        if case .waiting = link { connect() }
      })
  }

  /// The relay knows this host.
  func welcomed(_ new: HostIdentity) {
    guard case .greeting(let socket) = link else { return }
    link = .connected(socket)
    if let instance, instance != new.instance, !sessions.isEmpty {
      for record in sessions.values { record.cancelTimers() }
      sessions = [:]
      inbox.post(.instanceLost)
    }
    if identity?.instance != new.instance { restoredContents = [:] }
    if identity != new { isStateStale = true }
    identity = new
    instance = new.instance
    provenTimer = transport.schedule(after: Self.provenAfter) { [self] in reconnect.reset() }
    events.record("connected", ["instance": .string(new.instance)])
    inbox.post(.connection(.connected(instance: new.instance)))
    for (session, record) in sessions {
      if record.isHostFirst { put(HostControl.create(session: session)) }
      // Whoever was attached and does not come back has been cut.
      if record.channel.currentDocument != nil, record.successorTimer == nil {
        awaitSuccessor(record, settings.sessionGrace)
      }
    }
  }

  private func saveState() {
    isStateStale = false
    guard let file = settings.stateFile, let identity else { return }
    var state = HostState(identity: identity, contents: restoredContents)
    for (session, record) in sessions { state.contents[session] = record.screen }
    do {
      try state.save(to: file)
    } catch {
      StandardError.write("cannot keep the host's state in \(file.path)")
      events.record("error", ["message": "cannot write the state file"])
    }
  }

  // MARK: Ends

  /// Ends one session whose page broke the rules; its neighbours go on.
  func fail(_ record: SessionRecord, _ message: String) {
    let session = record.channel.session
    guard sessions[session] === record else { return }
    events.record("error", ["message": .string(message)], session: session)
    end(record, reason: message)
    inbox.post(.failed(session: session))
  }

  func end(_ record: SessionRecord, reason: String) {
    let session = record.channel.session
    record.cancelTimers()
    sessions[session] = nil
    if record.screen != nil { isStateStale = true }
    perform(record.channel.end(), record)
    put(HostControl.end(session: session, reason: reason))
    events.record("ended", ["reason": .string(reason)], session: session)
  }

  /// Starts to wait for a document; what waited before is over.
  func awaitSuccessor(_ record: SessionRecord, _ time: Duration) {
    record.successorTimer?.cancel()
    let session = record.channel.session
    record.successorTimer = transport.schedule(after: time) { [self, weak record] in
      guard let record, sessions[session] === record else { return }
      record.successorTimer = nil
      // Without the relay nobody could have come; the grace begins anew with the next connection.
      guard case .connected = link else { return }
      inbox.post(.abandoned(session: session))
    }
  }
}
