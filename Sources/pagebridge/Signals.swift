// A dispatch source may be used from any thread, which its protocol does not say.
@preconcurrency import Dispatch
import Foundation
import Synchronization

/// The signals of the process, in place of what they do by default.
enum Signals {
  /// Sources live as long as the process.
  private static let sources = Mutex<[any DispatchSourceSignal]>([])

  /// Calls the closure on some thread for SIGINT, SIGTERM and SIGHUP from now on.
  ///
  /// A second SIGINT or SIGTERM means that ending takes too long for somebody: it ends the process at once.
  static func handle(_ handler: @escaping @Sendable (Int32) -> Void) {
    let isEnding = SharedFlag()
    for number in [SIGINT, SIGTERM, SIGHUP] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        if number != SIGHUP, !isEnding.set() { exit(ExitCode.failure.rawValue) }
        handler(number)
      }
      source.resume()
      sources.withLock { $0.append(source) }
    }
  }

  /// Waits for SIGINT or SIGTERM.
  static func waitForEnd() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    handle { if $0 != SIGHUP { continuation.yield() } }
    for await _ in stream { return }
  }
}

/// A flag that is set once.
private final class SharedFlag: Sendable {
  private let isSet = Mutex(false)

  /// Sets it; false if it was set before.
  func set() -> Bool {
    isSet.withLock { isSet in
      defer { isSet = true }
      return !isSet
    }
  }
}
