import BridgeProtocol
import WebSocketTransport

/// What all service threads of a relay know; it never changes, or is guarded.
final class RelayShared: Sendable {
  let configuration: RelayConfiguration
  let keys: Keys
  let policy: OriginPolicy
  let choice: ThreadChoice
  let files: StaticFiles?
  let started = ContinuousClock.now
  /// Instances that do not live on the thread that their id says: minted for another number of threads.
  private let strays = Locked<[String: Int]>([:])
  private let draining = Locked(false)
  private let all = Locked<[RelayThread]>([])

  init(_ configuration: RelayConfiguration) {
    self.configuration = configuration
    keys = Keys(secret: configuration.secret)
    policy = OriginPolicy(
      allowed: configuration.allowedOrigins, isDevelopment: configuration.dev)
    choice = ThreadChoice(threads: configuration.threads)
    files = configuration.webRoot.map { StaticFiles(root: $0) }
  }

  var log: RelayLog { configuration.log }

  var isDraining: Bool { draining.withLock { $0 } }

  func beginDraining() {
    draining.withLock { $0 = true }
  }

  var threads: [RelayThread] { all.withLock { $0 } }

  func add(_ thread: RelayThread) {
    all.withLock { $0.append(thread) }
  }

  func removeThreads() {
    all.withLock { $0 = [] }
  }

  func noteStray(instance: String, thread: Int) {
    guard choice.thread(ofInstance: instance) != thread else { return }
    strays.withLock { $0[instance] = thread }
  }

  func forgetStray(instance: String) {
    _ = strays.withLock { $0.removeValue(forKey: instance) }
  }

  func thread(ofStray instance: String) -> Int? {
    strays.withLock { $0[instance] }
  }
}
