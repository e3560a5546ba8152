/// Gathers what a run sees, second by second, and makes the report of it.
struct LoadRecorder {
  private let options: LoadOptions
  private var phaseStart = LoadClock.now
  private var connectSeconds = 0.0
  private var trafficStart: UInt64?
  private var trafficEnd: UInt64?
  private var samples: [LoadReport.Sample] = []
  private var lastTime: UInt64 = 0
  private var lastMessages: UInt64 = 0
  private var usageAtStart: ProcessUsage?
  private var lastUsage: ProcessUsage?
  private var residentMaximum: UInt64 = 0
  private var tally = LoadTally()

  /// So many seconds are kept one by one; a longer run keeps every second one, then every fourth, and so on.
  private static let maxSamples = 7_200

  init(options: LoadOptions) {
    self.options = options
  }

  mutating func connectingBegins() {
    phaseStart = LoadClock.now
  }

  func connecting(_ pages: Int) -> LoadProgress {
    LoadProgress(
      phase: .connecting, elapsed: elapsed, length: options.rampSeconds > 0 ? options.rampSeconds : nil,
      pages: pages, wantedPages: options.pages)
  }

  mutating func connected() {
    connectSeconds = elapsed
  }

  mutating func trafficBegins() {
    phaseStart = LoadClock.now
    trafficStart = phaseStart
    lastTime = phaseStart
    usageAtStart = options.processID.flatMap { ProcessUsage(processID: $0) }
    lastUsage = usageAtStart
  }

  mutating func trafficEnds() {
    trafficEnd = LoadClock.now
    note(usage: options.processID.flatMap { ProcessUsage(processID: $0) })
    phaseStart = LoadClock.now
  }

  mutating func sample(_ tally: LoadTally, _ recent: Histogram, _ pages: Int) -> LoadProgress {
    let now = LoadClock.now
    let passed = max(Double(now - lastTime) / 1e9, 0.001)
    let earlier = lastUsage
    let usage = options.processID.flatMap { ProcessUsage(processID: $0) }
    note(usage: usage)
    let rate = Double(tally.messages - lastMessages) / passed
    let latency = LoadReport.Latency(recent)
    samples.append(
      LoadReport.Sample(
        second: elapsed, messagesPerSecond: rate, p50Microseconds: latency.p50, p99Microseconds: latency.p99,
        pages: pages,
        cpu: usage.flatMap { now in earlier.map { (now.cpuSeconds - $0.cpuSeconds) / passed } },
        residentBytes: usage?.residentBytes))
    if samples.count > Self.maxSamples {
      samples = samples.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
    }
    lastTime = now
    lastMessages = tally.messages
    return progress(.traffic, tally, latency, pages, rate, options.seconds)
  }

  func finishing(_ tally: LoadTally, _ recent: Histogram, _ pages: Int) -> LoadProgress {
    progress(.finishing, tally, LoadReport.Latency(recent), pages, 0, options.drainSeconds)
  }

  mutating func finish(_ tally: LoadTally, _ recent: Histogram, _ pages: Int) {
    self.tally = tally
    if samples.isEmpty, trafficStart != nil { _ = sample(tally, recent, pages) }
  }

  func report(isInterrupted: Bool) -> LoadReport {
    let seconds = trafficStart.map { Double((trafficEnd ?? LoadClock.now) - $0) / 1e9 } ?? 0
    return LoadReport(
      mode: options.mode.rawValue, pages: options.pages, hosts: options.hosts, seconds: seconds,
      connectSeconds: connectSeconds, isInterrupted: isInterrupted, messages: tally.messages,
      messagesPerSecond: seconds > 0 ? Double(tally.messages) / seconds : 0,
      roundTrip: LoadReport.Latency(tally.roundTrips), lost: tally.lost, doubled: tally.doubled,
      reordered: tally.reordered, corrupted: tally.corrupted, skipped: tally.skipped,
      disconnects: tally.disconnects, cuts: tally.cuts, resumes: tally.resumes,
      replacedPages: tally.replacedPages, usage: usage, samples: samples,
      histogram: tally.roundTrips.buckets.map {
        LoadReport.Bucket(microseconds: Double($0.upperBound) / 1_000, count: $0.count)
      })
  }

  private var elapsed: Double { Double(LoadClock.now - phaseStart) / 1e9 }

  private var usage: LoadReport.Usage? {
    guard let id = options.processID, let first = usageAtStart, let last = lastUsage else { return nil }
    let seconds = last.cpuSeconds - first.cpuSeconds
    return LoadReport.Usage(
      processID: id, cpuSeconds: seconds,
      cpuMicrosecondsPerMessage: tally.messages > 0 ? seconds * 1e6 / Double(tally.messages) : 0,
      residentBytes: last.residentBytes, residentBytesMaximum: residentMaximum)
  }

  private mutating func note(usage: ProcessUsage?) {
    guard let usage else { return }
    lastUsage = usage
    residentMaximum = max(residentMaximum, usage.residentBytes)
  }

  private func progress(
    _ phase: LoadProgress.Phase, _ tally: LoadTally, _ latency: LoadReport.Latency, _ pages: Int,
    _ rate: Double,
    _ length: Double
  ) -> LoadProgress {
    LoadProgress(
      phase: phase, elapsed: elapsed, length: length, pages: pages, wantedPages: options.pages,
      messagesPerSecond: rate, p50Microseconds: latency.p50, p99Microseconds: latency.p99,
      faults: tally.doubled + tally.reordered + tally.corrupted, disconnects: tally.disconnects)
  }
}
