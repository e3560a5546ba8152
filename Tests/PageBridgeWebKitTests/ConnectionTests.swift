import PageBridgeTesting
import Testing

@testable import PageBridgeWebKit

@MainActor
@Suite struct ConnectionTests {
  @Test func aLostConnectionComesBackAtOnceAndKeepsItsSessions() async {
    let fixture = Fixture()
    await fixture.start()
    fixture.relay.advance(by: .seconds(1))
    let page = await fixture.open()
    fixture.relay.cutHosts()
    await fixture.relay.settle()
    #expect(!fixture.host.isConnected)
    #expect(page.state == .away)
    fixture.relay.advance(by: .zero)
    await fixture.relay.settle()
    #expect(fixture.host.isConnected)
    #expect(page.state == .attached)
    #expect(fixture.scenes.count == 1)
  }

  @Test func aRestartedRelayIsFoundWithinASecondOnThisMachine() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    fixture.relay.setReachable(false)
    fixture.relay.restart()
    await fixture.relay.settle()
    for _ in 0..<20 {
      fixture.relay.advance(by: .seconds(1))
      await fixture.relay.settle()
    }
    #expect(!fixture.host.isConnected)
    fixture.relay.setReachable(true)
    page.open()
    await fixture.relay.settle()
    fixture.relay.advance(by: .seconds(1))
    await fixture.relay.settle()
    #expect(fixture.host.isConnected)
    #expect(page.state == .attached)
    #expect(fixture.scenes.count == 1)
    page.post(1, to: "log")
    await fixture.relay.settle()
    #expect(fixture.recorder.bodies == [1])
  }

  @Test func waitsGrowToTheirCapAndStartAtOnce() {
    var policy = ReconnectPolicy(cap: .seconds(10))
    #expect(policy.next(random: 1) == .zero)
    #expect(policy.next(random: 1) == .milliseconds(200))
    #expect(policy.next(random: 0.5) == .milliseconds(200))
    for _ in 0..<100 { _ = policy.next(random: 1) }
    #expect(policy.next(random: 1) == .seconds(10))
    #expect(policy.next(random: 0) == .zero)
    policy.reset()
    #expect(policy.next(random: 1) == .zero)
  }

  @Test func aRelayThatThrowsTheHostOutIsNotAskedInALoop() async {
    let fixture = Fixture()
    await fixture.start()
    // Each connection is lost before it has proved itself: only the first retry is at once.
    for _ in 0..<3 {
      fixture.relay.cutHosts()
      await fixture.relay.settle()
      fixture.relay.advance(by: .zero)
      await fixture.relay.settle()
    }
    #expect(!fixture.host.isConnected)
  }

  @Test func aHostThatIsRefusedForGoodStopsWithTheCode() async throws {
    let relay = SimulatedRelay()
    let host = relay.makeHost(app: "test")
    let running = Task { @MainActor in try await host.run { _ in nil } }
    await relay.settle()
    relay.closeHosts(code: CloseCode.wrongApp.rawValue, reason: "no such app")
    let error = await #expect(throws: WebViewHostError.self) { try await running.value }
    #expect(error?.code == CloseCode.wrongApp.rawValue)
    #expect(host.state == .refused(code: CloseCode.wrongApp.rawValue, reason: "no such app"))
    await #expect(throws: WebViewHostError.self) { try await host.connected() }
  }

  @Test func stopEndsTheInstanceAndReturnsWhenItIsDone() async throws {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    var codes: [WKError.Code?] = []
    page.onEvaluate { _ in nil }
    fixture.view.evaluateJavaScript("1") { _, error in codes.append((error as? WKError)?.code) }
    let running = Task { @MainActor in try await fixture.host.run { _ in nil } }
    await fixture.relay.settle()
    await fixture.host.stop()
    try await running.value
    #expect(fixture.host.state == .stopped)
    #expect(codes == [.webContentProcessTerminated])
    await fixture.relay.settle()
    #expect(page.state == .ended)
    await fixture.host.stop()
  }

  @Test func theStateFileKeepsTheInstanceForTheUserAlone() async throws {
    let file = TemporaryFile(name: "state/host.json")
    var options = WebViewHost.Options()
    options.stateFile = file.url
    let fixture = Fixture(options: options)
    await fixture.start()
    let attributes = try FileManager.default.attributesOfItem(atPath: file.url.path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    let identity = try #require(HostState.load(from: file.url)).identity
    #expect(Identifiers.isInstance(identity.instance))
    let view = WKWebView(frame: .zero, configuration: WKWebViewConfiguration(), host: fixture.host)
    #expect(view.sessionID.hasPrefix(identity.instance))
    #expect(try FileManager.default.contentsOfDirectory(atPath: file.folder.path + "/state") == ["host.json"])
  }

  @Test func aKeyThatTheRelayRefusesIsGivenUp() async throws {
    let file = TemporaryFile()
    let identity = HostIdentity(instance: "iiiiiiiiiii", key: "of another relay")
    try HostState(identity: identity).save(to: file.url)
    var options = WebViewHost.Options()
    options.stateFile = file.url
    let fixture = Fixture(options: options)
    await fixture.start()
    fixture.relay.advance(by: .zero)
    await fixture.relay.settle()
    #expect(fixture.host.isConnected)
    #expect(HostState.load(from: file.url)?.identity.instance != "iiiiiiiiiii")
  }

  @Test func anInstanceThatIsLostEndsItsSessions() async {
    let fixture = Fixture()
    await fixture.start()
    fixture.relay.advance(by: .seconds(1))
    _ = await fixture.open()
    fixture.recorder.events = []
    fixture.relay.closeHosts(code: CloseCode.wrongKey.rawValue)
    await fixture.relay.settle()
    fixture.relay.advance(by: .zero)
    await fixture.relay.settle()
    #expect(fixture.host.isConnected)
    #expect(fixture.recorder.events == ["didTerminate"])
  }

  @Test func pagesThatCameBeforeTheHostAreServedWhenItComes() async {
    let fixture = Fixture()
    let page = fixture.relay.makePage(app: "test")
    page.open()
    await fixture.relay.settle()
    #expect(page.state == .waiting)
    await fixture.start()
    #expect(page.state == .attached)
    #expect(page.handlers == ["log"])
  }

  @Test func eventsTellWhatHappened() async throws {
    let file = TemporaryFile()
    var options = WebViewHost.Options()
    options.eventsFile = file.url
    let fixture = Fixture(options: options)
    await fixture.start()
    let page = await fixture.open()
    page.post(["type": "init"], to: "log")
    fixture.relay.refuse(app: "test", reason: "origin refused", origin: "http://evil.example")
    await fixture.relay.settle()
    fixture.host.events.record("state", ["key": "isFullscreen", "value": true], session: page.session)
    fixture.view.frame = CGRect(x: 0, y: 100, width: 390, height: 300)
    fixture.scene.screen.requestOrientation(.landscape)
    fixture.scene.screen.navigationBar.isHidden = false
    page.leave()
    await fixture.relay.settle()
    fixture.relay.advance(by: .seconds(10))
    await fixture.relay.settle()
    await fixture.host.stop()
    let events = try file.events()
    let names = events.compactMap { $0["event"]?.string }
    for name in [
      "connected", "open", "attached", "message", "navigation", "refused", "state", "frame", "orientation",
      "bars", "away", "ended", "disconnected",
    ] {
      #expect(names.contains(name), "\(name)")
    }
    let times = events.compactMap { $0["time"]?.number }
    #expect(times.count == events.count)
    #expect(times == times.sorted())
    let message = try #require(events.first { $0["event"] == "message" })
    #expect(message["name"] == "log")
    #expect((message["bytes"]?.number ?? 0) > 0)
    #expect(message["session"]?.string == page.session)
    #expect(events.first { $0["event"] == "frame" }?["y"] == 100)
    #expect(events.first { $0["event"] == "refused" }?["origin"] == "http://evil.example")
    let state = try #require(events.first { $0["event"] == "state" && $0["key"] == "isFullscreen" })
    #expect(state["value"] == true)
    #expect(events.first { $0["event"] == "orientation" }?["value"] == "landscape")
  }

  @Test func theVisitorsNameOfTheRelayIsUsedForContent() {
    let relay = URL(string: "http://127.0.0.1:8080")!
    func origin(_ url: String) -> String {
      RelayAddress.contentOrigin(relay: relay, seenFrom: URL(string: url))
    }
    #expect(origin("http://localhost:8080/view/x") == "http://localhost:8080")
    #expect(origin("http://localhost:9000/page") == "http://127.0.0.1:8080")
    #expect(origin("http://example.com:8080/page") == "http://127.0.0.1:8080")
    #expect(origin("about:blank") == "http://127.0.0.1:8080")
    #expect(RelayAddress.socket(of: URL(string: "https://a.example/x")!, app: "p") == "wss://a.example/ws/p")
    #expect(RelayAddress.defaultReconnectCap(relay) == .seconds(1))
    #expect(RelayAddress.defaultReconnectCap(URL(string: "wss://a.example")!) == .seconds(10))
  }
}
