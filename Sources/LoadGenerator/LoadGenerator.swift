import BridgeProtocol
import WebSocketTransport

/// Puts a bounded load of simulated pages and hosts on a relay and checks every message.
public enum LoadGenerator {
  /// Runs once: connects hosts and pages, has them talk for the given time, waits for what is under way, and reports.
  ///
  /// - Parameters:
  ///   - options: what to do; only loopback relays are load-tested by this project's own tests.
  ///   - stop: ends the traffic before its time; the report then tells what there was.
  ///   - gates: where this process waits for others that do the same run.
  ///   - progress: told about once a second where the run stands, on any thread.
  /// - Throws: ``LoadError`` when the run could not be done; messages that went wrong are in the report instead.
  public static func run(
    _ options: LoadOptions, stop: LoadStop = LoadStop(), gates: LoadGates? = nil,
    progress: @escaping @Sendable (LoadProgress) -> Void = { _ in }
  ) async throws -> LoadReport {
    try options.check()
    let base = options.relay.hasSuffix("/") ? String(options.relay.dropLast()) : options.relay
    let url =
      try options.foreign.map { try WebSocketURL(ForeignRelay.text($0.pageURL, 0)) }
      ?? WebSocketURL("\(base)/ws/\(options.app)")
    try SystemLimits.prepare(options, url: url)
    let pageLoop = try ServiceLoop(name: "load-pages")
    defer { pageLoop.stop() }
    let hostLoop = try ServiceLoop(name: "load-hosts")
    defer { hostLoop.stop() }
    let run = LoadRun(
      options: options, url: url, pageLoop: pageLoop, hostLoop: hostLoop, gates: gates, progress: progress)
    stop.attach(run.events)
    return try await run.run()
  }
}

/// Ends a run before its time, from any thread.
public final class LoadStop: Sendable {
  private struct State {
    var events: LoadEvents?
    var isStopped = false
  }

  private let state = Locked(State())

  /// Makes a stop for one run.
  public init() {}

  /// Ends the traffic now; what is under way is waited for, and the report comes as usual.
  public func callAsFunction() {
    let events = state.withLock { state in
      state.isStopped = true
      return state.events
    }
    events?.send(.interrupted)
  }

  func attach(_ events: LoadEvents) {
    let isStopped = state.withLock { state in
      state.events = events
      return state.isStopped
    }
    if isStopped { events.send(.interrupted) }
  }
}
