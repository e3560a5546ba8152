// A dispatch source may be used from any thread, which its protocol does not say.
@preconcurrency import Dispatch
import Foundation

/// The signals of the process as a sequence, in place of what they do by default.
enum Signals {
  /// Takes over the signals for the rest of the process's life.
  static func stream(_ signals: [Int32]) -> AsyncStream<Int32> {
    let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
    let sources = signals.map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { continuation.yield(number) }
      source.resume()
      return source
    }
    continuation.onTermination = { _ in for source in sources { source.cancel() } }
    return stream
  }
}
