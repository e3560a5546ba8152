// The fourth system as its guide has it: a view controller around one web view, with a message bridge, states of loading,
// a content security policy that a script brings, validation, session data, caches and the app's life cycle.
//
// Changed for the port, and nothing else:
//   import WebKit, import UIKit              -> import PageBridgeWebKit
//   UIViewController, view, autoresizing     -> an object with the visitor's WebViewScreen, which a view without a frame fills
//   viewWillAppear, viewDidDisappear,
//   didReceiveMemoryWarning                  -> WebViewScreenDelegate
//   NotificationCenter with #selector        -> a block
//   UIActivityIndicatorView, UILabel         -> NativeView

import PageBridgeWebKit

enum SquadWebViewState {
  case loading
  case ready
  case error(Error)
}

/// Tells messages that the bridge accepts from those that it refuses.
struct SquadMessageValidator {
  func isValid(_ message: [String: Any]) -> Bool {
    guard let type = message["type"] as? String, let data = message["data"] as? [String: Any] else {
      return false
    }
    switch type {
    case "call": return data["action"] is String && data["callId"] is String
    case "navigation": return data["route"] is String || data["url"] is String
    case "error": return data["code"] is String
    default: return false
    }
  }
}

@MainActor
protocol SquadBridgeDelegate: AnyObject {
  func squadBridge(didReceiveCall message: [String: Any])
  func squadBridge(didReceiveNavigation message: [String: Any])
  func squadBridge(didReceiveError message: [String: Any])
  func squadBridge(log line: String)
}

/// The message bridge: one handler, one page object, messages in both directions.
@MainActor
final class SquadBridge: NSObject, WKScriptMessageHandler {
  static let name = "squadBridge"
  static let script = """
    (() => {
      const waiting = [];
      const listeners = [];
      window.squadBridge = {
        postMessage: (message) => window.webkit.messageHandlers.squadBridge.postMessage(message),
        handleNativeMessage: (message) => {
          if (listeners.length === 0) waiting.push(message);
          else listeners.forEach((listener) => listener(message));
        },
        addListener: (listener) => {
          listeners.push(listener);
          waiting.splice(0).forEach((message) => window.squadBridge.handleNativeMessage(message));
        },
      };
    })();
    """

  weak var delegate: (any SquadBridgeDelegate)?
  weak var webView: WKWebView?
  private let validator = SquadMessageValidator()

  func userContentController(
    _ userContentController: WKUserContentController, didReceive message: WKScriptMessage
  ) {
    guard message.name == Self.name, let body = message.body as? [String: Any] else { return }
    guard validator.isValid(body) else {
      delegate?.squadBridge(log: "Unknown message type: \(body["type"] ?? "none")")
      return
    }
    switch body["type"] as? String {
    case "call": delegate?.squadBridge(didReceiveCall: body)
    case "navigation": delegate?.squadBridge(didReceiveNavigation: body)
    default: delegate?.squadBridge(didReceiveError: body)
    }
  }

  func send(_ message: [String: Any]) {
    guard JSONSerialization.isValidJSONObject(message),
      let data = try? JSONSerialization.data(withJSONObject: message)
    else {
      delegate?.squadBridge(log: "Bridge error: the message cannot be encoded")
      return
    }
    let json = String(decoding: data, as: UTF8.self)
    webView?.evaluateJavaScript("window.squadBridge.handleNativeMessage(\(json))") { [weak self] _, error in
      if let error { self?.delegate?.squadBridge(log: "Bridge error: \(error.localizedDescription)") }
    }
  }
}

/// The policy that a script brings into the page.
enum SquadSecurityPolicy {
  private static let hosts = "'self' https://*.squadforsports.com"
  static let text =
    "default-src \(hosts); script-src \(hosts) 'unsafe-inline'; style-src \(hosts) 'unsafe-inline'; "
    + "img-src 'self' data: https://*.squadforsports.com"

  static let script = """
    (() => {
      const meta = document.createElement('meta');
      meta.httpEquiv = 'Content-Security-Policy';
      meta.content = "\(text)";
      document.head.appendChild(meta);
    })();
    """
}

@MainActor
final class SquadWebViewController: NSObject {
  private(set) var webView: WKWebView!
  let bridge = SquadBridge()
  private(set) var log: [String] = []
  private(set) var received: [String] = []
  private(set) var observers: [any NSObjectProtocol] = []
  private(set) var state: SquadWebViewState? {
    didSet { showState() }
  }

  private let screen: WebViewScreen
  private let url: URL

  init(screen: WebViewScreen, url: URL) {
    self.screen = screen
    self.url = url
    super.init()
    screen.delegate = self
    configureWebView()
    webView.load(URLRequest(url: url, timeoutInterval: 15))
  }

  private func configureWebView() {
    let configuration = WKWebViewConfiguration()
    configuration.allowsInlineMediaPlayback = true
    configuration.mediaTypesRequiringUserActionForPlayback = []
    configuration.processPool = WKProcessPool()

    let preferences = WKWebpagePreferences()
    preferences.allowsContentJavaScript = true
    configuration.defaultWebpagePreferences = preferences

    let controller = WKUserContentController()
    controller.add(bridge, name: SquadBridge.name)
    for source in [SquadBridge.script, SquadSecurityPolicy.script] {
      controller.addUserScript(
        WKUserScript(source: source, injectionTime: .atDocumentStart, forMainFrameOnly: true))
    }
    configuration.userContentController = controller

    webView = WKWebView(frame: .zero, configuration: configuration)
    webView.navigationDelegate = self
    webView.scrollView.bounces = false
    bridge.webView = webView
    bridge.delegate = self
  }

  private func showState() {
    switch state {
    case .loading, nil: screen.nativeViews = [.spinner("activity", text: "Loading")]
    case .ready: screen.nativeViews = []
    case .error(let error): handle(error)
    }
  }

  private func handle(_ error: Error) {
    if let error = error as? URLError {
      switch error.code {
      case .notConnectedToInternet: show("You are offline")
      case .timedOut: webView.load(URLRequest(url: url))
      default: show(error.localizedDescription)
      }
    } else if let error = error as? WKError {
      show("The page ended: \(error.localizedDescription)")
    } else {
      show("Something went wrong")
    }
  }

  private func show(_ text: String) {
    screen.nativeViews = [.banner("error", text: text, tone: .error)]
  }

  /// Reads the cookies that keep the user signed in.
  func checkSignIn(_ completion: @escaping @MainActor @Sendable (Bool) -> Void) {
    let cookies = webView.configuration.websiteDataStore.httpCookieStore
    cookies.getAllCookies { completion($0.contains { $0.name == "squad_session" }) }
  }

  func clearSession(_ completion: @escaping @MainActor @Sendable () -> Void) {
    WKWebsiteDataStore.default().removeData(
      ofTypes: WKWebsiteDataStore.allWebsiteDataTypes(), modifiedSince: Date(timeIntervalSince1970: 0),
      completionHandler: completion)
  }

  private func addObservers() {
    observers.append(
      NotificationCenter.default.addObserver(
        forName: Notification.Name("SquadSignedOut"), object: nil, queue: nil
      ) { [weak self] _ in
        MainActor.assumeIsolated { self?.log.append("Signed out") }
      })
  }

  private func removeObservers() {
    for observer in observers { NotificationCenter.default.removeObserver(observer) }
    observers = []
  }
}

extension SquadWebViewController: SquadBridgeDelegate {
  func squadBridge(didReceiveCall message: [String: Any]) {
    received.append("call \((message["data"] as? [String: Any])?["callId"] ?? "")")
  }

  func squadBridge(didReceiveNavigation message: [String: Any]) {
    received.append("navigation")
  }

  func squadBridge(didReceiveError message: [String: Any]) {
    received.append("error \((message["data"] as? [String: Any])?["code"] ?? "")")
  }

  func squadBridge(log line: String) {
    log.append(line)
  }
}

extension SquadWebViewController: WKNavigationDelegate {
  func webView(
    _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
    decisionHandler: @escaping @MainActor @Sendable (WKNavigationActionPolicy) -> Void
  ) {
    let url = navigationAction.request.url
    decisionHandler(url?.scheme == "https" || url?.host == "127.0.0.1" ? .allow : .cancel)
  }

  func webView(_ webView: WKWebView, didStartProvisionalNavigation navigation: WKNavigation!) {
    state = .loading
  }

  func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) {
    state = .ready
  }

  func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: Error) {
    state = .error(error)
  }

  func webView(
    _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: Error
  ) {
    state = .error(error)
  }

  func webViewWebContentProcessDidTerminate(_ webView: WKWebView) {
    state = .error(WKError(.webContentProcessTerminated))
  }
}

extension SquadWebViewController: WebViewScreenDelegate {
  func screenDidAppear(_ screen: WebViewScreen) {
    addObservers()
  }

  func screenDidDisappear(_ screen: WebViewScreen) {
    removeObservers()
  }

  func screenDidReceiveMemoryWarning(_ screen: WebViewScreen) {
    URLCache.shared.removeAllCachedResponses()
    log.append("Memory warning")
  }
}
