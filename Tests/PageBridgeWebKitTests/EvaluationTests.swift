import PageBridgeTesting
import PageBridgeWebKit
import Testing

@MainActor
@Suite struct EvaluationTests {
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

  @Test func theCompletionRunsLaterAndOnce() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    page.onEvaluate { _ in nil }
    var completions = 0
    fixture.view.evaluateJavaScript("1") { _, _ in completions += 1 }
    #expect(completions == 0)
    await fixture.relay.settle()
    let id = page.received.last?.id ?? ""
    page.answer(id, 1)
    page.answer(id, 2)
    await fixture.relay.settle()
    #expect(completions == 1)
  }

  @Test func callsAreMadeInOrderAndTheirResultsComeInOrder() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    page.onEvaluate { .string($0) }
    var results: [String] = []
    for number in 1...100 {
      fixture.view.evaluateJavaScript("\(number)") { value, _ in results.append(value as? String ?? "?") }
    }
    await fixture.relay.settle()
    #expect(results == (1...100).map(String.init))
  }

  @Test func callsBeforeThePageIsThereWaitForIt() async throws {
    let fixture = Fixture()
    var early: Any?
    fixture.configure = { view, _ in view.evaluateJavaScript("1") { value, _ in early = value } }
    await fixture.start()
    let page = fixture.relay.makePage(app: "test")
    page.onEvaluate { _ in "answer" }
    page.open()
    await fixture.relay.settle()
    #expect(early as? String == "answer")
  }

  @Test func aCallWithATimeLimitEndsWhenThePageIsSilent() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    page.onEvaluate { $0 == "quick" ? 1 : nil }
    var ends: [String] = []
    let ask = { (source: String) in
      fixture.view.evaluateJavaScript(source) { value, error in
        let code = (error as? EvaluationError).map { "\($0.code.rawValue)" }
        ends.append("\(source) \(code ?? "\(value ?? "nil")")")
      }
    }
    ask("patient")
    fixture.view.callTimeout = .seconds(5)
    ask("quick")
    ask("silent")
    await fixture.relay.settle()
    let silent = page.received.last?.id ?? ""
    fixture.relay.advance(by: .milliseconds(4_999))
    await fixture.relay.settle()
    #expect(ends == ["quick 1.0"])
    fixture.relay.advance(by: .milliseconds(1))
    await fixture.relay.settle()
    #expect(ends == ["quick 1.0", "silent -32007"])
    page.answer(silent, 1)
    await fixture.relay.settle()
    #expect(ends.count == 2)
  }

  @Test func aCallThatWaitsForAPageHasItsTimeLimitToo() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    page.leave()
    await fixture.relay.settle()
    fixture.view.callTimeout = .seconds(5)
    var code: EvaluationError.Code?
    fixture.view.evaluateJavaScript("late") { _, error in code = (error as? EvaluationError)?.code }
    await fixture.relay.settle()
    fixture.relay.advance(by: .seconds(5))
    await fixture.relay.settle()
    #expect(code == .timedOut)
  }

  @Test func anExceptionCarriesWebKitsUserInfo() async throws {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    page.onEvaluate { _ in throw ScriptException("ReferenceError: x is not defined", line: 3, column: 7) }
    let error = await #expect(throws: WKError.self) { try await fixture.view.evaluateJavaScript("x()") }
    #expect(error?.code == .javaScriptExceptionOccurred)
    let bridged = try #require(error.map { $0 as NSError })
    #expect(bridged.domain == "WKErrorDomain")
    #expect(bridged.code == 4)
    #expect(bridged.userInfo["WKJavaScriptExceptionMessage"] as? String == "ReferenceError: x is not defined")
    #expect(bridged.userInfo["WKJavaScriptExceptionLineNumber"] as? Int == 3)
    #expect(bridged.userInfo["WKJavaScriptExceptionColumnNumber"] as? Int == 7)
    #expect((bridged.userInfo["WKJavaScriptExceptionSourceURL"] as? URL)?.absoluteString == page.url)
    #expect(bridged.localizedDescription == "A JavaScript exception occurred")
  }

  @Test func anUnsupportedResultHasOnlyADescription() async throws {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    page.onEvaluate { _ in throw ScriptException("a function", code: 5) }
    let error = await #expect(throws: WKError.self) { try await fixture.view.evaluateJavaScript("f") }
    let bridged = try #require(error.map { $0 as NSError })
    #expect(bridged.code == 5)
    #expect(Array(bridged.userInfo.keys) == [NSLocalizedDescriptionKey])
    #expect(
      bridged.localizedDescription == "JavaScript execution returned a result of an unsupported type")
  }

  @Test func aCallToAPageThatNavigatesAwayEnds() async throws {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    page.onEvaluate { _ in nil }
    var errors: [(any Error)?] = []
    fixture.view.evaluateJavaScript("new Promise(() => {})") { _, error in errors.append(error) }
    await fixture.relay.settle()
    page.navigate(to: "http://127.0.0.1:8080/next")
    await fixture.relay.settle()
    #expect(errors.map { ($0 as? WKError)?.code } == [.javaScriptExceptionOccurred])
    page.onEvaluate { _ in 1 }
    #expect(try await fixture.view.evaluateJavaScript("1") as? Int == 1)
  }

  @Test func aCallToAPageThatIsGoneEnds() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    page.onEvaluate { _ in nil }
    var codes: [WKError.Code?] = []
    fixture.view.evaluateJavaScript("1") { _, error in codes.append((error as? WKError)?.code) }
    await fixture.relay.settle()
    let view = fixture.view
    page.leave()
    await fixture.relay.settle()
    #expect(codes == [])
    fixture.relay.advance(by: .seconds(10))
    await fixture.relay.settle()
    #expect(codes == [.webContentProcessTerminated])
    view.evaluateJavaScript("1") { _, error in codes.append((error as? WKError)?.code) }
    await fixture.relay.settle()
    #expect(codes == [.webContentProcessTerminated, .webContentProcessTerminated])
  }

  @Test func releasingTheViewEndsItsCalls() async {
    let fixture = Fixture()
    var codes: [WKError.Code?] = []
    fixture.host.start { _ in nil }
    await fixture.relay.settle()
    do {
      let view = WKWebView(frame: .zero, configuration: WKWebViewConfiguration(), host: fixture.host)
      view.evaluateJavaScript("1") { _, error in codes.append((error as? WKError)?.code) }
    }
    await fixture.relay.settle()
    #expect(codes == [.webViewInvalidated])
  }

  @Test func aScriptThatIsTooLargeIsRefusedWithLimitAndSize() async throws {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    page.onEvaluate { _ in 1 }
    let source = String(repeating: "x", count: Limits.maxMessageBytes)
    let error = await #expect(throws: WKError.self) { try await fixture.view.evaluateJavaScript(source) }
    #expect(error?.code == .unknown)
    #expect(error?.localizedDescription.contains("\(Limits.maxMessageBytes)") == true)
    #expect(try await fixture.view.evaluateJavaScript("1") as? Int == 1)
  }

  @Test func largeTextCrossesBothWays() async throws {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    page.onEvaluate { .string($0) }
    let text = String(repeating: "é😀\u{2028}\"", count: 100_000)
    #expect(try await fixture.view.evaluateJavaScript(text) as? String == text)
  }

  @Test func argumentsCrossAsValues() async throws {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    page.onEvaluate { _ in "ok" }
    let arguments: [String: Any] = [
      "text": "a", "whole": 1, "part": 2.5, "yes": true, "null": NSNull(),
      "date": Date(timeIntervalSince1970: 2), "list": [1, "b"] as [Any], "nested": ["k": [false]],
    ]
    let value = try await fixture.view.callAsyncJavaScript(
      "return 1", arguments: arguments, contentWorld: .page)
    #expect(value as? String == "ok")
    let params = try #require(page.received.last { $0.method == "callAsync" }?.params)
    #expect(params["source"] == "return 1")
    #expect(params["arguments"]?["text"] == "a")
    #expect(params["arguments"]?["whole"] == 1)
    #expect(params["arguments"]?["yes"] == true)
    #expect(params["arguments"]?["null"] == .null)
    #expect(params["arguments"]?["date"] == .date(milliseconds: 2_000))
    #expect(params["arguments"]?["list"] == [1, "b"])
    #expect(params["arguments"]?["nested"]?["k"] == [false])
  }

  @Test func theDeepestArgumentAndResultCross() async throws {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    var deep: WireValue = 1
    for _ in 0..<Limits.maxValueDepth { deep = [deep] }
    page.onEvaluate { [deep] _ in deep }
    let result = try await fixture.view.evaluateJavaScript("deep")
    var levels = 0
    var value = result
    while let array = value as? [Any] {
      value = array[0]
      levels += 1
    }
    #expect(levels == Limits.maxValueDepth)
    _ = try await fixture.view.callAsyncJavaScript(
      "return a", arguments: ["a": (deep.array ?? [])[0]], contentWorld: .page)
    let error = await #expect(throws: WKError.self) {
      try await fixture.view.callAsyncJavaScript(
        "return a", arguments: ["a": [deep]], contentWorld: .page)
    }
    #expect(error?.localizedDescription.contains("40000") == true)
  }

  @Test func anArgumentThatCannotCrossFailsTheCall() async throws {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    let error = await #expect(throws: WKError.self) {
      try await fixture.view.callAsyncJavaScript(
        "return 1", arguments: ["a": [Data()]], contentWorld: .page)
    }
    let bridged = try #require(error.map { $0 as NSError })
    #expect(bridged.code == 4)
    #expect(
      (bridged.userInfo["WKJavaScriptExceptionMessage"] as? String)?.hasPrefix(
        "Function argument values must")
        == true)
    #expect(bridged.userInfo["WKJavaScriptExceptionLineNumber"] == nil)
    #expect(!page.received.contains { $0.method == "callAsync" })
  }

  @Test(arguments: [
    (-32001, EvaluationError.Code.scriptsRefused), (-32003, .onlyRegistered), (-32004, .notRegistered),
    (-32005, .notFetched), (-32006, .worldNeedsEval),
  ])
  func whatThePageRefusesIsAnErrorOfItsOwn(_ number: Int, _ code: EvaluationError.Code) async throws {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    page.onEvaluate { _ in throw ScriptException("because", code: number) }
    let error = await #expect(throws: EvaluationError.self) {
      try await fixture.view.evaluateJavaScript("1")
    }
    #expect(error?.code == code)
    #expect(error?.context == page.url)
    let bridged = try #require(error.map { $0 as NSError })
    #expect(bridged.domain == "PageBridgeEvaluationErrorDomain" && bridged.code == number)
    #expect(bridged.localizedDescription == "because (\(page.url))")
  }

  @Test func whatThePagesPolicyBlocksIsAnExceptionWithItsReason() async throws {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    page.onEvaluate { _ in throw ScriptException("because", code: -32002) }
    let error = await #expect(throws: WKError.self) {
      try await fixture.view.evaluateJavaScript("1")
    }
    let bridged = try #require(error.map { $0 as NSError })
    #expect(bridged.domain == WKErrorDomain && bridged.code == 4)
    #expect(bridged.userInfo[WKJavaScriptExceptionMessageErrorKey] as? String == "because")
    #expect((bridged.userInfo[NSUnderlyingErrorKey] as? EvaluationError)?.code == .blockedByPolicy)
  }

  @Test func aScriptThatTheBrowserEndedEndsItsCall() async throws {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    page.onEvaluate { _ in throw ScriptException("ended", code: 2) }
    let error = await #expect(throws: WKError.self) {
      try await fixture.view.evaluateJavaScript("while (true) {}")
    }
    #expect(error?.code == .webContentProcessTerminated && error?.localizedDescription == "ended")
  }

  @Test func registeredFunctionsAreCalledWithValues() async throws {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    page.onEvaluate { name in ["name": .string(name)] }
    let value = try await fixture.view.callRegisteredFunction(
      "save", arguments: [1, nil, true, ["a": NSNull()] as [String: Any]])
    #expect((value as? [String: Any])?["name"] as? String == "save")
    let params = page.received.last { $0.method == "callRegistered" }?.params
    #expect(params == ["name": "save", "arguments": [1, .undefined, true, ["a": .null]]])
    let error = await #expect(throws: WKError.self) {
      try await fixture.view.callRegisteredFunction("save", arguments: [Data()])
    }
    #expect(error?.code == .javaScriptExceptionOccurred)
  }

  @Test func theViewKnowsTheWayThatItsPageTells() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    #expect(fixture.view.evaluationWay == .unknown)
    for (policy, way) in [
      ("eval", EvaluationWay.eval), ("script", .script), ("registered", .registered), ("none", .refused),
      ("blocked", .blocked), ("of another version", .unknown),
    ] {
      page.send("state", ["policy": .string(policy)])
      await fixture.relay.settle()
      #expect(fixture.view.evaluationWay == way)
    }
    page.send("state", ["policy": "blocked"])
    page.navigate(to: "http://127.0.0.1:8080/next")
    await fixture.relay.settle()
    #expect(fixture.view.evaluationWay == .unknown)
  }

  @Test func theErrorCodesAreWebKits() {
    let codes: [WKError.Code] = [
      .unknown, .webContentProcessTerminated, .webViewInvalidated, .javaScriptExceptionOccurred,
      .javaScriptResultTypeIsUnsupported,
    ]
    #expect(codes.map(\.rawValue) == [1, 2, 3, 4, 5])
    #expect(WKError.Code.javaScriptInvalidFrameTarget.rawValue == 12)
    #expect(WKError(.webViewInvalidated).localizedDescription == "The WKWebView was invalidated")
    #expect((WKError(.unknown) as NSError).domain == WKErrorDomain)
  }
}
