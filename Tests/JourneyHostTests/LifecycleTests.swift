import PageBridgeTesting
import PageBridgeWebKit
import Testing

@testable import JourneyHost

/// Slots, views and hosts as they come and go.
@MainActor
struct LifecycleTests {
  private func awaiting(_ fixture: JourneyFixture) {
    let slot = fixture.bridge.documentCapture
    slot.handler = { [weak slot] _ in await slot?.awaitCompletion() ?? .cancelled(reason: "gone") }
  }

  private let picture = DocumentCaptureResult(imageData: "AA==", width: 2, height: 1, mimeType: "image/png")

  @Test func captureIsCompletedByTheUserInterface() async {
    let fixture = JourneyFixture()
    awaiting(fixture)
    let slot = fixture.bridge.documentCapture
    #expect(!slot.complete(.document(picture)))
    let page = await fixture.open()
    await fixture.ask(page, "camera.document.capture", "a")
    await fixture.ask(page, "camera.document.capture", "b")
    #expect(slot.activeRequest?.correlationId == "a")
    #expect(fixture.envelopes(page).map { $0["payload"]?["error"]?["code"] } == ["BUSY"])
    #expect(slot.complete(.document(picture)))
    #expect(!slot.complete(.cancelled(reason: "late")))
    await fixture.settle()
    #expect(slot.activeRequest == nil)
    #expect(
      fixture.envelopes(page).last?["payload"]?["data"]
        == ["height": 1, "imageData": "AA==", "mimeType": "image/png", "width": 2])
    await fixture.ask(page, "camera.document.capture", "c")
    #expect(slot.activeRequest?.correlationId == "c")
  }

  @Test func completionBeforeTheHandlerWaitsIsNotLost() async {
    let fixture = JourneyFixture()
    let slot = fixture.bridge.documentCapture
    slot.handler = { [weak slot] _ in
      slot?.complete(.cancelled(reason: "early"))
      return await slot?.awaitCompletion() ?? .cancelled(reason: "gone")
    }
    let page = await fixture.open()
    await fixture.ask(page, "camera.document.capture")
    #expect(fixture.envelopes(page).last?["payload"]?["data"] == ["reason": "early"])
  }

  @Test func pictureOfTheOtherKindIsAnError() async {
    let fixture = JourneyFixture()
    fixture.bridge.selfieCapture.handler = { [picture] _ in .document(picture) }
    let page = await fixture.open()
    await fixture.ask(page, "camera.selfie.capture")
    #expect(fixture.envelopes(page).last?["payload"]?["error"]?["code"] == "INTERNAL_ERROR")
  }

  @Test func hostThatGoesCancelsWhatIsOpen() async {
    let fixture = JourneyFixture()
    awaiting(fixture)
    let page = await fixture.open()
    await fixture.ask(page, "camera.document.capture", "a")
    await fixture.ask(page, "x", "b")
    weak let bridge = fixture.bridge
    fixture.freeBridge()
    await fixture.settle()
    #expect(bridge == nil)
    #expect(fixture.envelopes(page).map { $0["correlationId"] } == ["a", "b"])
    #expect(
      fixture.envelopes(page).allSatisfy {
        $0["payload"]?["status"] == "cancelled" && $0["payload"]?["data"] == ["reason": "Host deallocated"]
      })
  }

  @Test func viewThatGoesLeavesTheHostWithoutOne() async {
    let fixture = JourneyFixture()
    let page = await fixture.open()
    await fixture.ask(page, "x")
    #expect(fixture.bridge.isAttached)
    await fixture.freeView()
    #expect(!fixture.bridge.isAttached)
    fixture.bridge.send(event: "host.ready")
    #expect(fixture.bridge.lastError == "WebView not attached")
    #expect(fixture.bridge.pendingRequests.count == 1)
  }

  @Test func hostMovesToTheViewThatItIsGivenTo() async throws {
    let fixture = JourneyFixture()
    let first = await fixture.open()
    let old = try #require(fixture.webView)
    let second = await fixture.openPage()
    #expect(second.handlers == [BridgeHost.handlerName])
    #expect(first.handlers == [])
    fixture.bridge.send(event: "host.ready")
    await fixture.settle()
    #expect(fixture.envelopes(first).isEmpty && fixture.envelopes(second).count == 1)
    withExtendedLifetime(old) {}
  }

  @Test func viewBelongsToTheHostThatItWasGivenToLast() async throws {
    let fixture = JourneyFixture()
    let page = await fixture.open()
    let other = BridgeHost(hostVersion: "2")
    BridgeWebViewConfigurator.configure(try #require(fixture.webView), host: other)
    await fixture.settle()
    #expect(!fixture.bridge.isAttached)
    await fixture.ask(page, "capability.query")
    #expect(fixture.bridge.receivedCount == 0 && other.receivedCount == 1)
  }

  @Test func documentThatIsReplacedLeavesNothingOpen() async {
    let fixture = JourneyFixture()
    awaiting(fixture)
    let page = await fixture.open()
    await fixture.ask(page, "camera.document.capture", "a")
    await fixture.ask(page, "x", "b")
    fixture.bridge.pageDidChange()
    await fixture.settle()
    #expect(fixture.bridge.documentCapture.activeRequest == nil)
    #expect(fixture.bridge.pendingRequests.isEmpty)
    #expect(fixture.envelopes(page).isEmpty)
    // The same ids are free again.
    await fixture.ask(page, "camera.document.capture", "a")
    #expect(fixture.bridge.documentCapture.activeRequest?.correlationId == "a")
  }

  @Test func evaluationThatFailsIsAnError() async {
    let fixture = JourneyFixture()
    _ = await fixture.open()
    fixture.scripts.setFailure("TypeError: undefined is not an object")
    fixture.bridge.send(event: "host.ready")
    await fixture.settle()
    #expect(
      fixture.bridge.lastError == "JavaScript evaluation failed: TypeError: undefined is not an object")
  }

  @Test func eventsHaveIdsOfTheirOwn() async {
    let fixture = JourneyFixture()
    _ = await fixture.open()
    let ids = (1...20).map { _ in fixture.bridge.send(event: "tick") }
    #expect(Set(ids).count == 20)
    #expect(
      ids.allSatisfy { $0.hasPrefix("ios-event-") && UUID(uuidString: String($0.dropFirst(10))) != nil })
  }

  // MARK: The drop-in view

  @Test(arguments: [
    ("https://journey.example/", true), ("http://127.0.0.1:8080/", true), ("http://LOCALHOST/", true),
    ("http://[::1]/", true), ("http://journey.example/", false), ("http://127.0.0.1.evil.example/", false),
    ("file:///etc/passwd", false),
  ])
  func productionOpensSecureAddressesOnly(address: String, isOpened: Bool) throws {
    let url = try #require(URL(string: address))
    #expect((JourneyMode.production.refusal(of: url) == nil) == isOpened)
    #expect(JourneyMode.development.refusal(of: url) == nil)
  }

  @Test func addressThatChangesIsLoadedOnce() async throws {
    let relay = SimulatedRelay()
    let host = relay.makeHost(app: "journey")
    let bridge = BridgeHost(hostVersion: "1")
    var view: BridgeWebView?
    host.start { _ in
      view = BridgeWebView(url: URL(string: "http://127.0.0.1:8080/one")!, host: bridge)
      return view
    }
    let page = relay.makePage(app: "journey")
    page.open()
    await relay.settle()
    #expect(page.url == "http://127.0.0.1:8080/one")
    for _ in 1...2 {
      view?.url = URL(string: "http://127.0.0.1:8080/two")!
      await relay.settle()
    }
    #expect(page.url == "http://127.0.0.1:8080/two")
    #expect(page.received.count { $0.method == "load" } == 2)
    view?.url = URL(string: "http://journey.example/")!
    #expect(bridge.lastError?.hasPrefix("Journey refused: ") == true)
    #expect(page.url == "http://127.0.0.1:8080/two")
  }
}
