import PageBridgeTesting
import PageBridgeWebKit
import Testing

/// Windows that pages open, and close.
@MainActor
@Suite struct WindowTests {
  @Test func aPageInATabGetsTheAddressOfTheNewViewsPage() async throws {
    let (fixture, page, delegate) = await open()
    let answer = await fixture.relay.dialog("open", "http://127.0.0.1:8080/second", of: page)
    let view = try #require(delegate.views.first)
    guard case .value(let window) = answer else {
      Issue.record("no window: \(answer)")
      return
    }
    #expect(window["window"]?.string == view.sessionID)
    let address = try #require(window["url"]?.string)
    #expect(address.hasPrefix("http://127.0.0.1:8080/second#pagebridge=\(view.sessionID)."))
    #expect(view.url?.absoluteString == "http://127.0.0.1:8080/second" && view.isLoading)
    let action = try #require(delegate.actions.first)
    #expect(action.request.url?.absoluteString == "http://127.0.0.1:8080/second")
    #expect(action.navigationType == .other && action.targetFrame == nil)
    #expect(action.sourceFrame.isMainFrame && action.sourceFrame.webView === fixture.view)

    // The browser opens it: the page belongs to the new view, which its page may close.
    let tab = fixture.relay.makePage(app: "test")
    tab.open(address)
    await fixture.relay.settle()
    #expect(tab.session == view.sessionID && tab.settings["openedByScript"] == true)
    #expect(page.settings["openedByScript"] == false)
    tab.send("windowClose", [:])
    await fixture.relay.settle()
    #expect(delegate.closed.map { ObjectIdentifier($0) } == [ObjectIdentifier(view)])
  }

  @Test func aPageInAViewerGetsAViewOnTheSameScreen() async throws {
    let fixture = Fixture()
    let delegate = Windows()
    fixture.configure = { view, _ in view.uiDelegate = delegate }
    await fixture.start()
    var options = SimulatedPage.Options()
    options.isScreen = true
    let viewer = await fixture.open(options)
    viewer.send(
      "message", ["handler": "pagebridgeScreen", "body": ["type": "metrics", "width": 390, "height": 844]])
    await fixture.relay.settle()
    fixture.view.load(URLRequest(url: URL(string: "http://127.0.0.1:8080/first")!))
    await fixture.relay.settle()
    let page = try #require(viewer.frame)
    let answer = await fixture.relay.dialog("open", "http://127.0.0.1:8080/second", of: page)
    let view = try #require(delegate.views.first)
    #expect(answer == .value(["window": .string(view.sessionID)]))
    #expect(view.screen === fixture.scene.screen)
    await fixture.relay.settle()
    // A view of one's own colour hides what lies under it.
    #expect(viewer.commands("frame").last?["background"] == "white")
    view.backgroundColor = .black
    await fixture.relay.settle()
    #expect(viewer.commands("frame").last?["background"]?.string == WebColor.black.css)
    view.backgroundColor = nil
    view.isOpaque = false
    await fixture.relay.settle()
    #expect(viewer.commands("frame").last?["background"] == "transparent")
    let shown = viewer.commands("content").map { $0["id"]?.string }
    #expect(shown.last == view.sessionID && shown.contains(fixture.view.sessionID))
  }

  @Test func withoutDelegateMethodOrViewNothingIsOpened() async {
    let (fixture, page, delegate) = await open()
    delegate.makes = false
    #expect(await fixture.relay.dialog("open", "http://127.0.0.1:8080/", of: page) == .unanswered)
    #expect(delegate.actions.count == 1)
    fixture.view.uiDelegate = nil
    #expect(await fixture.relay.dialog("open", "http://127.0.0.1:8080/", of: page) == .unanswered)
    let silent = SilentWindows()
    fixture.view.uiDelegate = silent
    #expect(await fixture.relay.dialog("open", "http://127.0.0.1:8080/", of: page) == .unanswered)
  }

  @Test func aViewWithAnotherConfigurationIsReportedAndNotUsed() async throws {
    let file = TemporaryFile()
    var options = WebViewHost.Options()
    options.eventsFile = file.url
    let (fixture, page, delegate) = await open(options)
    delegate.usesOther = true
    #expect(await fixture.relay.dialog("open", "http://127.0.0.1:8080/", of: page) == .unanswered)
    await fixture.host.events.flush()
    let errors = try file.events().filter { $0["event"] == "error" }
    #expect(errors.first?["message"]?.string?.contains("given configuration") == true)
  }

  @Test func aViewThatIsLetGoAtOnceLeavesThePageNotWaiting() async {
    let (fixture, page, delegate) = await open()
    delegate.keeps = false
    #expect(await fixture.relay.dialog("open", "http://127.0.0.1:8080/", of: page) == .unanswered)
  }

  @Test(arguments: ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "custom:thing"])
  func whatABrowserMustNotLoadLeavesTheWindowEmpty(_ address: String) async throws {
    let (fixture, page, delegate) = await open()
    guard case .value(let window) = await fixture.relay.dialog("open", address, of: page) else {
      Issue.record("no window")
      return
    }
    // The app learns what was asked for.
    #expect(delegate.actions.first?.request.url?.absoluteString == address)
    let view = try #require(delegate.views.first)
    #expect(view.url?.absoluteString == "about:blank")
    #expect(window["url"]?.string?.contains("/s/\(view.sessionID)/") == true)
    page.send("windowLoad", ["window": .string(view.sessionID), "url": .string(address)])
    await fixture.relay.settle()
    #expect(view.url?.absoluteString == "about:blank")
  }

  @Test func aLinkAsksTheNavigationDelegateFirst() async throws {
    let (fixture, page, delegate) = await open()
    let frame: WireValue = ["main": true, "url": .string(page.url)]
    page.send("open", ["url": "http://127.0.0.1:8080/linked", "frame": frame], id: "p1")
    await fixture.relay.settle()
    let view = try #require(delegate.views.first)
    #expect(page.answers["p1"]?["window"]?.string == view.sessionID)
    let action = try #require(delegate.actions.first)
    #expect(action.navigationType == .linkActivated && action.targetFrame == nil)

    let policy = Policy()
    fixture.view.navigationDelegate = policy
    page.send("open", ["url": "http://127.0.0.1:8080/no", "frame": frame], id: "p2")
    await fixture.relay.settle()
    #expect(policy.asked == ["http://127.0.0.1:8080/no without target"])
    #expect(page.answers["p2"] == .null && delegate.actions.count == 1)
  }

  @Test func pagesReachOnlyWindowsThatTheyHaveOpened() async throws {
    let (fixture, page, delegate) = await open()
    // Nobody has opened this page's own window.
    page.send("windowClose", [:])
    _ = await fixture.relay.dialog("open", "http://127.0.0.1:8080/a", of: page)
    weak let view = delegate.views.first
    let window = try #require(view?.sessionID)
    let other = await fixture.open()
    other.send("windowClose", ["window": .string(window)])
    other.send("windowLoad", ["window": .string(window), "url": "http://127.0.0.1:8080/b"])
    await fixture.relay.settle()
    #expect(delegate.closed.isEmpty && view?.url?.path == "/a")
    page.send("windowLoad", ["window": .string(window), "url": "http://127.0.0.1:8080/b"])
    page.send("windowClose", ["window": .string(window)])
    await fixture.relay.settle()
    #expect(view?.url?.path == "/b" && delegate.closed.count == 1)
    // The page hears when the view is gone.
    delegate.views = []
    delegate.closed = []
    await fixture.relay.settle()
    let told = page.received.filter { $0.method == "windowClosed" }.map { $0.params["window"]?.string }
    #expect(told == [window])
  }

  @Test func featuresAreReadAsBrowsersDo() async {
    let (fixture, page, delegate) = await open()
    func features(_ text: String) async -> WKWindowFeatures {
      _ = await fixture.relay.dialog("open", "about:blank", features: text, of: page)
      return delegate.features.last!
    }
    let none = await features("")
    #expect(none.x == nil && none.width == nil && none.menuBarVisibility == nil && none.allowsResizing == nil)
    let all = await features(
      "left=10,top = -20 WIDTH=400.9, height=300px;,menubar,status=no,toolbar=1,resizable=0")
    #expect(all.x == 10 && all.y == -20 && all.width == 400 && all.height == 300)
    #expect(all.menuBarVisibility == true && all.statusBarVisibility == false)
    #expect(all.toolbarsVisibility == true && all.allowsResizing == false)
    let hostile = await features("===,,width==5,x" + String(repeating: "=", count: 1_000))
    #expect(hostile.height == nil)
  }

  private func open(
    _ options: WebViewHost.Options = WebViewHost.Options()
  ) async -> (Fixture, SimulatedPage, Windows) {
    let fixture = Fixture(options: options)
    let delegate = Windows()
    fixture.configure = { view, _ in view.uiDelegate = delegate }
    await fixture.start()
    return (fixture, await fixture.open(), delegate)
  }
}

/// Makes views, unless it is told not to, and keeps them.
@MainActor
private final class Windows: NSObject, WKUIDelegate {
  var makes = true
  var keeps = true
  var usesOther = false
  var views: [WKWebView] = []
  var actions: [WKNavigationAction] = []
  var features: [WKWindowFeatures] = []
  var closed: [WKWebView] = []

  func webView(
    _ webView: WKWebView, createWebViewWith configuration: WKWebViewConfiguration,
    for navigationAction: WKNavigationAction, windowFeatures: WKWindowFeatures
  ) -> WKWebView? {
    actions.append(navigationAction)
    features.append(windowFeatures)
    guard makes else { return nil }
    let view = WKWebView(frame: .zero, configuration: usesOther ? WKWebViewConfiguration() : configuration)
    view.uiDelegate = self
    if keeps { views.append(view) }
    return view
  }

  func webViewDidClose(_ webView: WKWebView) {
    closed.append(webView)
  }
}

@MainActor
private final class SilentWindows: NSObject, WKUIDelegate {}

/// Denies everything.
@MainActor
private final class Policy: NSObject, WKNavigationDelegate {
  var asked: [String] = []

  func webView(
    _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
    decisionHandler: @escaping @MainActor (WKNavigationActionPolicy) -> Void
  ) {
    let url = navigationAction.request.url?.absoluteString ?? ""
    asked.append(url + (navigationAction.targetFrame == nil ? " without target" : ""))
    decisionHandler(.cancel)
  }
}
