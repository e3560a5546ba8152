import CUV
import Glibc
import Synchronization

/// One thread that owns a libwebsockets context on a libuv loop, and all connections made on it.
///
/// Any thread may call its methods. The work and the handlers given to it run on its thread, one after the other.
public final class ServiceLoop: Sendable {
  package let core: LoopCore
  private let thread: Locked<pthread_t?>

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - name: The thread's name; the system keeps its first 15 bytes.
  ///   - descriptorLimit: How many descriptors the process shall be able to open. The soft limit is raised to it, or
  ///     to the hard limit if that is lower, before the context is made: libwebsockets sizes its tables by it.
  /// - Throws: ``TransportError`` `loopUnavailable`.
  public init(name: String, descriptorLimit: Int? = nil) throws(TransportError) {
    if let descriptorLimit { Descriptors.raiseLimit(to: descriptorLimit) }
    core = LoopCore()
    thread = Locked(nil)
    let start = Start(core: core, name: String(decoding: name.utf8.prefix(15), as: UTF8.self))
    var started = pthread_t()
    // Retained for the thread, which releases it.
    let retained = Unmanaged.passRetained(start)
    let code = pthread_create(
      &started, nil,
      { pointer in
        Unmanaged<Start>.fromOpaque(pointer.unsafelyUnwrapped).takeRetainedValue().run()
        return nil
      }, retained.toOpaque())
    guard code == 0 else {
      retained.release()
      throw TransportError(code: .loopUnavailable, message: "The system gave no thread.")
    }
    let identifier = started
    thread.withLock { $0 = identifier }
    guard start.hasOpened() else {
      pthread_join(identifier, nil)
      thread.withLock { $0 = nil }
      throw TransportError(code: .loopUnavailable, message: "libwebsockets gave no context.")
    }
  }

  deinit {
    guard let rest = thread.withLock({ $0 }) else { return }
    let core = core
    core.perform { core.stop() }
    pthread_detach(rest)
  }

  /// Runs the work on the loop's thread, after all that was given before.
  public func perform(_ work: @escaping @Sendable () -> Void) {
    core.perform(work)
  }

  /// Runs the work on the loop's thread after the given time.
  ///
  /// - Returns: A token that calls it off; it may be thrown away.
  @discardableResult
  public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> TimerToken {
    let token = TimerToken(core: core)
    core.perform { token.start(after: delay, work) }
    return token
  }

  /// Ends all connections without close frames and joins the thread; a second call has no effect.
  ///
  /// Handlers get their `closed`. Called on the loop's own thread it only begins the end.
  public func stop() {
    let core = core
    core.perform { core.stop() }
    guard !core.isCurrent else { return }
    let rest = thread.withLock { thread -> pthread_t? in
      defer { thread = nil }
      return thread
    }
    if let rest { pthread_join(rest, nil) }
  }

  /// What the thread runs, and the gate behind which `init` waits for it.
  private final class Start: @unchecked Sendable {
    // Sendable because `hasOpened` waits until the thread has set `isOpen`, which the gate orders.
    private let core: LoopCore
    private let name: String
    private var isOpen = false
    private let gate = Gate()

    init(core: LoopCore, name: String) {
      self.core = core
      self.name = name
    }

    func run() {
      pthread_setname_np(pthread_self(), name)
      isOpen = core.open()
      let isOpen = isOpen
      gate.open()
      if isOpen { core.run() }
    }

    func hasOpened() -> Bool {
      gate.wait()
      return isOpen
    }
  }
}

/// Work that a ``ServiceLoop`` does later.
public final class TimerToken: @unchecked Sendable {
  // Sendable because `timer` and `isCancelled` are touched on the loop's thread only.
  private let core: LoopCore
  private var timer: LoopTimer?
  private var isCancelled = false

  init(core: LoopCore) {
    self.core = core
  }

  func start(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
    guard !isCancelled else { return }
    timer = LoopTimer(core: core, after: delay) { [self] in
      timer = nil
      work()
    }
  }

  /// Calls the work off; without effect once it has begun. Any thread.
  public func cancel() {
    core.perform { [self] in
      isCancelled = true
      timer?.cancel()
      timer = nil
    }
  }
}

/// The limit of open descriptors.
package enum Descriptors {
  /// What the soft limit can be raised to.
  package static var hardLimit: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
    return Int(clamping: limit.rlim_max)
  }

  /// Raises the soft limit to the count, or as far as the hard limit lets it; never lowers it.
  ///
  /// - Returns: The limit that holds now.
  @discardableResult
  package static func raiseLimit(to count: Int) -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
    let wanted = min(rlim_t(count), limit.rlim_max)
    if limit.rlim_cur < wanted {
      limit.rlim_cur = wanted
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
    return Int(clamping: limit.rlim_cur)
  }
}
