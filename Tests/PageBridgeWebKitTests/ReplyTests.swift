import PageBridgeTesting
import PageBridgeWebKit
import Testing

/// Handlers that answer, and the worlds that handlers are added to.
@MainActor
@Suite struct ReplyTests {
  @Test(arguments: Spelling.allCases) func eachSpellingIsCalledOnceAndItsValueArrives(
    _ spelling: Spelling
  ) async {
    let handler = spelling.handler(.value(["n": 1, "list": [true, NSNull()] as [Any]]))
    let (page, fixture) = await open(handler)
    page.post("question", id: "p1")
    await fixture.relay.settle()
    #expect(page.answers["p1"]?["n"] == 1)
    #expect(page.answers["p1"]?["list"] == [true, nil])
    #expect(handler.received.map(\.name) == ["ask"])
    #expect(handler.received.first?.body as? String == "question")
    #expect(page.errors.isEmpty)
  }

  @Test(arguments: Spelling.allCases) func anErrorTextWinsOverTheValueEvenIfItIsEmpty(
    _ spelling: Spelling
  ) async {
    for text in ["", "quote \"' \0 \u{1F600} </script>"] {
      let (page, fixture) = await open(spelling.handler(.error(text)))
      page.post(1, id: "p1")
      await fixture.relay.settle()
      #expect(page.errors["p1"]?["message"] == .string(text))
      #expect(page.answers["p1"] == nil)
    }
  }

  @Test func nilIsUndefinedAndNullIsNull() async {
    let handler = PlainReply(.none)
    let (page, fixture) = await open(handler)
    page.post(1, id: "p1")
    await fixture.relay.settle()
    handler.answer = .value(NSNull())
    page.post(1, id: "p2")
    await fixture.relay.settle()
    #expect(page.answers["p1"] == .undefined)
    #expect(page.answers["p2"] == .null)
  }

  @Test func aValueThatDoesNotCrossRejects() async {
    let unsupported: [Any] = [Data([1]), ["nested": [URL(string: "http://a.test")!]], NSObject()]
    for value in unsupported {
      let (page, fixture) = await open(PlainReply(.value(value)))
      page.post(1, id: "p1")
      await fixture.relay.settle()
      #expect(
        page.errors["p1"]?["message"]
          == "The result value passed back from the WKWebView API client was unable to be serialized")
    }
  }

  @Test func aReplyHandlerThatIsLetGoRejects() async {
    let (page, fixture) = await open(PlainReply(.dropped))
    page.post(1, id: "p1")
    await fixture.relay.settle()
    #expect(page.errors["p1"]?["message"] == "WKWebView API client did not respond to this postMessage")
  }

  @Test func aHandlerWithoutAMethodRejects() async {
    let (page, fixture) = await open(SilentReply())
    page.post(1, id: "p1")
    await fixture.relay.settle()
    #expect(page.errors["p1"]?["message"] == "WKWebView API client did not respond to this postMessage")
  }

  @Test func aKeptReplyHandlerLeavesThePageWaitingAndMayAnswerLate() async {
    let handler = PlainReply(.kept)
    let (page, fixture) = await open(handler)
    page.post(1, id: "p1")
    page.post(2, id: "p2")
    await fixture.relay.settle()
    #expect(page.answers.isEmpty && page.errors.isEmpty)
    handler.kept[1]("second", nil)
    await fixture.relay.settle()
    handler.kept[0]("first", nil)
    await fixture.relay.settle()
    #expect(page.answers == ["p1": "first", "p2": "second"])
  }

  @Test func aSecondReplyIsReportedAndTheFirstStays() async throws {
    let file = TemporaryFile()
    var options = WebViewHost.Options()
    options.eventsFile = file.url
    let (page, fixture) = await open(PlainReply(.twice), options)
    page.post(1, id: "p1")
    await fixture.relay.settle()
    #expect(page.answers["p1"] == "first")
    #expect(page.errors.isEmpty)
    await fixture.host.events.flush()
    let errors = try file.events().filter { $0["event"] == "error" }
    #expect(errors.count == 1)
  }

  @Test func aReplyAfterNavigationIsDropped() async {
    let handler = PlainReply(.kept)
    let (page, fixture) = await open(handler)
    page.post(1, id: "p1")
    await fixture.relay.settle()
    page.navigate(to: "http://127.0.0.1:8080/next")
    await fixture.relay.settle()
    handler.kept[0]("late", nil)
    await fixture.relay.settle()
    #expect(page.answers.isEmpty && page.errors.isEmpty)
  }

  @Test func aReplyAfterTheViewIsReleasedIsDropped() async {
    let handler = PlainReply(.kept)
    let (page, fixture) = await open(handler)
    page.post(1, id: "p1")
    await fixture.relay.settle()
    fixture.releaseViews()
    await fixture.host.stop()
    handler.kept[0]("late", nil)
    await fixture.relay.settle()
    #expect(page.answers.isEmpty)
  }

  @Test func eachWorldHasItsOwnHandlersOfAName() async {
    let fixture = Fixture()
    fixture.handlers = []
    let recorders = [Recorder(), Recorder(), Recorder()]
    fixture.configure = { view, _ in
      let controller = view.configuration.userContentController
      controller.add(recorders[0], name: "h")
      controller.add(recorders[1], contentWorld: .defaultClient, name: "h")
      controller.add(recorders[2], contentWorld: .world(name: "A"), name: "h")
    }
    await fixture.start()
    let page = await fixture.open()
    page.post("page", world: nil)
    page.post("client", world: "client")
    page.post("A", world: "named:A")
    page.post("B", world: "named:B")
    await fixture.relay.settle()
    #expect(recorders.map(\.bodies) == [["page"], ["client"], ["A"]])
    #expect(recorders[0].messages.first?.world === WKContentWorld.page)
    #expect(recorders[1].messages.first?.world === WKContentWorld.defaultClient)
    #expect(recorders[2].messages.first?.world === WKContentWorld.world(name: "A"))
    let controller = fixture.view.configuration.userContentController
    controller.removeScriptMessageHandler(forName: "h", contentWorld: .defaultClient)
    controller.removeScriptMessageHandler(forName: "h")
    page.post("page", world: nil)
    page.post("client", world: "client")
    page.post("A", world: "named:A")
    await fixture.relay.settle()
    controller.removeAllScriptMessageHandlers(from: .world(name: "A"))
    await fixture.relay.settle()
    #expect(page.handlers == [])
    #expect(recorders.map(\.bodies) == [["page"], ["client"], ["A", "A"]])
  }

  @Test func aNameStandsForTheSameWorld() {
    let first = WKContentWorld.world(name: "A")
    #expect(first === WKContentWorld.world(name: "A"))
    #expect(first !== WKContentWorld.world(name: "B"))
    #expect(first.name == "A")
    #expect(WKContentWorld.page.name == nil && WKContentWorld.defaultClient.name == nil)
    #expect(WKContentWorld.page !== WKContentWorld.defaultClient)
    #expect(WKContentWorld.world(name: "client") !== WKContentWorld.defaultClient)
  }

  @Test func callsNameTheirWorldAndFrame() async throws {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    fixture.view.evaluateJavaScript("1", in: nil, in: .page) { _ in }
    fixture.view.evaluateJavaScript("2", in: nil, in: .defaultClient)
    fixture.view.callAsyncJavaScript("3", arguments: ["a": 1], in: nil, in: .world(name: "A")) { _ in }
    page.send(
      "message",
      ["handler": "log", "body": 0, "frame": ["main": false, "url": "http://a.test/f", "id": "frame001"]])
    await fixture.relay.settle()
    let frame = try #require(fixture.recorder.messages.first?.frameInfo)
    #expect(!frame.isMainFrame)
    fixture.view.evaluateJavaScript("4", in: frame, in: .page)
    await fixture.relay.settle()
    let params = page.received.filter { ["evaluate", "callAsync"].contains($0.method) }.map(\.params)
    #expect(params.map { $0["world"] } == [nil, "client", "named:A", nil])
    #expect(params.map { $0["frame"] } == [nil, nil, nil, "frame001"])
  }

  @Test func aFrameOfAnotherViewIsNoTarget() async throws {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    page.post(1, to: "log")
    await fixture.relay.settle()
    let frame = try #require(fixture.recorder.messages.first?.frameInfo)
    _ = await fixture.open()
    let error = await #expect(throws: WKError.self) {
      try await fixture.view.evaluateJavaScript("1", in: frame, contentWorld: .page)
    }
    #expect(error?.code == .javaScriptInvalidFrameTarget)
    let bridged = try #require(error.map { $0 as NSError })
    #expect(bridged.code == 12)
    #expect(bridged.userInfo["WKJavaScriptExceptionLineNumber"] as? Int == 0)
  }

  @Test func undefinedInAResultIsAnEmptyOptional() async throws {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    page.onEvaluate { _ in .undefined }
    var result: Result<Any, any Error>?
    fixture.view.evaluateJavaScript("void 0", in: nil, in: .page) { result = $0 }
    await fixture.relay.settle()
    let value: Any? = try #require(result).get()
    let inner = Mirror(reflecting: value.unsafelyUnwrapped)
    #expect(inner.displayStyle == .optional && inner.children.isEmpty)
  }

  private func open(
    _ handler: any WKScriptMessageHandlerWithReply, _ options: WebViewHost.Options = WebViewHost.Options()
  ) async -> (SimulatedPage, Fixture) {
    let fixture = Fixture(options: options)
    fixture.configure = { view, _ in
      view.configuration.userContentController.addScriptMessageHandler(
        handler, contentWorld: .page, name: "ask")
    }
    await fixture.start()
    return (await fixture.open(), fixture)
  }
}

extension SimulatedPage {
  fileprivate func post(_ body: WireValue, id: String) {
    send("message", ["handler": "ask", "body": body, "frame": ["main": true]], id: id)
  }

  fileprivate func post(_ body: WireValue, world: String?) {
    var params: [WireValue.Member] = [.init("handler", "h"), .init("body", body)]
    if let world { params.append(.init("world", .string(world))) }
    send("message", .object(params))
  }
}

/// What a handler under test answers.
private enum TestAnswer {
  case value(Any)
  case none
  case error(String)
  case dropped, kept, twice
}

@MainActor
private protocol AnsweringHandler: WKScriptMessageHandlerWithReply {
  var received: [WKScriptMessage] { get }
}

enum Spelling: CaseIterable, Sendable {
  case plain, mainActor, sendable, asynchronous

  @MainActor
  fileprivate func handler(_ answer: TestAnswer) -> any AnsweringHandler {
    switch self {
    case .plain: PlainReply(answer)
    case .mainActor: MainActorReply(answer)
    case .sendable: SendableReply(answer)
    case .asynchronous: AsyncReply(answer)
    }
  }
}

extension TestAnswer {
  fileprivate var pair: (Any?, String?) {
    switch self {
    case .value(let value): (value, nil)
    case .error(let text): ("a value beside it", text)
    case .none, .dropped, .kept, .twice: (nil, nil)
    }
  }
}

private final class PlainReply: NSObject, AnsweringHandler {
  var received: [WKScriptMessage] = []
  var answer: TestAnswer
  var kept: [(Any?, String?) -> Void] = []

  init(_ answer: TestAnswer) { self.answer = answer }

  func userContentController(
    _ userContentController: WKUserContentController, didReceive message: WKScriptMessage,
    replyHandler: @escaping (Any?, String?) -> Void
  ) {
    received.append(message)
    switch answer {
    case .value, .none, .error:
      let (value, error) = answer.pair
      replyHandler(value, error)
    case .dropped: break
    case .kept: kept.append(replyHandler)
    case .twice:
      replyHandler("first", nil)
      replyHandler(nil, "second")
    }
  }
}

private final class MainActorReply: NSObject, AnsweringHandler {
  var received: [WKScriptMessage] = []
  let answer: TestAnswer

  init(_ answer: TestAnswer) { self.answer = answer }

  func userContentController(
    _ userContentController: WKUserContentController, didReceive message: WKScriptMessage,
    replyHandler: @escaping @MainActor (Any?, String?) -> Void
  ) {
    received.append(message)
    let (value, error) = answer.pair
    replyHandler(value, error)
  }
}

private final class SendableReply: NSObject, AnsweringHandler {
  var received: [WKScriptMessage] = []
  let answer: TestAnswer

  init(_ answer: TestAnswer) { self.answer = answer }

  func userContentController(
    _ userContentController: WKUserContentController, didReceive message: WKScriptMessage,
    replyHandler: @escaping @MainActor @Sendable (Any?, String?) -> Void
  ) {
    received.append(message)
    let (value, error) = answer.pair
    replyHandler(value, error)
  }
}

private final class AsyncReply: NSObject, AnsweringHandler {
  var received: [WKScriptMessage] = []
  let answer: TestAnswer

  init(_ answer: TestAnswer) { self.answer = answer }

  func userContentController(
    _ userContentController: WKUserContentController, didReceive message: WKScriptMessage
  ) async -> (Any?, String?) {
    received.append(message)
    return answer.pair
  }
}

private final class SilentReply: NSObject, WKScriptMessageHandlerWithReply {}
