import PageBridgeTesting
import PageBridgeWebKit
import Testing

/// The order of what delegates are told, and errors, where several navigations meet.
@MainActor
@Suite struct NavigationOrderTests {
  private static let quiet: SimulatedPage.Options = {
    var options = SimulatedPage.Options()
    options.followsLoads = false
    return options
  }()

  private func opened(
    _ delegate: OrderDelegate, _ options: SimulatedPage.Options = quiet
  ) async -> (Fixture, SimulatedPage) {
    let fixture = Fixture()
    fixture.navigationDelegate = delegate
    await fixture.start()
    let page = await fixture.open(options)
    return (fixture, page)
  }

  private func url(_ name: String) -> URL { URL(string: "http://127.0.0.1:8080/\(name)")! }

  private func wish(_ page: SimulatedPage) -> WireValue {
    page.received.last { $0.method == "load" }?.params["navigation"] ?? 0
  }

  @Test func aVisitStartsBeforeItsResponseIsJudged() async {
    let delegate = OrderDelegate()
    _ = await opened(delegate)
    #expect(delegate.events == ["didStart", "decideResponse", "didCommit", "didFinish"])
  }

  @Test func aLoadIsToldToTheDocumentToWhichThePageWentByItself() async {
    let delegate = OrderDelegate()
    let (fixture, page) = await opened(delegate)
    delegate.events = []
    fixture.view.load(URLRequest(url: url("wanted")))
    await fixture.relay.settle()
    page.followLoads(true)
    // The page had been leaving before it heard of the load.
    page.navigate(to: url("other").absoluteString)
    await fixture.relay.settle()
    #expect(page.url == url("wanted").absoluteString)
    #expect(delegate.events == ["decideAction", "didStart", "decideResponse", "didCommit", "didFinish"])
    #expect(delegate.committed.last == url("wanted"))
    #expect(page.received.last { $0.method == "load" }?.params["again"] == true)
  }

  @Test func aWordAboutAnOlderLoadDoesNotTouchTheNewerOne() async {
    let delegate = OrderDelegate()
    let (fixture, page) = await opened(delegate)
    delegate.events = []
    fixture.view.load(URLRequest(url: url("a")))
    await fixture.relay.settle()
    let older = wish(page)
    fixture.view.load(URLRequest(url: url("b")))
    await fixture.relay.settle()
    page.send(
      "navigation",
      [
        "phase": "failed", "url": .string(url("a").absoluteString), "navigation": older,
        "error": ["code": -1_004, "message": "no"],
      ])
    await fixture.relay.settle()
    #expect(
      delegate.events == [
        "decideAction", "didStart", "didFailProvisional -999 /a", "decideAction", "didStart",
      ])
    #expect(fixture.view.isLoading)
  }

  @Test func aPageThatGoesElsewhereOnItsWayEndsTheLoad() async {
    let delegate = OrderDelegate()
    let (fixture, page) = await opened(delegate)
    delegate.events = []
    fixture.view.load(URLRequest(url: url("a")))
    await fixture.relay.settle()
    let started: WireValue = [
      "phase": "started", "url": .string(url("a").absoluteString), "type": "other", "navigation": wish(page),
    ]
    page.send("navigation", started)
    page.send("navigation", ["phase": "started", "url": .string(url("b").absoluteString), "type": "other"])
    page.navigate(to: url("b").absoluteString)
    await fixture.relay.settle()
    #expect(
      delegate.events == [
        "decideAction", "didStart", "didFailProvisional -999 /a", "didStart", "decideResponse", "didCommit",
        "didFinish",
      ])
  }

  @Test func stoppingEndsEachPhaseWithTheAddressThatWasAskedFor() async {
    let delegate = OrderDelegate()
    delegate.holdsActions = true
    let (fixture, page) = await opened(delegate)
    delegate.events = []
    fixture.view.load(URLRequest(url: url("deciding")))
    await fixture.relay.settle()
    fixture.view.stopLoading()
    delegate.answerHeld(.allow)
    await fixture.relay.settle()
    #expect(delegate.events == ["decideAction"])
    #expect(fixture.view.url?.absoluteString == page.url)
    delegate.holdsActions = false
    fixture.view.load(URLRequest(url: url("provisional")))
    await fixture.relay.settle()
    fixture.view.stopLoading()
    await fixture.relay.settle()
    #expect(delegate.events.suffix(2) == ["didStart", "didFailProvisional -999 /provisional"])
    page.send(
      "navigation", ["phase": "started", "url": .string(url("loading").absoluteString), "type": "link"])
    page.send(
      "navigation", ["phase": "committed", "url": .string(url("loading").absoluteString), "type": "other"])
    await fixture.relay.settle()
    fixture.view.stopLoading()
    await fixture.relay.settle()
    #expect(delegate.events.last == "didFail -999 /loading")
    #expect(!fixture.view.isLoading)
    page.send(
      "navigation", ["phase": "finished", "url": .string(url("loading").absoluteString), "type": "other"])
    await fixture.relay.settle()
    #expect(delegate.events.last == "didFail -999 /loading")
  }

  @Test func anAddressThatNoBrowserLoadsFails() async {
    let delegate = OrderDelegate()
    let (fixture, page) = await opened(delegate)
    delegate.events = []
    fixture.view.load(URLRequest(url: URL(string: "nosuch://host/path")!))
    await fixture.relay.settle()
    #expect(delegate.events == ["decideAction", "didStart", "didFailProvisional -1002 /path"])
    #expect(fixture.view.url?.absoluteString == page.url)
    #expect(!page.received.contains { $0.method == "load" })
  }

  @Test func aHostThatNobodyKnowsHasItsOwnError() async {
    let delegate = OrderDelegate()
    let (fixture, page) = await opened(delegate)
    let address = "http://nowhere.invalid/path"
    fixture.view.load(URLRequest(url: URL(string: address)!))
    await fixture.relay.settle()
    page.send(
      "navigation",
      [
        "phase": "failed", "url": .string(address), "navigation": wish(page),
        "error": ["code": -1_004, "message": "Could not connect to the server."],
      ])
    await delegate.failure()
    #expect(delegate.events.last == "didFailProvisional -1003 /path")
  }

  @Test func aRedirectIsToldBeforeTheResponseIsJudged() async {
    let delegate = OrderDelegate()
    let (fixture, page) = await opened(delegate)
    delegate.events = []
    fixture.view.load(URLRequest(url: url("redirecting")))
    await fixture.relay.settle()
    page.send(
      "navigation",
      [
        "phase": "started", "url": .string(url("redirecting").absoluteString), "type": "other",
        "navigation": wish(page),
      ])
    page.navigate(to: url("end").absoluteString)
    await fixture.relay.settle()
    #expect(
      delegate.events == [
        "decideAction", "didStart", "didRedirect /end", "decideResponse", "didCommit", "didFinish",
      ])
    #expect(fixture.view.backForwardList.currentItem?.initialURL == url("redirecting"))
  }

  @Test func aResponseThatIsNotWantedIsAnInterruptedLoad() async {
    let delegate = OrderDelegate()
    let (fixture, page) = await opened(delegate)
    delegate.events = []
    delegate.response = .cancel
    fixture.view.load(URLRequest(url: url("unwanted")))
    await fixture.relay.settle()
    page.send(
      "navigation",
      [
        "phase": "started", "url": .string(url("unwanted").absoluteString), "type": "other",
        "navigation": wish(page),
      ])
    page.navigate(to: url("unwanted").absoluteString)
    await fixture.relay.settle()
    #expect(
      delegate.events == ["decideAction", "didStart", "decideResponse", "didFailProvisional 102 /unwanted"])
    #expect(delegate.failures.last?.domain == "WebKitErrorDomain")
    #expect(page.received.contains { $0.method == "go" && $0.params == ["delta": -1] })
  }

  @Test func aFormsQuestionSaysThatItPosts() async {
    let delegate = OrderDelegate()
    let (fixture, page) = await opened(delegate)
    for (type, id) in [("form", "q1"), ("form_again", "q2"), ("other", "q3")] {
      page.send(
        "navigation",
        [
          "phase": "asked", "url": .string(url("form").absoluteString), "type": .string(type),
          "method": "POST",
        ],
        id: id)
    }
    await fixture.relay.settle()
    #expect(
      delegate.actions.map(\.navigationType) == [.formSubmitted, .formResubmitted, .other])
    #expect(delegate.actions.map(\.request.httpMethod) == ["POST", "POST", "POST"])
    #expect(delegate.actions.allSatisfy { $0.targetFrame?.isMainFrame == true })
    #expect(delegate.actions.allSatisfy { $0.sourceFrame.isMainFrame })
    #expect(page.answers["q1"] == "allow")
  }
}

/// Notes every question and call in order; answers as it is told.
@MainActor
private final class OrderDelegate: NSObject, WKNavigationDelegate {
  var events: [String] = []
  var actions: [WKNavigationAction] = []
  var committed: [URL?] = []
  var failures: [NSError] = []
  var response = WKNavigationResponsePolicy.allow
  var holdsActions = false
  private var held: [@MainActor (WKNavigationActionPolicy) -> Void] = []
  private var waiter: CheckedContinuation<Void, Never>?

  func answerHeld(_ policy: WKNavigationActionPolicy) {
    let held = held
    self.held = []
    for each in held { each(policy) }
  }

  /// Returns once a navigation has failed.
  func failure() async {
    guard failures.isEmpty else { return }
    await withCheckedContinuation { waiter = $0 }
  }

  func webView(
    _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
    decisionHandler: @escaping @MainActor (WKNavigationActionPolicy) -> Void
  ) {
    events.append("decideAction")
    actions.append(navigationAction)
    if holdsActions { held.append(decisionHandler) } else { decisionHandler(.allow) }
  }

  func webView(
    _ webView: WKWebView, decidePolicyFor navigationResponse: WKNavigationResponse,
    decisionHandler: @escaping @MainActor (WKNavigationResponsePolicy) -> Void
  ) {
    events.append("decideResponse")
    decisionHandler(response)
  }

  func webView(_ webView: WKWebView, didStartProvisionalNavigation navigation: WKNavigation!) {
    events.append("didStart")
  }

  func webView(
    _ webView: WKWebView, didReceiveServerRedirectForProvisionalNavigation navigation: WKNavigation!
  ) {
    events.append("didRedirect \(webView.url?.path ?? "")")
  }

  func webView(_ webView: WKWebView, didCommit navigation: WKNavigation!) {
    events.append("didCommit")
    committed.append(webView.url)
  }

  func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) {
    events.append("didFinish")
  }

  func webView(
    _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error
  ) {
    note("didFailProvisional", error)
  }

  func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error) {
    note("didFail", error)
  }

  private func note(_ event: String, _ error: any Error) {
    let error = error as NSError
    failures.append(error)
    let path = (error.userInfo[NSURLErrorFailingURLErrorKey] as? URL)?.path ?? "?"
    events.append("\(event) \(error.code) \(path)")
    waiter?.resume()
    waiter = nil
  }
}
