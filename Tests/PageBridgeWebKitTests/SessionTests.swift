import PageBridgeTesting
import PageBridgeWebKit
import Testing

@MainActor
@Suite struct SessionTests {
  @Test func eachVisitorHasAViewOfItsOwn() async {
    let fixture = Fixture()
    await fixture.start()
    let first = await fixture.open()
    let second = await fixture.open()
    #expect(fixture.scenes.count == 2)
    #expect(fixture.views[0].sessionID == first.session)
    #expect(fixture.views[1].sessionID == second.session)
    first.post(1, to: "log")
    second.post(2, to: "log")
    await fixture.relay.settle()
    #expect(fixture.recorder.messages.map { $0.webView === fixture.views[0] } == [true, false])
  }

  @Test func whatTheClosureReturnsLivesAsLongAsTheVisitor() async {
    let relay = SimulatedRelay()
    let host = relay.makeHost(app: "test")
    weak var kept: Recorder?
    host.start { _ in
      let object = Recorder()
      kept = object
      return object
    }
    let page = relay.makePage(app: "test")
    page.open()
    await relay.settle()
    #expect(kept != nil)
    page.leave()
    await relay.settle()
    #expect(kept != nil)
    relay.advance(by: .seconds(10))
    await relay.settle()
    #expect(kept == nil)
  }

  @Test func aCutSessionLivesForItsGrace() async {
    var options = WebViewHost.Options()
    options.sessionGrace = .seconds(100)
    let fixture = Fixture(options: options)
    await fixture.start()
    let page = await fixture.open()
    fixture.recorder.events = []
    page.cut()
    await fixture.relay.settle()
    fixture.relay.advance(by: .seconds(99))
    await fixture.relay.settle()
    #expect(fixture.recorder.events == [])
    page.open()
    await fixture.relay.settle()
    #expect(page.state == .attached)
    page.cut()
    await fixture.relay.settle()
    fixture.relay.advance(by: .seconds(100))
    await fixture.relay.settle()
    #expect(fixture.recorder.events == ["didTerminate"])
  }

  @Test func aDocumentThatNeverOpensASocketIsForgotten() async {
    let fixture = Fixture()
    await fixture.start()
    fixture.relay.sendRaw(
      #"{"open":{"session":"\#(await session(fixture, suffix: "a"))","document":"dddddddd","url":"http://x/","client":{"kind":"page"},"page":"fresh"}}"#,
      toHostsOf: "test")
    await fixture.relay.settle()
    #expect(fixture.scenes.count == 1)
    fixture.relay.advance(by: .seconds(30))
    await fixture.relay.settle()
    #expect(fixture.recorder.events == ["didTerminate"])
  }

  @Test func whatDoesNotDecodeEndsThatSessionAlone() async throws {
    let file = TemporaryFile()
    var options = WebViewHost.Options()
    options.eventsFile = file.url
    let fixture = Fixture(options: options)
    await fixture.start()
    let good = await fixture.open()
    let bad = await fixture.open()
    let worse = await fixture.open()
    let names = [bad.session, worse.session]
    bad.sendRaw(#""method":"message","params":{"handler":5}}"#)
    worse.sendRaw(#""method":"message","params":{"handler":"log","body":{"$":["nonsense"]}}}"#)
    await fixture.relay.settle()
    #expect(bad.state == .ended)
    #expect(worse.state == .ended)
    good.post("still", to: "log")
    await fixture.relay.settle()
    #expect(fixture.recorder.bodies == ["still"])
    #expect(good.state == .attached)
    #expect(fixture.recorder.events.filter { $0 == "didTerminate" }.count == 2)
    await fixture.host.events.flush()
    let errors = try file.events().filter { $0["event"] == "error" }
    #expect(errors.map { $0["session"]?.string } == names)
  }

  @Test func brokenTextFromARelayHarmsNobody() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    for text in [
      "", "x", "{", "[]", "{}", #"{"open":{}}"#, #"{"future":{}}"#, #"{"attached":{"session":5}}"#,
      #"["short",{}]"#, #"{"content":{"id":-1}}"#, #"{"contentCredit":{"id":77,"bytes":5}}"#,
    ] {
      fixture.relay.sendRaw(text, toHostsOf: "test")
    }
    page.post("still", to: "log")
    await fixture.relay.settle()
    #expect(fixture.recorder.bodies == ["still"])
  }

  @Test func anUnknownMethodWithAnIdIsAnsweredByAnError() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    page.send("fromTheFuture", [:], id: "p9")
    page.post(1, to: "log")
    await fixture.relay.settle()
    #expect(fixture.recorder.bodies == [1])
    #expect(page.errors["p9"]?["code"] == -32_601)
  }

  @Test func theViewOfTheHostItselfIsOpenedByItsAddressOnce() async throws {
    let fixture = Fixture()
    await fixture.start()
    let configuration = WKWebViewConfiguration()
    configuration.userContentController.add(fixture.recorder, name: "log")
    let view = WKWebView(frame: .zero, configuration: configuration, host: fixture.host)
    let address = view.pageURL.absoluteString
    #expect(
      address.hasPrefix("http://127.0.0.1:8080/s/\(view.sessionID)/#pagebridge=\(view.sessionID)."))
    let page = fixture.relay.makePage(app: "test")
    page.open(address)
    await fixture.relay.settle()
    #expect(page.session == view.sessionID)
    #expect(page.state == .attached)
    #expect(fixture.scenes.count == 0)
    page.post("x", to: "log")
    await fixture.relay.settle()
    #expect(fixture.recorder.bodies == ["x"])
    // The ticket is used up.
    let thief = fixture.relay.makePage(app: "test")
    thief.open(address)
    await fixture.relay.settle()
    #expect(thief.state != .attached)
    #expect(page.state == .attached)
  }

  @Test func aTicketIsTooOldAfterThirtySeconds() async {
    let fixture = Fixture()
    await fixture.start()
    let view = WKWebView(frame: .zero, configuration: WKWebViewConfiguration(), host: fixture.host)
    let early = view.pageURL.absoluteString
    await fixture.relay.settle()
    fixture.relay.advance(by: .milliseconds(29_999))
    let page = fixture.relay.makePage(app: "test")
    page.open(early)
    await fixture.relay.settle()
    #expect(page.state == .attached)
    let late = view.pageURL.absoluteString
    await fixture.relay.settle()
    fixture.relay.advance(by: .seconds(30))
    let second = fixture.relay.makePage(app: "test")
    second.open(late)
    await fixture.relay.settle()
    #expect(second.state != .attached)
  }

  @Test func aHostFirstViewLoadsBeforeAnybodyOpensIt() async {
    let fixture = Fixture()
    await fixture.start()
    let view = WKWebView(frame: .zero, configuration: WKWebViewConfiguration(), host: fixture.host)
    view.navigationDelegate = fixture.recorder
    view.loadHTMLString("<p>app", baseURL: nil)
    await fixture.relay.settle()
    #expect(view.pageURL.absoluteString.contains("/html/"))
    let page = fixture.relay.makePage(app: "test")
    page.open(view.pageURL.absoluteString)
    await fixture.relay.settle()
    #expect(fixture.recorder.events == ["didStart", "didCommit", "didFinish"])
    #expect(await fixture.relay.get(String(page.url.dropFirst(21))).text.hasSuffix("<p>app"))
  }

  @Test func theSceneSaysWhoIsThere() async {
    let fixture = Fixture()
    await fixture.start()
    var options = SimulatedPage.Options()
    options.url = "http://127.0.0.1:8080/pages/player/?x=1"
    let page = await fixture.open(options)
    #expect(fixture.scene.url?.absoluteString == page.url)
    #expect(fixture.scene.clientKind == .page)
    #expect(!fixture.scene.isPlaceholder)
    #expect(!fixture.scene.isResumed)
    #expect(fixture.scene.host === fixture.host)
    #expect(fixture.scene.webViews == [fixture.view])
    #expect(fixture.view.screen === fixture.scene.screen)
  }

  @Test func settingsReachThePage() async {
    let fixture = Fixture()
    fixture.configure = { view, _ in
      view.scrollView.bounces = false
      view.scrollView.isScrollEnabled = false
      view.backgroundColor = .black
      view.isOpaque = false
    }
    await fixture.start()
    let page = await fixture.open()
    #expect(page.settings["bounces"] == false)
    #expect(page.settings["isScrollEnabled"] == false)
    #expect(page.settings["backgroundColor"] == "#000000")
    #expect(page.settings["isOpaque"] == false)
    #expect(page.settings["allowsInlineMediaPlayback"] == false)
    #expect(page.settings["mediaTypesRequiringUserActionForPlayback"] == ["audio", "video"])
    fixture.view.scrollView.isScrollEnabled = true
    await fixture.relay.settle()
    #expect(page.settings["isScrollEnabled"] == true)
  }

  /// A session id of the fixture's own instance.
  private func session(_ fixture: Fixture, suffix: String) async -> String {
    let view = WKWebView(frame: .zero, configuration: WKWebViewConfiguration(), host: fixture.host)
    return view.sessionID.prefix(11) + String(repeating: suffix, count: 22)
  }
}
