import Foundation
import Relay
import Synchronization
import Testing

@testable import LoadGenerator

@Suite struct LoadRunTests {
  /// A relay of the test's own.
  private func startRelay() throws -> RelayServer {
    let relay = try RelayServer(RelayConfiguration.loopback())
    try relay.start()
    return relay
  }

  private func options(at relay: RelayServer) -> LoadOptions {
    var options = LoadOptions()
    options.relay = "ws://127.0.0.1:\(relay.port)"
    return options
  }

  @Test func everyEchoComesBackOnceInOrderAndIntact() async throws {
    let relay = try startRelay()
    defer { relay.stop() }
    var options = options(at: relay)
    options.pages = 20
    options.hosts = 2
    options.seconds = 0.3
    options.depth = 3
    let report = try await LoadGenerator.run(options)
    #expect(report.isClean, "\(report.text)")
    #expect(report.messages > 100)
    #expect(report.disconnects == 0)
  }

  @Test func bodiesThatTakePartsComeBackIntact() async throws {
    let relay = try startRelay()
    defer { relay.stop() }
    var options = options(at: relay)
    options.pages = 3
    options.seconds = 0.3
    options.bodyBytes = [200_000]
    let report = try await LoadGenerator.run(options)
    #expect(report.isClean, "\(report.text)")
  }

  @Test(arguments: LoadMode.allCases)
  func everyModeChecksWhatItSends(mode: LoadMode) async throws {
    let relay = try startRelay()
    defer { relay.stop() }
    var options = options(at: relay)
    options.pages = 10
    options.hosts = 2
    options.mode = mode
    options.seconds = 0.3
    options.rate = 500
    let report = try await LoadGenerator.run(options)
    #expect(report.isClean, "\(report.text)")
    #expect(report.messages > 20)
    #expect((report.roundTrip.count > 0) == (mode != .flood))
    #expect(report.mode == mode.rawValue)
  }

  @Test(arguments: [LoadMode.echo, .flood, .evaluate, .mix])
  func cutsAndChangingPagesLoseNothing(mode: LoadMode) async throws {
    let relay = try startRelay()
    defer { relay.stop() }
    var options = options(at: relay)
    options.pages = 20
    options.mode = mode
    options.seconds = 1.5
    options.rampSeconds = 0.1
    options.cuts = 60
    options.churn = 20
    options.depth = 4
    let report = try await LoadGenerator.run(options)
    #expect(report.isClean, "\(report.text)")
    #expect(report.cuts > 5 && report.resumes > 5)
    #expect(report.replacedPages > 3)
    #expect(report.disconnects == 0)
  }

  @Test func whatTheOtherSideDidNotExpectIsAFault() async throws {
    let relay = try startRelay()
    defer { relay.stop() }
    var hosts = options(at: relay)
    hosts.pages = 0
    hosts.seconds = 60
    hosts.bodyBytes = [10]
    var pages = hosts
    pages.pages = 3
    pages.hosts = 0
    pages.seconds = 0.3
    pages.bodyBytes = [11]
    let (hostOptions, stop) = (hosts, LoadStop())
    async let hostReport = LoadGenerator.run(hostOptions, stop: stop)
    let pageReport = try await LoadGenerator.run(pages)
    stop()
    let found = try await hostReport
    // The answers are what the pages posted; the hosts expected bodies of another size.
    #expect(pageReport.isClean && pageReport.messages > 0)
    #expect(found.corrupted > 0 && !found.isClean && found.isInterrupted)
    #expect(found.text.contains("FAILED"))
  }

  @Test func aReportShowsItsFiguresAsTextJSONAndPage() async throws {
    let relay = try startRelay()
    defer { relay.stop() }
    var options = options(at: relay)
    options.pages = 5
    options.seconds = 2.5
    options.processID = Int(getpid())
    let seen = Mutex<[LoadProgress]>([])
    let report = try await LoadGenerator.run(options) { progress in seen.withLock { $0.append(progress) } }
    #expect(report.samples.count >= 1)
    #expect(report.usage.map { $0.cpuSeconds > 0 && $0.residentBytesMaximum > 1_000_000 } == true)
    #expect(report.histogram.reduce(0) { $0 + $1.count } == report.roundTrip.count)
    #expect(report.text.contains("p99.9"))
    let decoded = try JSONDecoder().decode(LoadReport.self, from: Data(report.json.utf8))
    #expect(decoded.messages == report.messages)
    #expect(report.html.contains("<svg") && report.html.contains(LoadFormat.grouped(report.messages)))
    #expect(!report.html.contains("http://") && !report.html.contains("https://"))
    #expect(seen.withLock { $0.contains { $0.phase == .traffic && $0.messagesPerSecond > 0 } })
  }

  @Test func aRelayThatIsNotThereIsOneClearError() async throws {
    let relay = try RelayServer(RelayConfiguration.loopback())
    try relay.start()
    let options = options(at: relay)
    relay.stop()
    let error = await #expect(throws: LoadError.self) { _ = try await LoadGenerator.run(options) }
    #expect(error?.code == .connectFailed)
  }

  @Test(arguments: [-1, 100_001]) func pagesOutOfRangeAreRefusedWithTheirBounds(pages: Int) async {
    var options = LoadOptions()
    options.pages = pages
    let error = await #expect(throws: LoadError.self) { _ = try await LoadGenerator.run(options) }
    #expect(error?.code == .badOption)
    #expect(error?.context.contains("100000") == true)
  }
}

extension RelayConfiguration {
  /// A relay of this test's own on a free loopback port.
  static func loopback() -> RelayConfiguration {
    var configuration = RelayConfiguration(secret: Array("a secret of this test's own".utf8))
    configuration.listen = ("127.0.0.1", 0)
    return configuration
  }
}
