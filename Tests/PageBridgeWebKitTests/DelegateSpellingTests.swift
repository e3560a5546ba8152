import PageBridgeTesting
import PageBridgeWebKit
import Testing

/// There are no optional methods here, and Swift takes a closure with another actor for another method: each spelling
/// must be the one that is called, or `.cancel` would be ignored without a word.
@MainActor
@Suite struct DelegateSpellingTests {
  @Test func thePlainClosureIsCalledAndItsCancelHonoured() async {
    await expectCancel(PlainDelegate(), "plain")
  }

  @Test func theMainActorClosureIsCalledAndItsCancelHonoured() async {
    await expectCancel(MainActorDelegate(), "@MainActor")
  }

  @Test func theSendableMainActorClosureIsCalledAndItsCancelHonoured() async {
    await expectCancel(SendableDelegate(), "@MainActor @Sendable")
  }

  @Test func theAsyncMethodIsCalledAndItsCancelHonoured() async {
    await expectCancel(AsyncDelegate(), "async")
  }

  @Test func thePlainClosureWithPreferencesIsCalledAndItsCancelHonoured() async {
    await expectCancel(PlainPreferencesDelegate(), "plain, preferences")
  }

  @Test func theMainActorClosureWithPreferencesIsCalledAndItsCancelHonoured() async {
    await expectCancel(MainActorPreferencesDelegate(), "@MainActor, preferences")
  }

  @Test func theSendableClosureWithPreferencesIsCalledAndItsCancelHonoured() async {
    await expectCancel(SendablePreferencesDelegate(), "@MainActor @Sendable, preferences")
  }

  @Test func theAsyncMethodWithPreferencesIsCalledAndItsCancelHonoured() async {
    await expectCancel(AsyncPreferencesDelegate(), "async, preferences")
  }

  @Test func aDelegateWithoutTheMethodAllows() async {
    let fixture = Fixture()
    let delegate = SilentDelegate()
    fixture.navigationDelegate = delegate
    await fixture.start()
    let page = await fixture.open()
    let answer = await ask(page, fixture)
    #expect(answer == "allow")
    fixture.view.load(URLRequest(url: URL(string: "http://127.0.0.1:8080/other")!))
    await fixture.relay.settle()
    #expect(page.url == "http://127.0.0.1:8080/other")
    #expect(delegate.events == ["didStart", "didStart"])
  }

  @Test func pagesAskOnlyWhileSomebodyMayAnswer() async {
    let fixture = Fixture()
    let unasked = UnaskedDelegate()
    fixture.navigationDelegate = unasked
    await fixture.start()
    let page = await fixture.open()
    #expect(page.settings["asksNavigation"] == true)
    _ = await ask(page, fixture)
    await fixture.relay.settle()
    #expect(page.settings["asksNavigation"] == false)
    let answering = PlainDelegate()
    fixture.view.navigationDelegate = answering
    await fixture.relay.settle()
    #expect(page.settings["asksNavigation"] == true)
    fixture.view.navigationDelegate = nil
    await fixture.relay.settle()
    #expect(page.settings["asksNavigation"] == false)
  }

  @Test func aDelegateThatForgetsItsClosureCancelsAndIsReported() async throws {
    let file = TemporaryFile()
    var options = WebViewHost.Options()
    options.eventsFile = file.url
    let fixture = Fixture(options: options)
    let delegate = ForgetfulDelegate()
    fixture.navigationDelegate = delegate
    await fixture.start()
    let page = await fixture.open()
    #expect(await ask(page, fixture) == "cancel")
    await fixture.host.stop()
    let errors = try file.events().filter { $0["event"] == "error" }
    let report: WireValue = "a navigation delegate did not call its decision handler; taken as .cancel"
    #expect(errors.map { $0["message"] } == [report])
  }

  @Test func onlyTheFirstOfTwoAnswersCounts() async {
    let fixture = Fixture()
    let delegate = TalkativeDelegate()
    fixture.navigationDelegate = delegate
    await fixture.start()
    let page = await fixture.open()
    #expect(await ask(page, fixture) == "cancel")
  }

  @Test func theActionSaysWhatIsAsked() async {
    let fixture = Fixture()
    let delegate = PlainDelegate()
    fixture.navigationDelegate = delegate
    await fixture.start()
    let page = await fixture.open()
    _ = await ask(page, fixture)
    #expect(delegate.log.action?.request.url?.absoluteString == "http://restricted.com/")
    #expect(delegate.log.action?.navigationType == .linkActivated)
    #expect(delegate.log.action?.targetFrame?.isMainFrame == true)
    #expect(delegate.log.action?.sourceFrame.request.url?.absoluteString == page.url)
  }

  @Test(arguments: ["plain", "@MainActor", "@MainActor @Sendable", "async"])
  func eachSpellingOfTheResponsesQuestionIsCalled(_ spelling: String) async {
    let fixture = Fixture()
    let delegate: any SpellingDelegate =
      switch spelling {
      case "plain": PlainResponseDelegate()
      case "@MainActor": MainActorResponseDelegate()
      case "@MainActor @Sendable": SendableResponseDelegate()
      default: AsyncResponseDelegate()
      }
    fixture.navigationDelegate = delegate
    await fixture.start()
    let page = await fixture.open()
    #expect(delegate.called == [spelling])
    #expect(delegate.events == ["didStart", "didFailProvisional 102"])
    #expect(page.received.contains { $0.method == "stop" })
  }

  // MARK: Tools

  /// The delegate cancels what a page asks and what the app loads, and was asked in its own spelling.
  private func expectCancel(_ delegate: any SpellingDelegate, _ spelling: String) async {
    let fixture = Fixture()
    fixture.navigationDelegate = delegate
    await fixture.start()
    let page = await fixture.open()
    #expect(page.settings["asksNavigation"] == true)
    #expect(await ask(page, fixture) == "cancel")
    #expect(delegate.called == [spelling])
    let before = fixture.view.url
    delegate.log.events = []
    fixture.view.load(URLRequest(url: URL(string: "http://127.0.0.1:8080/other")!))
    #expect(fixture.view.isLoading)
    await fixture.relay.settle()
    #expect(delegate.called == [spelling, spelling])
    #expect(delegate.events == [])
    #expect(!fixture.view.isLoading)
    #expect(fixture.view.url == before)
    #expect(page.url == before?.absoluteString)
    #expect(page.settings["asksNavigation"] == true)
  }

  /// Asks as a page does whose link was clicked.
  private func ask(_ page: SimulatedPage, _ fixture: Fixture) async -> String? {
    page.send(
      "navigation", ["phase": "asked", "url": "http://restricted.com/", "type": "link"], id: "p1")
    await fixture.relay.settle()
    return page.answers["p1"]?.string
  }
}

/// A delegate that keeps how it was called.
@MainActor
private protocol SpellingDelegate: WKNavigationDelegate {
  var log: SpellingLog { get }
}

@MainActor
private final class SpellingLog {
  var called: [String] = []
  var events: [String] = []
  var action: WKNavigationAction?
}

extension SpellingDelegate {
  var called: [String] { log.called }
  var events: [String] { log.events }

  func webView(_ webView: WKWebView, didStartProvisionalNavigation navigation: WKNavigation!) {
    log.events.append("didStart")
  }

  func webView(
    _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error
  ) {
    log.events.append("didFailProvisional \((error as NSError).code)")
  }

  func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error) {
    log.events.append("didFail \((error as NSError).code)")
  }
}

private final class PlainDelegate: NSObject, SpellingDelegate {
  let log = SpellingLog()

  func webView(
    _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
    decisionHandler: @escaping (WKNavigationActionPolicy) -> Void
  ) {
    log.called.append("plain")
    log.action = navigationAction
    decisionHandler(.cancel)
  }
}

private final class PlainPreferencesDelegate: NSObject, SpellingDelegate {
  let log = SpellingLog()

  func webView(
    _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
    preferences: WKWebpagePreferences,
    decisionHandler: @escaping (WKNavigationActionPolicy, WKWebpagePreferences) -> Void
  ) {
    log.called.append("plain, preferences")
    log.action = navigationAction
    decisionHandler(.cancel, preferences)
  }
}

private final class PlainResponseDelegate: NSObject, SpellingDelegate {
  let log = SpellingLog()

  func webView(
    _ webView: WKWebView, decidePolicyFor navigationResponse: WKNavigationResponse,
    decisionHandler: @escaping (WKNavigationResponsePolicy) -> Void
  ) {
    log.called.append("plain")
    decisionHandler(.cancel)
  }
}

private final class MainActorDelegate: NSObject, SpellingDelegate {
  let log = SpellingLog()

  func webView(
    _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
    decisionHandler: @escaping @MainActor (WKNavigationActionPolicy) -> Void
  ) {
    log.called.append("@MainActor")
    log.action = navigationAction
    decisionHandler(.cancel)
  }
}

private final class MainActorPreferencesDelegate: NSObject, SpellingDelegate {
  let log = SpellingLog()

  func webView(
    _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
    preferences: WKWebpagePreferences,
    decisionHandler: @escaping @MainActor (WKNavigationActionPolicy, WKWebpagePreferences) -> Void
  ) {
    log.called.append("@MainActor, preferences")
    log.action = navigationAction
    decisionHandler(.cancel, preferences)
  }
}

private final class MainActorResponseDelegate: NSObject, SpellingDelegate {
  let log = SpellingLog()

  func webView(
    _ webView: WKWebView, decidePolicyFor navigationResponse: WKNavigationResponse,
    decisionHandler: @escaping @MainActor (WKNavigationResponsePolicy) -> Void
  ) {
    log.called.append("@MainActor")
    decisionHandler(.cancel)
  }
}

private final class SendableDelegate: NSObject, SpellingDelegate {
  let log = SpellingLog()

  func webView(
    _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
    decisionHandler: @escaping @MainActor @Sendable (WKNavigationActionPolicy) -> Void
  ) {
    log.called.append("@MainActor @Sendable")
    log.action = navigationAction
    decisionHandler(.cancel)
  }
}

private final class SendablePreferencesDelegate: NSObject, SpellingDelegate {
  let log = SpellingLog()

  func webView(
    _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
    preferences: WKWebpagePreferences,
    decisionHandler: @escaping @MainActor @Sendable (WKNavigationActionPolicy, WKWebpagePreferences) -> Void
  ) {
    log.called.append("@MainActor @Sendable, preferences")
    log.action = navigationAction
    decisionHandler(.cancel, preferences)
  }
}

private final class SendableResponseDelegate: NSObject, SpellingDelegate {
  let log = SpellingLog()

  func webView(
    _ webView: WKWebView, decidePolicyFor navigationResponse: WKNavigationResponse,
    decisionHandler: @escaping @MainActor @Sendable (WKNavigationResponsePolicy) -> Void
  ) {
    log.called.append("@MainActor @Sendable")
    decisionHandler(.cancel)
  }
}

private final class AsyncDelegate: NSObject, SpellingDelegate {
  let log = SpellingLog()

  func webView(
    _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction
  ) async -> WKNavigationActionPolicy {
    log.called.append("async")
    log.action = navigationAction
    return .cancel
  }
}

private final class AsyncPreferencesDelegate: NSObject, SpellingDelegate {
  let log = SpellingLog()

  func webView(
    _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
    preferences: WKWebpagePreferences
  ) async -> (WKNavigationActionPolicy, WKWebpagePreferences) {
    log.called.append("async, preferences")
    log.action = navigationAction
    return (.cancel, preferences)
  }
}

private final class AsyncResponseDelegate: NSObject, SpellingDelegate {
  let log = SpellingLog()

  func webView(
    _ webView: WKWebView, decidePolicyFor navigationResponse: WKNavigationResponse
  ) async -> WKNavigationResponsePolicy {
    log.called.append("async")
    return .cancel
  }
}

private final class ForgetfulDelegate: NSObject, SpellingDelegate {
  let log = SpellingLog()

  func webView(
    _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
    decisionHandler: @escaping (WKNavigationActionPolicy) -> Void
  ) {
    // The mistake that the test is about: nobody calls the handler.
  }
}

private final class TalkativeDelegate: NSObject, SpellingDelegate {
  let log = SpellingLog()

  func webView(
    _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
    decisionHandler: @escaping (WKNavigationActionPolicy) -> Void
  ) {
    decisionHandler(.cancel)
    decisionHandler(.allow)
  }
}

private final class SilentDelegate: NSObject, SpellingDelegate {
  let log = SpellingLog()
}

private final class UnaskedDelegate: NSObject, WKNavigationDelegate {}
