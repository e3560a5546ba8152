import Foundation
import PageBridgeWebKit

/// The tests' own host, built on nothing but the public library: it does what lines of JSON on its input say.
///
/// It knows nothing of relays: what it writes is what the code of an app can see.
@main
struct ProbeHost {
  @MainActor
  static func main() async throws {
    guard let options = Options(Array(CommandLine.arguments.dropFirst())) else {
      let usage = "--relay URL --app NAME --events FILE --journal FILE"
      let more = "[--state FILE] [--name TEXT] [--session-grace SECONDS]"
      FileHandle.standardError.write(Data("usage: ProbeHost \(usage) \(more)\n".utf8))
      exit(64)
    }
    await (try Probe(options)).run(lines())
  }

  /// The lines of the input. They are read on a thread of their own, for reading waits.
  private static func lines() -> AsyncStream<String> {
    let (stream, continuation) = AsyncStream<String>.makeStream()
    Thread.detachNewThread {
      while let line = readLine() { continuation.yield(line) }
      continuation.finish()
    }
    return stream
  }
}
