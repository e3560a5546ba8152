import PageBridgeTesting
import PageBridgeWebKit

/// A host of a simulated relay whose closure makes one web view for each visitor.
@MainActor
final class Fixture {
  let relay = SimulatedRelay()
  let host: WebViewHost
  let recorder = Recorder()
  private(set) var scenes: [WebViewScene] = []
  private(set) var views: [WKWebView] = []
  /// What else the closure does with each view.
  var configure: (WKWebView, WebViewScene) -> Void = { _, _ in }
  /// Which handlers each view has.
  var handlers = ["log"]
  var userScripts: [WKUserScript] = []
  var schemes: [String: any WKURLSchemeHandler] = [:]
  var navigationDelegate: (any WKNavigationDelegate)?

  init(options: WebViewHost.Options = WebViewHost.Options()) {
    host = relay.makeHost(app: "test", options: options)
  }

  var view: WKWebView { views.last! }
  var scene: WebViewScene { scenes.last! }

  func start() async {
    host.start { [unowned self] scene in
      scenes.append(scene)
      let configuration = WKWebViewConfiguration()
      for name in handlers { configuration.userContentController.add(recorder, name: name) }
      for script in userScripts { configuration.userContentController.addUserScript(script) }
      for (scheme, handler) in schemes { configuration.setURLSchemeHandler(handler, forURLScheme: scheme) }
      let view = WKWebView(frame: .zero, configuration: configuration)
      view.navigationDelegate = navigationDelegate ?? recorder
      views.append(view)
      configure(view, scene)
      return view
    }
    await relay.settle()
  }

  /// A page that is open and attached.
  func open(_ options: SimulatedPage.Options = SimulatedPage.Options()) async -> SimulatedPage {
    let page = relay.makePage(app: "test", options: options)
    page.open()
    await relay.settle()
    return page
  }

  /// Lets go of the views that the fixture itself holds.
  func releaseViews() {
    views = []
  }
}

/// Keeps what handlers and navigation delegates are told, in order.
@MainActor
final class Recorder: NSObject, WKScriptMessageHandler, WKNavigationDelegate {
  var messages: [WKScriptMessage] = []
  var events: [String] = []
  var onMessage: (WKScriptMessage) -> Void = { _ in }
  private var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

  /// Returns once that many messages have come.
  func messages(_ count: Int) async {
    guard messages.count < count else { return }
    await withCheckedContinuation { waiters.append((count, $0)) }
  }

  var bodies: [WireValue] { messages.map(\.wireValue) }

  func userContentController(
    _ userContentController: WKUserContentController, didReceive message: WKScriptMessage
  ) {
    messages.append(message)
    onMessage(message)
    for waiter in waiters where waiter.count <= messages.count { waiter.continuation.resume() }
    waiters.removeAll { $0.count <= messages.count }
  }

  func webView(_ webView: WKWebView, didStartProvisionalNavigation navigation: WKNavigation!) {
    events.append("didStart")
  }

  func webView(_ webView: WKWebView, didCommit navigation: WKNavigation!) {
    events.append("didCommit")
  }

  func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) {
    events.append("didFinish")
  }

  func webView(
    _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error
  ) {
    events.append("didFailProvisional \((error as NSError).code)")
  }

  func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error) {
    events.append("didFail \((error as NSError).code)")
  }

  func webViewWebContentProcessDidTerminate(_ webView: WKWebView) {
    events.append("didTerminate")
  }
}
