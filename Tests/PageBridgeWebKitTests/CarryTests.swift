import PageBridgeTesting
import PageBridgeWebKit
import Testing

@MainActor
@Suite struct CarryTests {
  @Test func messagesOfADocumentThatDiedComeBeforeThoseOfTheNext() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    page.cut()
    for number in 1...3 { page.post(.number(Double(number)), to: "log") }
    page.navigate(to: "http://127.0.0.1:8080/next")
    page.post(4, to: "log")
    await fixture.relay.settle()
    #expect(fixture.recorder.bodies == [1, 2, 3, 4])
    #expect(fixture.recorder.events.suffix(3) == ["didStart", "didCommit", "didFinish"])
  }

  @Test func twoHundredDocumentsLoseNothing() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    var posted: [WireValue] = []
    for number in 1...200 {
      if number % 3 == 0 { page.cut() }
      for part in 0..<3 {
        let body = WireValue.number(Double(number * 10 + part))
        posted.append(body)
        page.post(body, to: "log")
      }
      page.navigate(to: "http://127.0.0.1:8080/\(number)")
    }
    await fixture.relay.settle()
    #expect(fixture.recorder.bodies == posted)
    #expect(page.pending >= 0)
    #expect(fixture.scenes.count == 1)
  }

  @Test func callsOfALeftDocumentEndOnceWithWebKitsError() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    page.onEvaluate { $0 == "open" ? nil : .number(1) }
    var ends: [(String, Any?, WKError?)] = []
    for source in ["answered", "open"] {
      fixture.view.evaluateJavaScript(source) { ends.append((source, $0, $1 as? WKError)) }
    }
    await fixture.relay.settle()
    #expect(ends.map(\.0) == ["answered"])
    page.navigate(to: "http://127.0.0.1:8080/next")
    await fixture.relay.settle()
    #expect(ends.map(\.0) == ["answered", "open"])
    let error = ends.last?.2
    #expect(error?.code == .javaScriptExceptionOccurred)
    #expect(
      error?.errorUserInfo[WKJavaScriptExceptionMessageErrorKey] as? String
        == "Completion handler for function call is no longer reachable")
  }

  @Test func whatHasNoRoomIsWrittenDown() async throws {
    let file = TemporaryFile()
    var options = WebViewHost.Options()
    options.eventsFile = file.url
    let fixture = Fixture(options: options)
    await fixture.start()
    let page = await fixture.open()
    page.cut()
    for _ in 0..<3 { page.post(.string(String(repeating: "x", count: 900_000)), to: "log") }
    page.navigate(to: "http://127.0.0.1:8080/next")
    page.post("next", to: "log")
    await fixture.relay.settle()
    #expect(fixture.recorder.bodies.count == 3)
    #expect(fixture.recorder.bodies.last == "next")
    await fixture.host.stop()
    let errors = try file.events().filter { $0["event"] == "error" }
    #expect(errors.count == 1)
    let message = errors.first?["message"]?.string ?? ""
    #expect(message.hasPrefix("1 messages of a document that was left are lost"))
  }
}
