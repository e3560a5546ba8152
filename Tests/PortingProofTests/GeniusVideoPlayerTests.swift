import PageBridgeTesting
import PageBridgeWebKit
import Testing

@MainActor
struct GeniusVideoPlayerTests {
  private let template =
    "<html><head><title>t</title></head><body>{{fixtureId}} {{playerWidth}}</body></html>"

  private func open() async -> (ProofFixture<VideoPlayerViewController>, SimulatedPage) {
    let fixture = ProofFixture {
      VideoPlayerViewController(screen: $0.screen, template: template)
    }
    let page = await fixture.open()
    return (fixture, page)
  }

  @Test func templateIsLoadedAsAString() async throws {
    let (fixture, page) = await open()
    fixture.app.loadVideo(VideoPlayerConfiguration(fixtureId: "a&b"))
    await fixture.relay.settle()
    let session = try #require(page.session)
    let path = try #require(page.url.firstRange(of: "/s/\(session)/")).lowerBound
    let text = await fixture.relay.get(String(page.url[path...])).text
    #expect(text.contains("a%26b 100vw"))
    #expect(text.contains("<base href=\"https://www.example.com\">"))
    #expect(fixture.app.webView.url?.absoluteString == "https://www.example.com")
  }

  @Test func playersMessagesDriveTheController() async {
    let (fixture, page) = await open()
    #expect(page.handlers == ["gsVideoPlayerBridge"])
    let name = "gsVideoPlayerBridge"
    for body: WireValue in ["init", 5, nil, ["payload": [:]], ["type": 5]] {
      await fixture.post(page, body, to: name)
    }
    #expect(fixture.app.messageHandler.refusedMessages == 5)
    #expect(!fixture.app.isVideoPlayerReady)
    await fixture.post(page, ["type": "init"], to: name)
    #expect(fixture.app.isVideoPlayerReady)
    #expect(!fixture.app.isFullscreen)
    await fixture.post(page, ["type": "toggleFullscreen", "payload": nil], to: name)
    #expect(fixture.app.isFullscreen)
    #expect(fixture.app.webView.frame == fixture.app.webView.screen?.bounds)
    #expect(fixture.scripts.sources.last?.contains("add('full-screen')") == true)
    await fixture.post(
      page,
      [
        "type": "multibet-event",
        "payload": ["command": "addToBetslip", "marketId": "GM-88", "decimalPrice": 2.35],
      ],
      to: name)
    #expect(!fixture.app.betslip.isHidden)
    #expect(fixture.app.betslip.text == "marketId: GM-88\ndecimalPrice: 2.35")
    await fixture.post(
      page,
      [
        "type": "betslip-container-dimensions",
        "payload": ["top": 12, "left": 640.5, "width": 280, "height": 320],
      ], to: name)
    #expect(fixture.app.betslip.frame == CGRect(x: 640.5, y: 12, width: 280, height: 320))
  }

  @Test func screenDrivesTheControllerOnceThePlayerIsReady() async {
    let (fixture, page) = await open()
    page.send("state", ["size": ["width": 900, "height": 400]])
    await fixture.relay.settle()
    #expect(!fixture.app.isFullscreen)
    await fixture.post(page, ["type": "init"], to: "gsVideoPlayerBridge")
    #expect(fixture.app.isFullscreen)
    page.send("state", ["size": ["width": 400, "height": 900]])
    await fixture.relay.settle()
    #expect(!fixture.app.isFullscreen)
    #expect(fixture.app.webView.frame == CGRect(x: 0, y: 100, width: 400, height: 300))
    page.send("state", ["visibility": "hidden"])
    await fixture.relay.settle()
    #expect(fixture.scripts.sources.last == "window.GeniusLivePlayer?.player?.close()")
  }

  @Test func failuresAndPoliciesReachTheDelegate() async {
    let (fixture, page) = await open()
    #expect(await !fixture.isAllowed(page, "http://127.0.0.1:8080/other"))
    fixture.scripts.answer("full-screen") { throw ScriptException("TypeError: x is null") }
    await fixture.post(page, ["type": "toggleFullscreen"], to: "gsVideoPlayerBridge")
    #expect((fixture.app.failures.last as? WKError)?.code == .javaScriptExceptionOccurred)
    await fixture.navigate(page, "started", "http://127.0.0.1:1/")
    await fixture.navigate(page, "failed", "http://127.0.0.1:1/", error: (-1004, "no"))
    #expect((fixture.app.failures.last as? URLError)?.code == .cannotConnectToHost)
  }
}
