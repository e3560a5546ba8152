import BridgeProtocol
import WebSocketTransport

/// A relay on one service thread: the apps of that thread with their hosts, sessions and pages.
///
/// Everything but `init` runs on the loop's thread.
final class RelayThread: ServerHandler, @unchecked Sendable {
  // Sendable because it is handed to other threads only to be used in `core.perform`.
  let index: Int
  let shared: RelayShared
  let core: LoopCore
  let path: UnsafeMutablePointer<DataPath>
  private(set) var endpoint: ServerEndpoint?
  private(set) var apps: [String: App] = [:]
  private(set) var instances: [String: Instance] = [:]
  var scripts: [String: OneTimeScript] = [:]
  /// The names of scripts in the order in which they were made; some may have been fetched.
  var oldScripts: [String] = []
  private var nextAttach: Int
  private(set) var wheel = PingWheel()
  private var greeting: [ObjectIdentifier: NewSocket] = [:]
  /// Requests whose answer waits for somebody else.
  private var held: [ObjectIdentifier: HTTPExchange] = [:]
  private var isStopped = false

  init(index: Int, shared: RelayShared, core: LoopCore) {
    self.index = index
    self.shared = shared
    self.core = core
    path = .allocate(capacity: 1)
    path.initialize(to: DataPath(shared.configuration.limits))
    // A random start, so that no number of an earlier relay is met again; room for 2^52 of them.
    let start = Keys.randomBytes(6).reduce(0) { $0 << 8 | Int($1) }
    nextAttach = start + 1
  }

  deinit {
    path.deallocate()
  }

  /// All pages that have said hello.
  var pages: [PageSocket] { wheel.pages }

  var configuration: RelayConfiguration { shared.configuration }
  var limits: RelayLimits { shared.configuration.limits }
  var log: RelayLog { shared.configuration.log }
  var keys: Keys { shared.keys }

  /// Makes the endpoint and begins to ping.
  func open() throws(TransportError) {
    endpoint = try ServerEndpoint(
      core: core,
      configuration: ServerEndpointConfiguration(
        certificateFile: configuration.tlsCertificate, keyFile: configuration.tlsKey,
        closesConnections: configuration.threads > 1),
      handler: self)
    wheel.start(core: core, limits: limits) { [unowned self] in
      dropAbandoned()
      dropOldScripts()
    }
  }

  /// Closes all sockets because the relay stops.
  func drain() {
    for instance in instances.values {
      for session in instance.sessions.values { session.leaveDialogs(.relayStops) }
    }
    for page in pages { page.close(.goingAway, "The relay stops.") }
    for instance in instances.values { instance.host?.close(.goingAway, "The relay stops.") }
    for socket in greeting.values { socket.close(.goingAway, "The relay stops.") }
  }

  /// Drops what would outlive the loop; its timers and sockets end with it.
  func stop() {
    guard !isStopped else { return }
    isStopped = true
    wheel.stop()
    held = [:]
    scripts = [:]
    for instance in instances.values {
      instance.grace?.cancel()
      instance.grace = nil
    }
  }

  // MARK: Sockets

  func refusal(ofWebSocket request: RequestHead) -> HTTPResponse? {
    let words = request.path.split(separator: "/", omittingEmptySubsequences: true)
    guard words.count == 2, words[0] == "ws" else {
      return .text(404, "WebSockets are served at /ws/<app>.")
    }
    let app = String(words[1])
    return refusal(of: request, app: app, isForPages: true)
      ?? (shared.isDraining ? .text(503, "The relay stops.") : nil)
  }

  func opened(_ socket: Socket, request: RequestHead) -> any SocketHandler {
    path.pointee.counters.socketsOpened += 1
    let app = request.path.split(separator: "/").last.map(String.init) ?? ""
    let new = NewSocket(thread: self, app: app, visitor: Visitor(request), socket: socket)
    greeting[ObjectIdentifier(new)] = new
    if request.header("sec-websocket-protocol") == nil {
      new.refuse(
        Refusal(.subprotocolMissing, "The handshake must name the subprotocol \(BridgeWire.subprotocol)."))
    }
    return new
  }

  func greetingEnded(_ socket: NewSocket) {
    greeting[ObjectIdentifier(socket)] = nil
  }

  /// What Host and Origin are answered with if they are not accepted, and the size of the headers.
  func refusal(of request: RequestHead, app: String?, isForPages: Bool) -> HTTPResponse? {
    let host = request.header("host")
    let origin = request.header("origin")
    var refusal: HTTPResponse?
    if request.byteCount > limits.maxHeaderBytes {
      refusal = .text(431, "The request's headers are larger than \(limits.maxHeaderBytes) bytes.")
    } else if !shared.policy.acceptsHost(host) {
      refusal = .text(421, "The Host header must name this machine: localhost or a loopback address.")
    } else if isForPages, !shared.policy.acceptsOrigin(origin, host: host, isSecure: request.isSecure) {
      refusal = .text(
        403,
        "Pages of the origin \(origin ?? "") may not attach; start the relay with --allow-origin \(origin ?? "")."
      )
    }
    if let refusal, isForPages {
      noteRefused(
        app: app, code: refusal.status, reason: String(decoding: refusal.body.dropLast(), as: UTF8.self),
        visitor: Visitor(request))
    }
    return refusal
  }

  /// Counts and tells that something was turned away, to the log and to the hosts that it concerns.
  func noteRefused(app: String?, code: Int, reason: String, visitor: Visitor) {
    path.pointee.counters.refused += 1
    log(
      .warning, "refused",
      [
        "app": app ?? "", "code": String(code), "reason": reason, "origin": visitor.origin ?? "",
        "peer": visitor.address,
      ])
    guard let app, let known = apps[app], !known.hosts.isEmpty else { return }
    known.tellHosts(
      JSONText().adding("reason", reason).adding("code", code).adding("origin", visitor.origin)
        .adding("address", visitor.address).wrapped(in: "refused"))
  }

  /// Looks from now on whether the client of a request is still there.
  func hold(_ exchange: HTTPExchange) {
    held[ObjectIdentifier(exchange)] = exchange
  }

  private func dropAbandoned() {
    for (key, exchange) in held {
      if !exchange.isOpen {
        held[key] = nil
      } else if exchange.isAbandoned {
        exchange.abort()
      }
    }
  }

  // MARK: Apps and instances

  func app(_ name: String) -> App {
    if let app = apps[name] { return app }
    let app = App(name: name)
    apps[name] = app
    return app
  }

  func forgetIfUnused(_ app: App) {
    if app.isUnused { apps[app.name] = nil }
  }

  func instance(_ id: String, app: App) -> Instance {
    if let instance = instances[id] { return instance }
    let instance = Instance(id: id, app: app)
    instances[id] = instance
    return instance
  }

  /// The instance of a session, if it is known or may still come back: after a start, hosts have their grace, too.
  func instance(ofSession session: String, app: App) -> Instance? {
    let id = Identifiers.instance(ofSession: session)
    if let instance = instances[id] { return instance.app === app ? instance : nil }
    let rest = configuration.hostGrace - (ContinuousClock.now - shared.started)
    guard rest > .zero else { return nil }
    let instance = instance(id, app: app)
    startGrace(of: instance, rest)
    return instance
  }

  func startGrace(of instance: Instance, _ time: Duration) {
    instance.grace?.cancel()
    instance.grace = LoopTimer(core: core, after: time) { [unowned self] in end(instance) }
  }

  /// Removes an instance whose host will not come back, and tells its pages.
  func end(_ instance: Instance) {
    guard instances.removeValue(forKey: instance.id) != nil else { return }
    log(.info, "instance ended", ["app": instance.app.name, "instance": instance.id])
    instance.grace?.cancel()
    instance.grace = nil
    shared.forgetStray(instance: instance.id)
    instance.app.instanceCount -= 1
    let arrivals = instance.arrivals
    instance.arrivals = []
    for session in Array(instance.sessions.values) { end(session) }
    for arrival in arrivals { arrival.finish(false) }
    forgetIfUnused(instance.app)
  }

  /// The number of an attach, never given twice.
  func mintAttach() -> Int {
    defer { nextAttach += 1 }
    return nextAttach
  }

  /// The number of a dialog, never given twice either: a late answer, even to an earlier relay, meets no other dialog.
  func mintDialog() -> Int { mintAttach() }
}
