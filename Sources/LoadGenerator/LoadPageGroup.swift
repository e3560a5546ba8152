import BridgeProtocol
import WebSocketTransport

/// All simulated pages of one loop, with the timer and the histogram that they share.
///
/// `@unchecked Sendable`: after `init` it is touched only on its loop's thread.
final class LoadPageGroup: @unchecked Sendable {
  private let loop: ServiceLoop
  private let configuration: WebSocketClientConfiguration
  private var pages: [LoadPage] = []
  private var nextToConnect = 0
  private var roundTrips = Histogram()
  private var sweep: TimerToken?

  /// Connections that may be under way at once.
  private static let connectsAtOnce = 64

  init(loop: ServiceLoop, configuration: WebSocketClientConfiguration) {
    self.loop = loop
    self.configuration = configuration
  }

  func start(indices: [Int], options: LoadOptions, events: LoadEvents) {
    pages = indices.map { LoadPage(index: $0, options: options, events: events, group: self) }
    for _ in 0..<Self.connectsAtOnce { connectNext() }
    scheduleSweep()
  }

  /// One page is ready: the next one may connect.
  func connectNext() {
    guard nextToConnect < pages.count else { return }
    nextToConnect += 1
    pages[nextToConnect - 1].connect(configuration, loop: loop)
  }

  func record(_ duration: Duration) {
    let parts = duration.components
    roundTrips.record(UInt64(parts.seconds) * 1_000_000_000 + UInt64(parts.attoseconds / 1_000_000_000))
  }

  func startPosting() {
    for page in pages { page.startPosting() }
  }

  func stopPosting() {
    for page in pages { page.stopPosting() }
  }

  func close() {
    sweep?.cancel()
    sweep = nil
    for page in pages { page.close() }
  }

  var tally: LoadTally {
    var tally = LoadTally(roundTrips: roundTrips)
    for page in pages { tally.merge(page.tally) }
    return tally
  }

  private func scheduleSweep() {
    sweep = loop.schedule(after: Limits.acknowledgeDelay) { [weak self] in
      guard let self, self.sweep != nil else { return }
      for page in self.pages { page.sweep() }
      self.scheduleSweep()
    }
  }
}
