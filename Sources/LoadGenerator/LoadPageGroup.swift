import BridgeProtocol
import WebSocketTransport

/// All simulated pages of one loop, with the clock, the histogram and the dice that they share.
///
/// `@unchecked Sendable`: after `init` it is touched only on its loop's thread.
final class LoadPageGroup: LoadCrowd, @unchecked Sendable {
  let loop: ServiceLoop
  let options: LoadOptions
  let events: LoadEvents
  let bodies: MessageBodies
  private let left: LeftPages
  private let url: WebSocketURL
  private var pages: [LoadPage] = []
  /// Pages that were asked to leave and still have something under way.
  private var leaving: [ObjectIdentifier: LoadPage] = [:]
  private var started = 0
  private var connected = 0
  private var total: LoadTally
  /// Round trips since the last sample.
  private var recent = Histogram()
  private var sweep: TimerToken?
  private var clock: TimerToken?
  private var connectStart: UInt64 = 0
  private var lastTick: UInt64 = 0
  private var trafficStart: UInt64?
  private var paced: UInt64 = 0
  private var cutDebt = 0.0
  private var churnDebt = 0.0

  /// Connections that may be under way at once.
  private static let connectsAtOnce = 64
  /// How often the clock looks what is due.
  private static let tick = Duration.milliseconds(2)
  /// Pages that share one source address: less than the system's range of ports for one.
  static let pagesOfAnAddress = 25_000

  /// Whether pages talk: from the last one's connection to the end.
  var isFlowing: Bool { trafficStart != nil }

  init(
    loop: ServiceLoop, options: LoadOptions, url: WebSocketURL, events: LoadEvents, left: LeftPages
  ) {
    self.loop = loop
    self.left = left
    self.options = options
    self.url = url
    self.events = events
    bodies = MessageBodies(options)
    total = LoadTally()
  }

  /// What a page connects with. On loopback each 25,000 pages have a source address of their own, as one address has ports
  /// for some 28,000 connections only.
  func configuration(forPage index: Int) -> WebSocketClientConfiguration {
    var configuration = WebSocketClientConfiguration(
      url: url, subprotocol: BridgeWire.subprotocol, connectTimeout: .seconds(options.connectSeconds))
    if url.host.hasPrefix("127.") {
      let place = (index - options.part.firstPage) % LoadOptions.pagesRange.upperBound / Self.pagesOfAnAddress
      configuration.localAddress = options.part.loopbackAddress(place)
    }
    return configuration
  }

  func start() {
    connectStart = LoadClock.now
    lastTick = connectStart
    if options.rampSeconds == 0 {
      for _ in 0..<Self.connectsAtOnce { connectNext() }
    }
    scheduleSweep()
    scheduleClock()
  }

  private func connectNext() {
    guard started < options.pages else { return }
    addPage()
  }

  private func addPage() {
    let page = LoadPage(index: options.part.firstPage + started, group: self)
    started += 1
    pages.append(page)
    page.connect()
  }

  func isReady(_ page: LoadPage) {
    connected += 1
    if trafficStart != nil {
      page.startPosting()
    } else {
      events.send(.pageReady)
      if options.rampSeconds == 0 { connectNext() }
    }
  }

  func isDrained(_ page: LoadPage) {
    if leaving.removeValue(forKey: ObjectIdentifier(page)) != nil {
      retire(page)
      addPage()
    } else {
      events.send(.drained)
    }
  }

  private func retire(_ page: LoadPage) {
    left.insert(page.document)
    page.leave()
    var tally = page.tally
    tally.replacedPages = 1
    total.merge(tally)
  }

  /// Brings a page back that lost its socket: soon, at a random time, later when it fails again.
  func reconnect(_ page: LoadPage, attempt: Int) {
    let longest = Double(min(100 << min(attempt, 5), 2_000))
    loop.schedule(after: .milliseconds(Int64(Double.random(in: 0...longest)))) { page.connect() }
  }

  func record(_ nanoseconds: UInt64) {
    total.roundTrips.record(nanoseconds)
    recent.record(nanoseconds)
  }

  func startTraffic() {
    let now = LoadClock.now
    trafficStart = now
    lastTick = now
    for page in pages { page.startPosting() }
  }

  /// Answers how many pages are to tell that they are drained.
  func stopTraffic() -> Int {
    clock?.cancel()
    clock = nil
    let pages = pages
    for page in leaving.values {
      // Nobody replaces it any more.
      self.pages.append(page)
    }
    let count = pages.count + leaving.count
    leaving = [:]
    for page in pages { page.stopPosting() }
    return count
  }

  func close() {
    sweep?.cancel()
    sweep = nil
    clock?.cancel()
    clock = nil
    for page in pages { page.leave() }
    pages = []
  }

  var tally: LoadTally {
    var tally = total
    for page in pages + leaving.values { tally.merge(page.tally) }
    return tally
  }

  /// What has happened so far, and the round trips since the last call.
  func takeSample() -> (tally: LoadTally, recent: Histogram, pages: Int) {
    defer { recent = Histogram() }
    return (tally, recent, pages.count { $0.isPosting })
  }

  // MARK: The clock

  private func scheduleSweep() {
    sweep = loop.schedule(after: Limits.acknowledgeDelay) { [weak self] in
      guard let self, self.sweep != nil else { return }
      for page in self.pages { page.sweep() }
      for page in self.leaving.values { page.sweep() }
      self.scheduleSweep()
    }
  }

  private func scheduleClock() {
    clock = loop.schedule(after: Self.tick) { [weak self] in
      guard let self, self.clock != nil else { return }
      self.act()
      self.scheduleClock()
    }
  }

  private func act() {
    let now = LoadClock.now
    let passed = Double(now - lastTick) / 1e9
    lastTick = now
    guard let trafficStart else {
      ramp(Double(now - connectStart) / 1e9)
      return
    }
    if options.mode.isOpenLoop { pace(from: trafficStart, to: now) }
    cutDebt += options.cuts * passed
    while cutDebt >= 1 {
      cutDebt -= 1
      pages.randomElement()?.cut()
    }
    churnDebt += options.churn * passed
    while churnDebt >= 1 {
      churnDebt -= 1
      replaceOne()
    }
  }

  private func ramp(_ seconds: Double) {
    guard options.rampSeconds > 0 else { return }
    let wanted = min(options.pages, Int(Double(options.pages) * seconds / options.rampSeconds) + 1)
    while started < wanted { addPage() }
  }

  /// Posts what is due by now; each message counts from its own time, so that a late clock shows.
  private func pace(from start: UInt64, to now: UInt64) {
    guard !pages.isEmpty else { return }
    let rate = options.messageRate
    let due = UInt64(Double(now - start) / 1e9 * rate)
    while paced < due {
      paced += 1
      let time = start + UInt64(Double(paced) / rate * 1e9)
      pages[Int(paced % UInt64(pages.count))].postOnce(due: time)
    }
  }

  private func replaceOne() {
    guard !pages.isEmpty else { return }
    let index = Int.random(in: pages.indices)
    let page = pages[index]
    guard page.isPosting else { return }
    pages.swapAt(index, pages.count - 1)
    pages.removeLast()
    leaving[ObjectIdentifier(page)] = page
    page.stopPosting()
  }
}
