import BridgeProtocol
import Foundation
import LoadGenerator
import Synchronization

/// `pagebridge load`: simulated pages and hosts against a relay.
@MainActor
enum LoadCommand {
  static func run(_ options: LoadCommandOptions) async throws -> ExitCode {
    var load = LoadOptions()
    load.app = options.app
    load.pages = options.pages
    load.hosts = options.hosts
    load.mode = options.mode
    load.seconds = options.seconds
    load.rampSeconds = options.ramp
    load.drainSeconds = options.drain
    load.bodyBytes = options.sizes
    if let file = options.messages { load.bodyValues = try values(of: file) }
    load.depth = options.depth
    load.rate = options.rate
    load.churn = options.churn
    load.cuts = options.cuts
    load.handler = options.handler
    load.processID = options.processID
    load.foreign = options.foreign
    let relay =
      options.relay == nil && options.foreign == nil
      ? try RelayRun(ownRelay(for: load), servesPages: false) : nil
    load.relay = WebSocketAddress.text(options.relay?.absoluteString ?? relay?.url ?? load.relay)

    let stop = LoadStop()
    Signals.handle { if $0 != SIGHUP { stop() } }
    let live = LiveLine()
    let outcome: Result<LoadReport, any Error>
    do {
      // On stderr, so that stdout holds the report only.
      outcome = .success(try await LoadGenerator.run(load, stop: stop) { live.show($0) })
    } catch {
      outcome = .failure(error)
    }
    live.clear()
    await relay?.end()
    let report = try outcome.get()
    if let file = options.jsonFile { try write(report.json + "\n", to: file) }
    if let file = options.reportFile { try write(report.html, to: file) }
    Console.line(options.printsJSON ? report.json : report.text)
    return report.isClean ? .success : .failure
  }

  /// A relay for this run only, at any free port.
  private static func ownRelay(for load: LoadOptions) -> RelayOptions {
    var options = RelayOptions()
    options.listen.port = 0
    return options
  }

  /// The JSON values of a file, one a line; empty lines are nothing.
  private static func values(of file: URL) throws -> [String] {
    let lines = try String(contentsOf: file, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    var values: [String] = []
    for (index, line) in lines.enumerated() {
      let text = line.trimmingCharacters(in: .whitespaces)
      guard !text.isEmpty else { continue }
      do {
        _ = try WireValue(json: Array(text.utf8))
      } catch {
        throw UsageError("--messages: line \(index + 1) of \(file.path) is not JSON")
      }
      values.append(text)
    }
    guard !values.isEmpty else { throw UsageError("--messages: \(file.path) holds no value") }
    return values
  }

  private static func write(_ text: String, to file: URL) throws {
    try Data(text.utf8).write(to: file, options: .atomic)
  }
}

/// Where a run stands: one line that changes on a terminal, plain lines now and then elsewhere.
private final class LiveLine: Sendable {
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private let lastShown = Mutex<Double>(-100)

  func show(_ progress: LoadProgress) {
    if isTerminal {
      FileHandle.standardError.write(Data("\r\u{1B}[K\(progress.text)".utf8))
      return
    }
    let now = ProcessInfo.processInfo.systemUptime
    let isDue = lastShown.withLock { last in
      guard now - last >= 4.5 else { return false }
      last = now
      return true
    }
    if isDue { Console.complain(progress.text) }
  }

  func clear() {
    if isTerminal { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
  }
}

/// The spelling of a relay's address for sockets.
enum WebSocketAddress {
  static func text(_ url: String) -> String {
    url.hasPrefix("http") ? "ws" + url.dropFirst("http".count) : url
  }
}
