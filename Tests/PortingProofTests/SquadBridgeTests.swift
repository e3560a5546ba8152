import PageBridgeTesting
import PageBridgeWebKit
import Testing

@MainActor
struct SquadBridgeTests {
  private let name = "squadBridge"
  private let url = "http://127.0.0.1:8080/squad"

  private func open() async -> (ProofFixture<SquadWebViewController>, SimulatedPage) {
    let fixture = ProofFixture { [url] scene in
      SquadWebViewController(screen: scene.screen, url: URL(string: url)!)
    }
    let page = await fixture.open()
    return (fixture, page)
  }

  @Test func pageIsLoadedWithHandlerObjectAndPolicy() async throws {
    let (fixture, page) = await open()
    #expect(page.url == url)
    #expect(page.handlers == [name])
    #expect(page.settings["mediaTypesRequiringUserActionForPlayback"] == [])
    let script = try #require(page.script)
    let text = await fixture.relay.get(script).text
    #expect(text.contains("window.squadBridge") && text.contains("https://*.squadforsports.com"))
  }

  @Test func messagesReachTheirHandlers() async {
    let (fixture, page) = await open()
    await fixture.post(page, ["type": "call", "data": ["action": "start", "callId": "c-1"]], to: name)
    await fixture.post(page, ["type": "navigation", "data": ["route": "/home"]], to: name)
    await fixture.post(page, ["type": "error", "data": ["code": "INVALID_TOKEN"]], to: name)
    #expect(fixture.app.received == ["call c-1", "navigation", "error INVALID_TOKEN"])
  }

  @Test func refusedMessagesAreLoggedAndTheBridgeGoesOn() async {
    let (fixture, page) = await open()
    for body: WireValue in ["call", 7, nil, [1]] { await fixture.post(page, body, to: name) }
    #expect(fixture.app.log.isEmpty)
    await fixture.post(page, ["type": "reaction", "data": [:]], to: name)
    await fixture.post(page, ["type": "call", "data": ["action": "start", "callId": 1]], to: name)
    #expect(fixture.app.log == ["Unknown message type: reaction", "Unknown message type: call"])
    await fixture.post(page, ["type": "call", "data": ["action": "end", "callId": "c-1"]], to: name)
    #expect(fixture.app.received == ["call c-1"])
  }

  @Test func messagesToThePageAreSentAndFailuresLogged() async {
    let (fixture, _) = await open()
    fixture.app.bridge.send(["type": "call", "data": ["callId": "c-2"]])
    await fixture.relay.settle()
    #expect(fixture.scripts.sources.last?.hasPrefix("window.squadBridge.handleNativeMessage({") == true)
    fixture.scripts.answer("handleNativeMessage") { throw ScriptException("TypeError: x is not a function") }
    fixture.app.bridge.send(["type": "state"])
    await fixture.relay.settle()
    fixture.app.bridge.send(["when": Date()])
    #expect(fixture.app.log.count == 2)
    #expect(fixture.app.log.allSatisfy { $0.hasPrefix("Bridge error: ") })
  }

  @Test func statesFollowTheNavigation() async {
    let (fixture, page) = await open()
    guard case .ready = fixture.app.state else { return #expect(Bool(false), "not ready") }
    await fixture.navigate(page, "started", url + "/next")
    guard case .loading = fixture.app.state else { return #expect(Bool(false), "not loading") }
    await fixture.navigate(page, "failed", url + "/next", error: (-1009, "offline"))
    #expect(fixture.app.webView.screen?.nativeViews.first?.text == "You are offline")
    await fixture.navigate(page, "started", url + "/next")
    await fixture.navigate(page, "failed", url + "/next", error: (-1004, "Could not connect to the server."))
    #expect(fixture.app.webView.screen?.nativeViews.first?.text == "Could not connect to the server.")
  }

  @Test func timedOutLoadIsTriedAgain() async {
    let (fixture, page) = await open()
    await fixture.navigate(page, "started", url + "/next")
    await fixture.navigate(page, "failed", url + "/next", error: (-1001, "timed out"))
    #expect(page.received.count { $0.method == "load" } == 2)
    guard case .ready = fixture.app.state else { return #expect(Bool(false), "not ready") }
  }

  @Test func onlySecureAddressesAreAllowed() async {
    let (fixture, page) = await open()
    #expect(await fixture.isAllowed(page, "https://app.squadforsports.com/"))
    #expect(await !fixture.isAllowed(page, "http://app.squadforsports.com/"))
  }

  @Test func observersFollowTheScreen() async {
    let fixture = ProofFixture { [url] scene in
      SquadWebViewController(screen: scene.screen, url: URL(string: url)!)
    }
    var options = SimulatedPage.Options()
    options.isScreen = true
    let viewer = await fixture.open(options)
    // The app is made once the viewer has told of its screen.
    await fixture.post(viewer, ["type": "metrics", "width": 390, "height": 844], to: "pagebridgeScreen")
    #expect(fixture.app.observers.count == 1)
    await fixture.post(viewer, ["type": "memoryWarning"], to: "pagebridgeScreen")
    await fixture.post(viewer, ["type": "disappear"], to: "pagebridgeScreen")
    #expect(fixture.app.observers.isEmpty)
    #expect(fixture.app.log == ["Memory warning"])
  }
}
