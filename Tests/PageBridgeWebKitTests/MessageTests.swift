import PageBridgeTesting
import PageBridgeWebKit
import Testing

@MainActor
@Suite struct MessageTests {
  @Test func aPostReachesItsHandlerWithItsMetadata() async throws {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    page.post(["a": 1], to: "log")
    await fixture.relay.settle()
    let message = try #require(fixture.recorder.messages.first)
    #expect(message.name == "log")
    #expect(message.webView === fixture.view)
    #expect(message.frameInfo.isMainFrame)
    #expect(message.frameInfo.request.url?.absoluteString == page.url)
    #expect(message.frameInfo.securityOrigin.protocol == "http")
    #expect(message.frameInfo.securityOrigin.host == "127.0.0.1")
    #expect(message.frameInfo.securityOrigin.port == 8080)
    #expect(!message.isRedelivered)
  }

  @Test func messagesKeepTheirOrder() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    for number in 1...1_000 { page.post(.number(Double(number)), to: "log") }
    await fixture.relay.settle()
    #expect(fixture.recorder.bodies == (1...1_000).map { .number(Double($0)) })
  }

  @Test func bodiesHaveFoundationsTypes() async throws {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    let bodies: [WireValue] = [
      "text", 3, 2.5, true, nil, [1, "a", .undefined], ["a": ["b": nil], "gone": .undefined], .undefined,
      .date(milliseconds: 1_500), .number(-0.0), .number(.nan),
    ]
    for body in bodies { page.post(body, to: "log") }
    await fixture.relay.settle()
    let received = fixture.recorder.messages.map(\.body)
    try #require(received.count == bodies.count)
    #expect(received[0] as? String == "text")
    #expect(received[1] as? Int == 3)
    #expect(received[1] as? Double == 3)
    #expect(received[2] as? Double == 2.5)
    #expect(received[2] as? Int == nil)
    #expect(received[3] as? Bool == true)
    #expect(received[4] is NSNull)
    let array = try #require(received[5] as? [Any])
    #expect(array.count == 3)
    #expect(array[0] as? Int == 1)
    #expect(array[1] as? String == "a")
    #expect(array[2] is NSNull)
    let object = try #require(received[6] as? [String: Any])
    #expect(object.keys.sorted() == ["a"])
    #expect((object["a"] as? [String: Any])?["b"] is NSNull)
    if case Optional<Any>.none = received[7] as Any? as Any {
    } else {
      #expect(Mirror(reflecting: received[7]).displayStyle == .optional)
    }
    #expect((received[8] as? Date)?.timeIntervalSince1970 == 1.5)
    #expect((received[9] as? Double)?.sign == .minus)
    #expect((received[10] as? Double)?.isNaN == true)
  }

  @Test func theDeepestValueThatTheWireCarriesArrives() async throws {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    let depth = Limits.maxValueDepth
    let half = depth / 2
    let open = String(repeating: #"[{"a":"#, count: half)
    let close = String(repeating: "}]", count: half)
    page.sendRaw(#""method":"message","params":{"handler":"log","body":\#(open)1\#(close)}}"#)
    page.sendRaw(#""method":"message","params":{"handler":"log","body":"after"}}"#)
    await fixture.relay.settle()
    try #require(fixture.recorder.messages.count == 2)
    var levels = 0
    var value: Any? = fixture.recorder.messages[0].body
    while let array = value as? [Any] {
      value = (array[0] as? [String: Any])?["a"]
      levels += 2
    }
    #expect(levels == half * 2)
    fixture.recorder.messages = []
  }

  @Test func booleansAndNumbersStayApart() async throws {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    page.post(true, to: "log")
    page.post(1, to: "log")
    await fixture.relay.settle()
    let bodies = fixture.recorder.messages.map { $0.body as? NSNumber }
    #expect(bodies[0]?.objCType.pointee == CChar(UInt8(ascii: "c")))
    #expect(bodies[1]?.objCType.pointee == CChar(UInt8(ascii: "d")))
    #expect(fixture.recorder.bodies == [true, 1])
  }

  @Test func pagesKnowTheHandlersOfTheClosure() async {
    let fixture = Fixture()
    fixture.handlers = ["a", "b"]
    await fixture.start()
    let page = await fixture.open()
    #expect(page.handlers == ["a", "b"])
  }

  @Test func handlersComeAndGoInALoadedPage() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    let controller = fixture.view.configuration.userContentController
    controller.add(fixture.recorder, name: "later")
    await fixture.relay.settle()
    #expect(page.handlers == ["log", "later"])
    controller.removeScriptMessageHandler(forName: "log")
    controller.removeScriptMessageHandler(forName: "never")
    await fixture.relay.settle()
    #expect(page.handlers == ["later"])
    page.post(1, to: "log")
    page.post(2, to: "later")
    await fixture.relay.settle()
    #expect(fixture.recorder.bodies == [2])
    controller.removeAllScriptMessageHandlers()
    await fixture.relay.settle()
    #expect(page.handlers == [])
  }

  @Test func aSecondHandlerOfANameIsReportedAndTheFirstKeepsWorking() async throws {
    let file = TemporaryFile()
    var options = WebViewHost.Options()
    options.eventsFile = file.url
    let fixture = Fixture(options: options)
    let second = Recorder()
    fixture.configure = { view, _ in view.configuration.userContentController.add(second, name: "log") }
    await fixture.start()
    let page = await fixture.open()
    page.post("x", to: "log")
    await fixture.relay.settle()
    #expect(fixture.recorder.bodies == ["x"])
    #expect(second.bodies == [])
    #expect(page.handlers == ["log"])
    await fixture.host.events.flush()
    let errors = try file.events().filter { $0["event"] == "error" }
    #expect(errors.count == 1)
    #expect(errors.first?["message"]?.string?.contains("'log'") == true)
  }

  @Test func aMessageIsDoneOnlyAfterItsHandlerRan() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    fixture.relay.advance(by: .seconds(1))
    await fixture.relay.settle()
    #expect(page.pending == 0)
    var pendingInHandler: Int?
    fixture.recorder.onMessage = { _ in pendingInHandler = page.pending }
    page.post(1, to: "log")
    await fixture.relay.settle()
    #expect(pendingInHandler == 1)
    #expect(page.pending == 1)
    fixture.relay.advance(by: .milliseconds(250))
    await fixture.relay.settle()
    #expect(page.pending == 0)
  }

  @Test func aCutLosesNothingAndDoublesNothing() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    for number in 1...500 {
      page.post(.number(Double(number)), to: "log")
      if number % 100 == 0 {
        page.cut()
        page.open()
      }
    }
    await fixture.relay.settle()
    #expect(fixture.recorder.bodies == (1...500).map { .number(Double($0)) })
    #expect(fixture.scenes.count == 1)
  }

  @Test func aCutOfTheHostLosesNothingAndDoublesNothing() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    page.onEvaluate { .string($0) }
    var results: [String] = []
    for number in 1...300 {
      page.post(.number(Double(number)), to: "log")
      fixture.view.evaluateJavaScript("\(number)") { value, _ in results.append(value as? String ?? "") }
      if number % 60 == 0 {
        fixture.relay.cutHosts()
        await Task.yield()
        fixture.relay.advance(by: .seconds(1))
      }
    }
    await fixture.relay.settle()
    fixture.relay.advance(by: .seconds(1))
    await fixture.relay.settle()
    #expect(fixture.recorder.bodies == (1...300).map { .number(Double($0)) })
    #expect(results == (1...300).map(String.init))
  }

  @Test func aRestartedHostGetsUnhandledMessagesMarkedAsRedelivered() async throws {
    let file = TemporaryFile()
    var options = WebViewHost.Options()
    options.stateFile = file.url
    let fixture = Fixture(options: options)
    await fixture.start()
    let page = await fixture.open()
    page.post("handled", to: "log")
    await fixture.relay.settle()
    fixture.relay.advance(by: .seconds(1))
    await fixture.relay.settle()
    fixture.relay.crash(fixture.host)
    await fixture.relay.settle()
    page.post("lost?", to: "log")
    await fixture.relay.settle()

    let recorder = Recorder()
    let next = fixture.relay.makeHost(app: "test", options: options)
    var scene: WebViewScene?
    next.start {
      scene = $0
      let configuration = WKWebViewConfiguration()
      configuration.userContentController.add(recorder, name: "log")
      return WKWebView(frame: .zero, configuration: configuration)
    }
    await fixture.relay.settle()
    #expect(scene?.isResumed == true)
    #expect(page.handlers == ["log"])
    page.post("new", to: "log")
    await fixture.relay.settle()
    #expect(recorder.bodies == ["lost?", "new"])
    await next.stop()
  }

  @Test func messagesThatWereSentToACrashedHostComeAgainAndSaySo() async {
    let file = TemporaryFile()
    var options = WebViewHost.Options()
    options.stateFile = file.url
    let fixture = Fixture(options: options)
    await fixture.start()
    let page = await fixture.open()
    // Handled, but the acknowledgement is still on its lazy way when the host dies.
    page.post("again", to: "log")
    await fixture.relay.settle()
    #expect(fixture.recorder.bodies == ["again"])
    fixture.relay.crash(fixture.host)
    let recorder = Recorder()
    let next = fixture.relay.makeHost(app: "test", options: options)
    next.start { _ in
      let configuration = WKWebViewConfiguration()
      configuration.userContentController.add(recorder, name: "log")
      return WKWebView(frame: .zero, configuration: configuration)
    }
    await fixture.relay.settle()
    #expect(recorder.bodies == ["again"])
    #expect(recorder.messages.first?.isRedelivered == true)
    await next.stop()
  }
}
