import PageBridgeTesting
import PageBridgeWebKit
import Testing

@MainActor
@Suite struct MessageTests {
  @Test func aPostReachesItsHandlerWithItsMetadata() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    page.post(["a": 1], to: "log")
    await fixture.relay.settle()
    let message = try! #require(fixture.recorder.messages.first)
    #expect(message.name == "log")
    #expect(message.webView === fixture.view)
    #expect(message.frameInfo.isMainFrame)
    #expect(message.frameInfo.request.url?.absoluteString == page.url)
    #expect(message.frameInfo.securityOrigin.protocol == "http")
    #expect(message.frameInfo.securityOrigin.host == "127.0.0.1")
    #expect(message.frameInfo.securityOrigin.port == 8080)
    #expect(!message.isRedelivered)
  }

  @Test func pagesKnowTheHandlersOfTheClosure() async {
    let fixture = Fixture()
    fixture.handlers = ["a", "b"]
    await fixture.start()
    let page = await fixture.open()
    #expect(page.handlers == ["a", "b"])
  }

  @Test func evaluateGivesTheValueOfThePage() async throws {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    page.onEvaluate { $0 == "6*7" ? 42 : .undefined }
    let value = try await fixture.view.evaluateJavaScript("6*7")
    #expect(value as? Int == 42)
    let nothing = try await fixture.view.evaluateJavaScript("void 0")
    #expect(nothing == nil)
  }
}
