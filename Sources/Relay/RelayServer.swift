import BridgeProtocol
import Glibc
import WebSocketTransport

/// A relay: listens on one port and lets pages and hosts of each app talk.
///
/// Any thread may call its methods.
public final class RelayServer: Sendable {
  /// How it was told to run.
  public let configuration: RelayConfiguration
  private let state: Locked<State>

  private struct State {
    var phase = Phase.ready
    var shared: RelayShared?
    var loops: [ServiceLoop] = []
    var listener: ListenerBox?
    var port = 0
  }

  private enum Phase { case ready, running, stopped }

  /// Checks the configuration.
  ///
  /// - Throws: ``RelayError`` `developmentOnly`, `addressNotLoopback`, `threadsNeedPlainText`, `secretUnusable` or
  ///   `invalidConfiguration`.
  public init(_ configuration: RelayConfiguration) throws(RelayError) {
    guard configuration.dev else {
      throw RelayError(
        code: .developmentOnly,
        message: "This version serves in development mode only, since it has no tokens.")
    }
    guard OriginPolicy.isLoopback(configuration.listen.host) else {
      throw RelayError(
        code: .addressNotLoopback, message: "The development mode listens on loopback addresses only.",
        context: ["host": configuration.listen.host])
    }
    guard configuration.secret.count >= RelaySecret.minBytes else {
      throw RelayError(
        code: .secretUnusable, message: "The secret must have at least \(RelaySecret.minBytes) bytes.")
    }
    guard (1...64).contains(configuration.threads), (0...65_535).contains(configuration.listen.port),
      (configuration.tlsCertificate == nil) == (configuration.tlsKey == nil)
    else {
      throw RelayError(
        code: .invalidConfiguration,
        message: "Threads must be 1 to 64, the port 0 to 65535, and certificate and key come together.")
    }
    guard configuration.threads == 1 || configuration.tlsCertificate == nil else {
      throw RelayError(
        code: .threadsNeedPlainText,
        message: "With TLS the relay runs on one thread: it cannot see whom an encrypted request is for.")
    }
    self.configuration = configuration
    state = Locked(State())
  }

  /// Listens and serves until ``stop()``.
  ///
  /// - Throws: ``RelayError`` `addressInUse`, `addressUnavailable`, `certificateUnusable` or `loopUnavailable`.
  public func start() throws(RelayError) {
    try state.withLock { state throws(RelayError) in
      guard state.phase == .ready else { return }
      do throws(TransportError) {
        try Self.start(configuration, &state)
      } catch {
        for loop in state.loops { loop.stop() }
        state.loops = []
        throw RelayError(error)
      }
      state.phase = .running
    }
    configuration.log(.info, "relay listens", ["url": url])
  }

  private static func start(_ configuration: RelayConfiguration, _ state: inout State) throws(TransportError)
  {
    // Before any context is made: libwebsockets sizes its tables by the limit.
    Descriptors.raiseLimit(to: configuration.descriptorLimit)
    LibraryMemory.useForReceiveBuffers()
    let log = configuration.log
    LibraryLog.receive { line in log(.warning, "libwebsockets", ["line": line]) }
    let (descriptor, port) = try Listener.bind(
      host: configuration.listen.host, port: configuration.listen.port)
    var isHandedOver = false
    defer { if !isHandedOver { close(descriptor) } }
    let shared = RelayShared(configuration)
    var threads: [RelayThread] = []
    for index in 0..<configuration.threads {
      let loop = try ServiceLoop(name: "relay-\(index)")
      state.loops.append(loop)
      let thread = RelayThread(index: index, shared: shared, core: loop.core)
      threads.append(thread)
      try loop.core.performAndWait { () throws(TransportError) in try thread.open() }
    }
    for thread in threads { shared.add(thread) }
    let router = ConnectionRouter(shared: shared, threads: threads, timeout: configuration.helloTimeout)
    let first = state.loops[0].core
    let accepting = threads[0]
    let box = ListenerBox()
    try first.performAndWait { () throws(TransportError) in
      box.listener = Listener(
        core: first, descriptor: descriptor,
        budget: AcceptBudget(
          count: configuration.limits.acceptsPerInterval, interval: configuration.limits.acceptInterval),
        accepted: { router.route($0, on: first) },
        heldBack: { accepting.path.pointee.counters.acceptsHeldBack += 1 })
    }
    isHandedOver = true
    state.listener = box
    state.shared = shared
    state.port = port
  }

  /// The port that it listens on; 0 before ``start()``.
  public var port: Int { state.withLock { $0.port } }

  /// Where it is reached: scheme, host and port, without a slash at the end.
  public var url: String {
    let scheme = configuration.tlsCertificate == nil ? "http" : "https"
    let host =
      configuration.listen.host.contains(":") ? "[\(configuration.listen.host)]" : configuration.listen.host
    return "\(scheme)://\(host):\(port)"
  }

  /// Takes no new connections, closes all sockets with 1001, and stops once they are gone or the time is over.
  public func drain(timeout: Duration = Limits.drainTimeout) async {
    let (shared, loops, listener) = state.withLock { ($0.shared, $0.loops, $0.listener) }
    guard let shared, let first = loops.first else { return }
    configuration.log(.info, "relay drains")
    shared.beginDraining()
    first.perform { listener?.stop() }
    for thread in shared.threads { thread.core.perform { thread.drain() } }
    let clock = ContinuousClock()
    let end = clock.now + timeout
    while clock.now < end, await socketCount(of: shared) > 0 {
      await withCheckedContinuation { done in first.schedule(after: .milliseconds(10)) { done.resume() } }
    }
    stop()
  }

  private func socketCount(of shared: RelayShared) async -> Int {
    var count = 0
    for thread in shared.threads {
      count += await withCheckedContinuation { done in
        thread.core.perform { done.resume(returning: thread.core.socketCount) }
      }
    }
    return count
  }

  /// Ends everything at once and waits for the threads; without effect when it does not run.
  public func stop() {
    let rest = state.withLock { state -> (RelayShared?, [ServiceLoop], ListenerBox?) in
      guard state.phase == .running else { return (nil, [], nil) }
      state.phase = .stopped
      defer {
        state.loops = []
        state.listener = nil
        state.shared = nil
      }
      return (state.shared, state.loops, state.listener)
    }
    guard let shared = rest.0 else { return }
    rest.1.first?.perform { rest.2?.stop() }
    for thread in shared.threads { thread.core.perform { thread.stop() } }
    for loop in rest.1 { loop.stop() }
    shared.removeThreads()
    configuration.log(.info, "relay stopped")
  }
}

extension RelayError {
  init(_ error: TransportError) {
    let code: Code =
      switch error.code {
      case .addressInUse: .addressInUse
      case .addressUnavailable: .addressUnavailable
      case .certificateUnusable: .certificateUnusable
      default: .loopUnavailable
      }
    self.init(code: code, message: error.message, context: error.context)
  }
}

/// The listener, carried between threads.
private final class ListenerBox: @unchecked Sendable {
  // Sendable because `listener` is touched on the first loop's thread only.
  var listener: Listener?

  func stop() {
    listener?.stop()
    listener = nil
  }
}

/// Gives accepted connections to the thread that they concern.
private struct ConnectionRouter: Sendable {
  let shared: RelayShared
  let threads: [RelayThread]
  let timeout: Duration

  /// On the first loop's thread.
  func route(_ descriptor: CInt, on core: LoopCore) {
    guard threads.count > 1 else {
      threads[0].endpoint?.adopt(descriptor)
      return
    }
    RequestPeek.look(descriptor, core: core, timeout: timeout) { [self] descriptor, line in
      let index = shared.choice.thread(ofRequestLine: line ?? "") { shared.thread(ofStray: $0) } ?? 0
      let thread = threads[index]
      thread.core.perform { thread.endpoint?.adopt(descriptor) }
    }
  }
}
