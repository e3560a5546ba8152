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
    if let part = options.part {
      load.part = LoadPart(index: part)
      load.relay = WebSocketAddress.text(options.relay?.absoluteString ?? load.relay)
      return try await runPart(load)
    }
    let ownsRelay = options.relay == nil && options.foreign == nil
    let wanted = try options.processes ?? SystemLimits.processes(for: load, ownsRelay: ownsRelay)
    // None without a page.
    let count = min(wanted, max(1, options.pages))
    let relay = ownsRelay ? try RelayRun(ownRelay(for: load), servesPages: false) : nil
    load.relay = WebSocketAddress.text(options.relay?.absoluteString ?? relay?.url ?? load.relay)

    let live = LiveLine()
    let outcome: Result<LoadReport, any Error>
    do {
      outcome = .success(
        count == 1 ? try await runAlone(load, live) : try await runShared(options, load, count, live))
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

  private static func runAlone(_ load: LoadOptions, _ live: LiveLine) async throws -> LoadReport {
    let stop = LoadStop()
    Signals.handle { if $0 != SIGHUP { stop() } }
    // On stderr, so that stdout holds the report only.
    return try await LoadGenerator.run(load, stop: stop) { live.show($0) }
  }

  /// Has other processes do the run; this one keeps a relay of the run's own and makes the report.
  private static func runShared(
    _ options: LoadCommandOptions, _ load: LoadOptions, _ count: Int, _ live: LiveLine
  ) async throws -> LoadReport {
    // One that ended leaves a pipe that nobody reads.
    signal(SIGPIPE, SIG_IGN)
    let parts = LoadParts(live: live)
    Signals.handle { if $0 != SIGHUP { parts.stop() } }
    return try await parts.run(options.partArguments(count: count, relay: load.relay))
  }

  private static func runPart(_ load: LoadOptions) async throws -> ExitCode {
    // The process that started this one hears them, too, and says what they mean.
    signal(SIGINT, SIG_IGN)
    signal(SIGHUP, SIG_IGN)
    let (stop, guide) = (LoadStop(), LoadPartGuide())
    Task { await guide.obey(stop) }
    let gates = LoadGates(
      connected: { await guide.wait(LoadPartLine.connected) },
      drained: { await guide.wait(LoadPartLine.drained) })
    let report = try await LoadGenerator.run(load, stop: stop, gates: gates) { progress in
      guard let json = try? JSONEncoder().encode(progress) else { return }
      Console.line(LoadPartLine.progress + String(decoding: json, as: UTF8.self))
    }
    Console.line(LoadPartLine.report + report.json)
    return .success
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
final class LiveLine: Sendable {
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
