import BridgeProtocol
import Synchronization
import WebSocketTransport

/// Puts a bounded load of simulated pages and hosts on a relay and checks every message.
public enum LoadGenerator {
  /// Runs once: connects hosts and pages, posts for the given time, waits for what is under way, and reports.
  ///
  /// - Parameters:
  ///   - options: what to do; only loopback relays are load-tested by this project's own tests.
  ///   - progress: gets a line for people now and then, on any thread.
  /// - Throws: ``LoadError`` when the run could not be done; messages that went wrong are in the report instead.
  public static func run(
    _ options: LoadOptions, progress: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws -> LoadReport {
    try options.check()
    let url = options.relay.hasSuffix("/") ? String(options.relay.dropLast()) : options.relay
    let configuration = WebSocketClientConfiguration(
      url: try WebSocketURL("\(url)/ws/\(options.app)"), subprotocol: BridgeWire.subprotocol,
      connectTimeout: .seconds(options.connectSeconds))
    let descriptors = options.pages + options.hosts + 256
    let pageLoop = try ServiceLoop(name: "load-pages", descriptorLimit: descriptors)
    defer { pageLoop.stop() }
    let hostLoop = try ServiceLoop(name: "load-hosts", descriptorLimit: descriptors)
    defer { hostLoop.stop() }
    let run = LoadRun(
      options: options, configuration: configuration, pageLoop: pageLoop, hostLoop: hostLoop,
      progress: progress)
    return try await run.run()
  }
}

/// One run, from its first connection to its report.
private struct LoadRun {
  let options: LoadOptions
  let pageLoop: ServiceLoop
  let hostLoop: ServiceLoop
  let progress: @Sendable (String) -> Void
  let events = LoadEvents()
  let group: LoadPageGroup
  let hosts: [LoadHost]
  let configuration: WebSocketClientConfiguration

  init(
    options: LoadOptions, configuration: WebSocketClientConfiguration, pageLoop: ServiceLoop,
    hostLoop: ServiceLoop,
    progress: @escaping @Sendable (String) -> Void
  ) {
    self.options = options
    self.configuration = configuration
    self.pageLoop = pageLoop
    self.hostLoop = hostLoop
    self.progress = progress
    group = LoadPageGroup(loop: pageLoop, configuration: configuration)
    let events = self.events
    hosts = (0..<options.hosts).map { LoadHost(index: $0, options: options, events: events, loop: hostLoop) }
  }

  func run() async throws -> LoadReport {
    var stream = events.stream.makeAsyncIterator()
    var disconnects: UInt64 = 0

    limit(.connecting, options.connectSeconds)
    let (hosts, configuration) = (hosts, configuration)
    hostLoop.perform { for host in hosts { host.connect(configuration) } }
    var ready = 0
    while ready < options.hosts {
      switch await stream.next() {
      case .hostReady: ready += 1
      case .hostClosed(let code, let reason, true): throw refused("a host", code, reason)
      case .timeUp(.connecting): throw timeout("\(ready) of \(options.hosts) hosts")
      default: break
      }
    }

    let (group, options, events) = (group, options, events)
    let connectStart = ContinuousClock.now
    pageLoop.perform { group.start(indices: Array(0..<options.pages), options: options, events: events) }
    ready = 0
    while ready < options.pages {
      switch await stream.next() {
      case .pageReady:
        ready += 1
        pageLoop.perform { group.connectNext() }
        if ready % 1_000 == 0, ready < options.pages {
          progress("connected \(ready) of \(options.pages) pages")
        }
      case .pageClosed(let code, let reason, _): throw refused("page \(ready + 1)", code, reason)
      case .hostClosed(let code, let reason, _): throw refused("a host", code, reason)
      case .timeUp(.connecting): throw timeout("\(ready) of \(options.pages) pages")
      default: break
      }
    }
    let connectTime = connectStart.duration(to: .now)
    progress("connected \(options.pages) pages; posting for \(options.seconds) s")

    let start = ContinuousClock.now
    limit(.posting, options.seconds)
    pageLoop.perform { group.startPosting() }
    while true {
      let event = await stream.next()
      if case .timeUp(.posting) = event { break }
      if Self.isDisconnect(event) { disconnects += 1 }
    }
    let elapsed = start.duration(to: .now)
    pageLoop.perform { group.stopPosting() }
    limit(.draining, options.drainSeconds)
    var drained = 0
    drain: while drained < options.pages {
      let event = await stream.next()
      switch event {
      case .pageDrained: drained += 1
      case .timeUp(.draining): break drain
      default: if Self.isDisconnect(event) { disconnects += 1 }
      }
    }

    var tally = await result(on: pageLoop) { group.tally }
    tally.merge(
      await result(on: hostLoop) {
        hosts.reduce(into: LoadTally()) { $0.merge($1.tally) }
      })
    pageLoop.perform { group.close() }
    hostLoop.perform { for host in hosts { host.close() } }
    return report(tally, elapsed: elapsed, connectTime: connectTime, disconnects: disconnects)
  }

  private func report(
    _ tally: LoadTally, elapsed: Duration, connectTime: Duration, disconnects: UInt64
  ) -> LoadReport {
    let seconds = elapsed / .seconds(1)
    func microseconds(_ nanoseconds: UInt64) -> Double { Double(nanoseconds) / 1_000 }
    return LoadReport(
      mode: options.mode.rawValue, pages: options.pages, hosts: options.hosts, seconds: seconds,
      connectSeconds: connectTime / .seconds(1), messages: tally.messages,
      messagesPerSecond: Double(tally.messages) / seconds,
      roundTripP50Microseconds: microseconds(tally.roundTrips.value(at: 0.5)),
      roundTripP99Microseconds: microseconds(tally.roundTrips.value(at: 0.99)),
      roundTripMaxMicroseconds: microseconds(tally.roundTrips.maximum),
      lost: tally.lost, doubled: tally.doubled, reordered: tally.reordered, corrupted: tally.corrupted,
      disconnects: disconnects)
  }

  private func limit(_ phase: LoadEvents.Phase, _ seconds: Double) {
    let events = events
    _ = hostLoop.schedule(after: .seconds(seconds)) { events.send(.timeUp(phase)) }
  }

  private func refused(_ who: String, _ code: UInt16, _ reason: String) -> LoadError {
    LoadError(
      .connectFailed, "\(who) could not connect to \(options.relay)", context: "code \(code), \(reason)")
  }

  private func timeout(_ what: String) -> LoadError {
    LoadError(.connectTimeout, "not connected in \(options.connectSeconds) s", context: what)
  }

  private static func isDisconnect(_ event: LoadEvents.Event?) -> Bool {
    switch event {
    case .pageClosed, .hostClosed: true
    case .hostReady, .pageReady, .pageDrained, .timeUp, nil: false
    }
  }

  private func result<Value: Sendable>(
    on loop: ServiceLoop, _ work: @escaping @Sendable () -> Value
  ) async -> Value {
    await withCheckedContinuation { continuation in
      loop.perform { continuation.resume(returning: work()) }
    }
  }
}
