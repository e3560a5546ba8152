import LoadGenerator
import Relay
import Testing

@Suite struct LoadRunTests {
  @Test func everyEchoComesBackOnceInOrderAndIntact() async throws {
    let relay = try RelayServer(RelayConfiguration.loopback())
    try relay.start()
    defer { relay.stop() }
    var options = LoadOptions()
    options.relay = "ws://127.0.0.1:\(relay.port)"
    options.pages = 20
    options.hosts = 2
    options.seconds = 0.3
    options.depth = 3
    let report = try await LoadGenerator.run(options)
    #expect(report.isClean)
    #expect(report.messages > 100)
    #expect(report.disconnects == 0)
  }

  @Test func bodiesThatTakePartsComeBackIntact() async throws {
    let relay = try RelayServer(RelayConfiguration.loopback())
    try relay.start()
    defer { relay.stop() }
    var options = LoadOptions()
    options.relay = "ws://127.0.0.1:\(relay.port)"
    options.pages = 3
    options.seconds = 0.3
    options.bodyBytes = 200_000
    let report = try await LoadGenerator.run(options)
    #expect(report.isClean)
  }

  @Test func aRelayThatIsNotThereIsOneClearError() async throws {
    let relay = try RelayServer(RelayConfiguration.loopback())
    try relay.start()
    var options = LoadOptions()
    options.relay = "ws://127.0.0.1:\(relay.port)"
    relay.stop()
    let error = await #expect(throws: LoadError.self) { _ = try await LoadGenerator.run(options) }
    #expect(error?.code == .connectFailed)
  }

  @Test(arguments: [0, 100_001]) func pagesOutOfRangeAreRefusedWithTheirBounds(pages: Int) async {
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
