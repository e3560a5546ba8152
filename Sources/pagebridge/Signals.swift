// A dispatch source may be used from any thread, which its protocol does not say.
@preconcurrency import Dispatch
import Foundation

/// The signals of the process, in place of what they do by default.
@MainActor
enum Signals {
  /// Sources live as long as the process.
  private static var sources: [any DispatchSourceSignal] = []
  private static var isEnding = false

  /// Calls the closure for SIGINT, SIGTERM and SIGHUP from now on.
  ///
  /// A second SIGINT or SIGTERM means that ending takes too long for somebody: it ends the process at once.
  static func handle(_ handler: @escaping @MainActor (Int32) -> Void) {
    for number in [SIGINT, SIGTERM, SIGHUP] {
      signal(number, SIG_IGN)
      // The main queue is the main actor's.
      let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
      source.setEventHandler {
        if number != SIGHUP {
          if isEnding { exit(ExitCode.failure.rawValue) }
          isEnding = true
        }
        handler(number)
      }
      source.resume()
      sources.append(source)
    }
  }

  /// Waits for SIGINT or SIGTERM.
  static func waitForEnd() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    handle { if $0 != SIGHUP { continuation.yield() } }
    for await _ in stream { return }
  }
}
