import PageBridgeTesting
import PageBridgeWebKit
import Testing

@MainActor
@Suite struct NavigationTests {
  @Test func aPageThatOpensCallsStartCommitFinish() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    #expect(fixture.recorder.events == ["didStart", "didCommit", "didFinish"])
    #expect(fixture.view.url?.absoluteString == page.url)
    #expect(fixture.view.title == "Simulated")
    #expect(!fixture.view.isLoading)
    #expect(fixture.view.estimatedProgress == 1)
    #expect(!fixture.view.canGoBack)
  }

  @Test func loadLeadsThePageElsewhere() async throws {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    fixture.recorder.events = []
    let target = URL(string: "http://127.0.0.1:8080/two")!
    let navigation = fixture.view.load(URLRequest(url: target))
    #expect(navigation != nil)
    #expect(fixture.view.url == target)
    #expect(fixture.view.isLoading)
    #expect(fixture.view.estimatedProgress == 0.1)
    #expect(fixture.recorder.events == [])
    await fixture.relay.settle()
    #expect(page.url == target.absoluteString)
    #expect(fixture.recorder.events == ["didStart", "didCommit", "didFinish"])
    #expect(fixture.view.url == target)
    #expect(fixture.view.canGoBack)
    #expect(fixture.scenes.count == 1)
  }

  @Test func isLoadingIsFalseInsideDidFinish() async {
    let fixture = Fixture()
    let delegate = FinishDelegate()
    fixture.navigationDelegate = delegate
    await fixture.start()
    _ = await fixture.open()
    #expect(delegate.wasLoading == [false])
    #expect(delegate.progress == [1])
  }

  @Test func theNavigationOfLoadComesBackInTheCallbacks() async {
    let fixture = Fixture()
    let delegate = FinishDelegate()
    fixture.navigationDelegate = delegate
    await fixture.start()
    _ = await fixture.open()
    let navigation = fixture.view.load(URLRequest(url: URL(string: "http://127.0.0.1:8080/two")!))
    await fixture.relay.settle()
    #expect(delegate.navigations.last === navigation)
  }

  @Test func aPagesOwnNavigationHasItsOwnCallbacks() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    fixture.recorder.events = []
    page.send("navigation", ["phase": "started", "url": "http://127.0.0.1:8080/link", "type": "link"])
    await fixture.relay.settle()
    #expect(fixture.recorder.events == ["didStart"])
    #expect(fixture.view.isLoading)
    #expect(fixture.view.url?.path == "/link")
    page.navigate(to: "http://127.0.0.1:8080/link")
    await fixture.relay.settle()
    #expect(fixture.recorder.events == ["didStart", "didCommit", "didFinish"])
  }

  @Test func aLoadThatFailsBeforeItsPageKeepsTheOldOne() async {
    let fixture = Fixture()
    await fixture.start()
    var options = SimulatedPage.Options()
    options.followsLoads = false
    let page = await fixture.open(options)
    fixture.recorder.events = []
    fixture.view.load(URLRequest(url: URL(string: "http://127.0.0.1:1/")!))
    await fixture.relay.settle()
    #expect(fixture.view.isLoading)
    page.send(
      "navigation",
      [
        "phase": "failed", "url": "http://127.0.0.1:1/",
        "error": ["code": -1_004, "message": "Could not connect to the server."],
      ])
    await fixture.relay.settle()
    #expect(fixture.recorder.events == ["didStart", "didFailProvisional -1004"])
    #expect(!fixture.view.isLoading)
    #expect(fixture.view.url?.absoluteString == page.url)
  }

  @Test func aFailureAfterCommitIsAnotherCallback() async {
    let fixture = Fixture()
    await fixture.start()
    var options = SimulatedPage.Options()
    options.tellsState = false
    let page = await fixture.open(options)
    page.send("navigation", ["phase": "committed", "url": .string(page.url), "type": "other"])
    page.send(
      "navigation",
      ["phase": "failed", "url": .string(page.url), "error": ["code": -1_005, "message": "lost"]])
    await fixture.relay.settle()
    #expect(fixture.recorder.events == ["didStart", "didCommit", "didFail -1005"])
  }

  @Test func ofSeveralLoadsTheLastOneWins() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    fixture.recorder.events = []
    for name in ["a", "b", "c"] {
      fixture.view.load(URLRequest(url: URL(string: "http://127.0.0.1:8080/\(name)")!))
    }
    await fixture.relay.settle()
    #expect(page.url == "http://127.0.0.1:8080/c")
    #expect(fixture.recorder.events == ["didStart", "didCommit", "didFinish"])
    #expect(fixture.view.url?.path == "/c")
  }

  @Test func aLoadThatIsSupersededOnItsWayIsCancelled() async {
    let fixture = Fixture()
    await fixture.start()
    var options = SimulatedPage.Options()
    options.followsLoads = false
    _ = await fixture.open(options)
    fixture.recorder.events = []
    fixture.view.load(URLRequest(url: URL(string: "http://127.0.0.1:8080/a")!))
    await fixture.relay.settle()
    fixture.view.load(URLRequest(url: URL(string: "http://127.0.0.1:8080/b")!))
    await fixture.relay.settle()
    #expect(fixture.recorder.events == ["didStart", "didFailProvisional -999", "didStart"])
  }

  @Test func stopLoadingEndsAProvisionalNavigation() async {
    let fixture = Fixture()
    await fixture.start()
    var options = SimulatedPage.Options()
    options.followsLoads = false
    let page = await fixture.open(options)
    fixture.recorder.events = []
    fixture.view.load(URLRequest(url: URL(string: "http://127.0.0.1:8080/hang")!))
    await fixture.relay.settle()
    fixture.view.stopLoading()
    #expect(!fixture.view.isLoading)
    #expect(fixture.recorder.events == ["didStart"])
    await fixture.relay.settle()
    #expect(fixture.recorder.events == ["didStart", "didFailProvisional -999"])
    #expect(page.received.contains { $0.method == "stop" })
    #expect(fixture.view.url?.absoluteString == page.url)
  }

  @Test func reloadKeepsTheAddressAndTheSession() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    let session = page.session
    fixture.recorder.events = []
    fixture.view.reload()
    await fixture.relay.settle()
    #expect(fixture.recorder.events == ["didStart", "didCommit", "didFinish"])
    #expect(page.documents.count == 2)
    #expect(page.session == session)
    #expect(fixture.scenes.count == 1)
    fixture.view.reloadFromOrigin()
    await fixture.relay.settle()
    #expect(page.received.last { $0.method == "reload" }?.params["fromOrigin"] == true)
  }

  @Test func goingBackIsAskedOfThePageOnlyWhenItCan() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    #expect(fixture.view.goBack() == nil)
    #expect(fixture.view.goForward() == nil)
    page.navigate(to: "http://127.0.0.1:8080/two")
    await fixture.relay.settle()
    #expect(fixture.view.goBack() != nil)
    await fixture.relay.settle()
    #expect(page.received.last { $0.method == "go" }?.params == ["delta": -1])
  }

  @Test func aStepInTheHistoryIsANavigationOnlyIfAnotherDocumentComesOfIt() async {
    let fixture = Fixture()
    let delegate = FinishDelegate()
    fixture.navigationDelegate = delegate
    await fixture.start()
    let page = await fixture.open()
    page.send("state", ["url": "http://127.0.0.1:8080/pushed", "history": ["back": true, "forward": false]])
    await fixture.relay.settle()
    // Back to where the page's own pushState came from.
    _ = fixture.view.goBack()
    page.send("state", ["url": "http://127.0.0.1:8080/page", "history": ["back": true, "forward": true]])
    await fixture.relay.settle()
    #expect(!fixture.view.isLoading)
    #expect(fixture.view.url?.path == "/page")
    let step = fixture.view.goBack()
    await fixture.relay.settle()
    page.navigate(to: "http://127.0.0.1:8080/before")
    await fixture.relay.settle()
    #expect(delegate.navigations.count == 2)
    #expect(delegate.navigations.last === step)
  }

  @Test func aDocumentThatReturnsFromTheCacheIsANavigation() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    let first = page.documents[0]
    let firstURL = page.url
    page.navigate(to: "http://127.0.0.1:8080/two")
    await fixture.relay.settle()
    fixture.recorder.events = []
    fixture.view.configuration.userContentController.add(fixture.recorder, name: "later")
    page.restore(document: first)
    await fixture.relay.settle()
    #expect(fixture.recorder.events == ["didStart", "didCommit", "didFinish"])
    #expect(fixture.view.url?.absoluteString == firstURL)
    #expect(page.handlers == ["log", "later"])
    page.post(1, to: "later")
    await fixture.relay.settle()
    #expect(fixture.recorder.bodies == [1])
  }

  @Test func addressTitleAndHistoryFollowThePagesState() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    fixture.recorder.events = []
    page.send(
      "state",
      [
        "url": "http://127.0.0.1:8080/pushed", "title": "  A\n  B ",
        "history": ["back": true, "forward": true],
      ])
    await fixture.relay.settle()
    #expect(fixture.view.url?.path == "/pushed")
    #expect(fixture.view.title == "A B")
    #expect(fixture.view.canGoBack)
    #expect(fixture.view.canGoForward)
    #expect(fixture.recorder.events == [])
  }

  @Test func messagesOfANewDocumentFollowItsCommit() async {
    let fixture = Fixture()
    await fixture.start()
    var options = SimulatedPage.Options()
    options.tellsState = false
    let page = fixture.relay.makePage(app: "test", options: options)
    fixture.recorder.onMessage = { [unowned recorder = fixture.recorder] _ in
      recorder.events.append("message")
    }
    page.send("navigation", ["phase": "committed", "url": "http://127.0.0.1:8080/page", "type": "other"])
    page.post(1, to: "log")
    page.open()
    await fixture.relay.settle()
    #expect(fixture.recorder.events == ["didStart", "didCommit", "message"])
  }

  @Test func aPlaceholderIsLoadedOverAndNotKeptInTheHistory() async throws {
    let fixture = Fixture()
    fixture.configure = { view, scene in
      #expect(scene.isPlaceholder)
      view.load(URLRequest(url: URL(string: "http://127.0.0.1:8080/app")!))
    }
    await fixture.start()
    var options = SimulatedPage.Options()
    options.isPlaceholder = true
    let page = await fixture.open(options)
    #expect(page.received.first { $0.method == "load" }?.params["replace"] == true)
    #expect(page.url == "http://127.0.0.1:8080/app")
    #expect(fixture.scenes.count == 1)
  }

  @Test func aLoadToAnotherOriginCarriesATicket() async throws {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    let session = page.session
    fixture.view.load(URLRequest(url: URL(string: "http://127.0.0.1:9000/there#part")!))
    await fixture.relay.settle()
    let url = try #require(page.received.last { $0.method == "load" }?.params["url"]?.string)
    #expect(url.hasPrefix("http://127.0.0.1:9000/there#part&pagebridge=\(session ?? "?")."))
    #expect(page.session == session)
    #expect(page.url == "http://127.0.0.1:9000/there#part")
    #expect(fixture.view.url?.absoluteString == "http://127.0.0.1:9000/there#part")
    #expect(fixture.scenes.count == 1)
  }

  @Test func theDelegateIsHeldWeakly() async {
    let fixture = Fixture()
    await fixture.start()
    _ = await fixture.open()
    var delegate: Recorder? = Recorder()
    fixture.view.navigationDelegate = delegate
    #expect(fixture.view.navigationDelegate != nil)
    delegate = nil
    #expect(fixture.view.navigationDelegate == nil)
  }

  @Test func aTabThatIsClosedTerminatesOnceAndEndsTheVisit() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    fixture.recorder.events = []
    page.leave()
    await fixture.relay.settle()
    fixture.relay.advance(by: .milliseconds(9_999))
    await fixture.relay.settle()
    #expect(fixture.recorder.events == [])
    fixture.relay.advance(by: .milliseconds(1))
    await fixture.relay.settle()
    #expect(fixture.recorder.events == ["didTerminate"])
    #expect(fixture.view.url?.absoluteString == page.url)
    #expect(!fixture.view.isLoading)
    fixture.relay.advance(by: .seconds(3_600))
    await fixture.relay.settle()
    #expect(fixture.recorder.events == ["didTerminate"])
  }

  @Test func aReloadInTimeIsNoEnd() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    page.navigate(to: page.url)
    await fixture.relay.settle()
    fixture.relay.advance(by: .seconds(60))
    await fixture.relay.settle()
    #expect(!fixture.recorder.events.contains("didTerminate"))
    #expect(page.state == .attached)
  }
}

@MainActor
private final class FinishDelegate: NSObject, WKNavigationDelegate {
  var wasLoading: [Bool] = []
  var progress: [Double] = []
  var navigations: [WKNavigation] = []

  func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) {
    wasLoading.append(webView.isLoading)
    progress.append(webView.estimatedProgress)
    navigations.append(navigation)
  }
}
