import BridgeProtocol
import WebSocketTransport

/// The pages of a run, all on one loop's thread.
protocol LoadCrowd: AnyObject, Sendable {
  /// Begins to connect.
  func start()
  /// Begins to post; all are connected.
  func startTraffic()
  /// Ends posting, and answers how many pages will tell that they are drained.
  func stopTraffic() -> Int
  /// What has happened so far, and the round trips since the last call.
  func takeSample() -> (tally: LoadTally, recent: Histogram, pages: Int)
  func close()
}

/// One run, from its first connection to its report.
struct LoadRun {
  private let options: LoadOptions
  private let url: WebSocketURL
  private let pageLoop: ServiceLoop
  private let hostLoop: ServiceLoop
  private let gates: LoadGates?
  private let progress: @Sendable (LoadProgress) -> Void
  let events = LoadEvents()
  private let group: any LoadCrowd
  private let hosts: [LoadHost]

  init(
    options: LoadOptions, url: WebSocketURL, pageLoop: ServiceLoop, hostLoop: ServiceLoop, gates: LoadGates?,
    progress: @escaping @Sendable (LoadProgress) -> Void
  ) {
    self.options = options
    self.url = url
    self.pageLoop = pageLoop
    self.hostLoop = hostLoop
    self.gates = gates
    self.progress = progress
    let events = self.events
    if let foreign = options.foreign {
      group = ForeignGroup(
        relay: foreign, options: options, events: events, loop: pageLoop, hostLoop: hostLoop)
      hosts = []
      return
    }
    let left = LeftPages()
    group = LoadPageGroup(loop: pageLoop, options: options, url: url, events: events, left: left)
    let configuration = WebSocketClientConfiguration(
      url: url, subprotocol: BridgeWire.subprotocol, connectTimeout: .seconds(options.connectSeconds))
    hosts = (0..<options.hosts).map {
      LoadHost(
        index: $0, options: options, configuration: configuration, events: events, left: left, loop: hostLoop)
    }
  }

  func run() async throws -> LoadReport {
    var stream = events.stream.makeAsyncIterator()
    var recorder = LoadRecorder(options: options)
    let ticks = startTicking()
    defer { ticks.cancel() }
    let isConnected = try await connect(&stream, &recorder)
    var isInterrupted = !isConnected
    await gates?.connected()
    if isConnected { isInterrupted = await flow(&stream, &recorder) }
    await drain(&stream, &recorder)
    await gates?.drained()
    let (tally, recent, pages) = await sample()
    recorder.finish(tally, recent, pages)
    let (group, hosts) = (group, hosts)
    pageLoop.perform { group.close() }
    hostLoop.perform { for host in hosts { host.close() } }
    return recorder.report(isInterrupted: isInterrupted)
  }

  // MARK: Phases

  /// Answers false when somebody ended the run meanwhile.
  private func connect(
    _ stream: inout AsyncStream<LoadEvents.Event>.AsyncIterator, _ recorder: inout LoadRecorder
  ) async throws -> Bool {
    limit(.connecting, options.connectSeconds + options.rampSeconds)
    let (hosts, group) = (hosts, group)
    hostLoop.perform { for host in hosts { host.connect() } }
    var readyHosts = 0
    var readyPages = 0
    recorder.connectingBegins()
    if hosts.isEmpty { pageLoop.perform { group.start() } }
    while readyHosts < hosts.count || readyPages < options.pages {
      switch await stream.next() {
      case .hostReady:
        readyHosts += 1
        if readyHosts == hosts.count { pageLoop.perform { group.start() } }
      case .pageReady: readyPages += 1
      case .hostRefused(let code, let reason): throw refused("a host", code, reason)
      case .pageRefused(let code, let reason): throw refused("page \(readyPages + 1)", code, reason)
      case .second: progress(recorder.connecting(readyPages))
      case .interrupted: return false
      case .timeUp(.connecting):
        throw LoadError(
          .connectTimeout, "not connected in \(options.connectSeconds + options.rampSeconds) s",
          context: "\(readyHosts) of \(hosts.count) hosts, \(readyPages) of \(options.pages) pages")
      case .timeUp, .drained, nil: break
      }
    }
    recorder.connected()
    return true
  }

  /// Answers whether somebody ended the traffic before its time.
  private func flow(
    _ stream: inout AsyncStream<LoadEvents.Event>.AsyncIterator, _ recorder: inout LoadRecorder
  ) async -> Bool {
    limit(.traffic, options.seconds)
    recorder.trafficBegins()
    let (hosts, group) = (hosts, group)
    pageLoop.perform { group.startTraffic() }
    hostLoop.perform { for host in hosts { host.startTraffic() } }
    var hostCuts = 0.0
    while let event = await stream.next() {
      switch event {
      case .timeUp(.traffic):
        recorder.trafficEnds()
        return false
      case .interrupted:
        recorder.trafficEnds()
        return true
      case .second:
        let (tally, recent, pages) = await sample()
        progress(recorder.sample(tally, recent, pages))
        // Hosts are cut as often as one page is.
        hostCuts += options.cuts * Double(hosts.count) / Double(max(1, options.pages + hosts.count))
        if hostCuts >= 1, let host = hosts.randomElement() {
          hostCuts -= 1
          hostLoop.perform { host.cut() }
        }
      case .timeUp, .hostReady, .hostRefused, .pageReady, .pageRefused, .drained: break
      }
    }
    return true
  }

  private func drain(
    _ stream: inout AsyncStream<LoadEvents.Event>.AsyncIterator, _ recorder: inout LoadRecorder
  ) async {
    limit(.draining, options.drainSeconds)
    let (hosts, group) = (hosts, group)
    var waiting = await result(on: pageLoop) { group.stopTraffic() } + hosts.count
    hostLoop.perform { for host in hosts { host.stopTraffic() } }
    while waiting > 0, let event = await stream.next() {
      switch event {
      case .drained: waiting -= 1
      case .timeUp(.draining): return
      case .second:
        let (tally, recent, pages) = await sample()
        progress(recorder.finishing(tally, recent, pages))
      case .timeUp, .interrupted, .hostReady, .hostRefused, .pageReady, .pageRefused: break
      }
    }
  }

  // MARK: Parts

  private func sample() async -> (LoadTally, Histogram, Int) {
    let (hosts, group) = (hosts, group)
    var (tally, recent, pages) = await result(on: pageLoop) { group.takeSample() }
    let samples = await result(on: hostLoop) { hosts.map { $0.takeSample() } }
    for each in samples {
      tally.merge(each.tally)
      recent.merge(each.recent)
    }
    return (tally, recent, pages)
  }

  private func startTicking() -> Task<Void, Never> {
    let events = events
    return Task {
      while (try? await Task.sleep(for: .seconds(1))) != nil { events.send(.second) }
    }
  }

  private func limit(_ phase: LoadEvents.Phase, _ seconds: Double) {
    let events = events
    _ = hostLoop.schedule(after: .seconds(seconds)) { events.send(.timeUp(phase)) }
  }

  private func refused(_ who: String, _ code: UInt16, _ reason: String) -> LoadError {
    LoadError(
      .connectFailed, "\(who) could not connect to \(options.relay)", context: "code \(code), \(reason)")
  }

  private func result<Value: Sendable>(
    on loop: ServiceLoop, _ work: @escaping @Sendable () -> Value
  ) async -> Value {
    await withCheckedContinuation { continuation in
      loop.perform { continuation.resume(returning: work()) }
    }
  }
}
