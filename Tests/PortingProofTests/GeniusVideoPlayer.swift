// The first system as its UIKit app has it: a view controller that loads the vendor's HTML template as a string, a message
// handler that splits what the player posts, and scripts that put the player into fullscreen.
//
// Changed for the port, and nothing else:
//   import WebKit, import UIKit              -> import PageBridgeWebKit
//   UIViewController, view.bounds, insets    -> an object with the visitor's WebViewScreen
//   viewWillTransition, viewDidDisappear     -> WebViewScreenDelegate
//   navigationController, UIDevice, UIColor  -> the screen's bars, its orientation request, WebColor
//   UIView subclasses                        -> NativeView

import PageBridgeWebKit

/// Hears the player on its fixed name and hands type and payload on, once for each message.
final class VideoPlayerMessageHandler: NSObject, WKScriptMessageHandler {
  static let name = "gsVideoPlayerBridge"

  var messageReceived: ((_ type: String, _ payload: Any?) -> Void)?
  private(set) var refusedMessages = 0

  func userContentController(
    _ userContentController: WKUserContentController, didReceive message: WKScriptMessage
  ) {
    guard let body = message.body as? [String: Any], let type = body["type"] as? String else {
      refusedMessages += 1
      return
    }
    let payload = body["payload"]
    messageReceived?(type, payload is NSNull ? nil : payload)
  }
}

/// What the template's placeholders stand for.
struct VideoPlayerConfiguration {
  var customerId = ""
  var fixtureId = ""
  var playerWidth = "100vw"
  var playerHeight = "100vh"

  func html(from template: String) -> String {
    let values = [
      "customerId": customerId, "fixtureId": fixtureId, "playerWidth": playerWidth,
      "playerHeight": playerHeight,
    ]
    return values.reduce(template) { html, value in
      let escaped = value.value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
      return html.replacingOccurrences(of: "{{\(value.key)}}", with: escaped)
    }
  }
}

/// The bet that the overlay names.
struct Betslip {
  static let fields = ["sportsbookFixtureId", "sportsbookSelectionId", "marketId", "decimalPrice", "stake"]

  var isHidden = true
  var text = ""
  var frame = CGRect(x: 40, y: 40, width: 250, height: 200)

  mutating func take(_ bet: [String: Any]) {
    text = Self.fields.compactMap { field in bet[field].map { "\(field): \($0)" } }.joined(separator: "\n")
    switch bet["command"] as? String {
    case "addToBetslip", "placeBet", "openBetslip": isHidden = false
    case "closeBetslip": isHidden = true
    default: break
    }
  }

  mutating func move(_ dimensions: [String: Any]) {
    guard let left = dimensions["left"] as? Double, let top = dimensions["top"] as? Double,
      let width = dimensions["width"] as? Double, let height = dimensions["height"] as? Double
    else { return }
    frame = CGRect(x: left, y: top, width: width, height: height)
  }
}

@MainActor
final class VideoPlayerViewController: NSObject {
  private(set) var webView: WKWebView!
  let messageHandler = VideoPlayerMessageHandler()
  private(set) var isVideoPlayerReady = false
  private(set) var isFullscreen = false
  private(set) var betslip = Betslip()
  private(set) var failures: [Error] = []
  private let screen: WebViewScreen
  private let template: String

  init(screen: WebViewScreen, template: String) {
    self.screen = screen
    self.template = template
    super.init()
    screen.delegate = self
    setUpWebView()
    messageHandler.messageReceived = { [weak self] type, payload in
      self?.received(type, payload)
    }
  }

  private func setUpWebView() {
    let userContentController = WKUserContentController()
    userContentController.add(messageHandler, name: VideoPlayerMessageHandler.name)

    let configuration = WKWebViewConfiguration()
    configuration.userContentController = userContentController
    configuration.allowsInlineMediaPlayback = true
    configuration.allowsPictureInPictureMediaPlayback = false

    webView = WKWebView(frame: .zero, configuration: configuration)
    webView.scrollView.bounces = false
    webView.scrollView.isScrollEnabled = false
    webView.isOpaque = false
    webView.backgroundColor = .black
    if #available(iOS 16.4, *) {
      webView.isInspectable = true
    }
    webView.navigationDelegate = self
  }

  func loadVideo(_ configuration: VideoPlayerConfiguration) {
    isVideoPlayerReady = false
    webView.loadHTMLString(
      configuration.html(from: template), baseURL: URL(string: "https://www.example.com"))
  }

  private func received(_ type: String, _ payload: Any?) {
    switch type {
    case "init":
      isVideoPlayerReady = true
      follow(screen.bounds.size)
    case "toggleFullscreen":
      screen.requestOrientation(isFullscreen ? .portrait : .landscape)
      setFullscreen(!isFullscreen)
    case "multibet-event":
      if let bet = payload as? [String: Any] { betslip.take(bet) }
    case "betslip-container-dimensions":
      if let dimensions = payload as? [String: Any] { betslip.move(dimensions) }
    default:
      break
    }
  }

  private func follow(_ size: CGSize) {
    guard isVideoPlayerReady else { return }
    setFullscreen(size.width > size.height)
  }

  private func setFullscreen(_ isFullscreen: Bool) {
    self.isFullscreen = isFullscreen
    screen.navigationBar.isHidden = isFullscreen
    webView.frame =
      isFullscreen
      ? screen.bounds : CGRect(x: 0, y: 100, width: screen.bounds.width, height: 300)
    let change = isFullscreen ? "add" : "remove"
    webView.evaluateJavaScript(
      "document.querySelector('.video-container')?.classList.\(change)('full-screen')"
    ) {
      [weak self] _, error in
      if let error { self?.failures.append(error) }
    }
  }
}

extension VideoPlayerViewController: WebViewScreenDelegate {
  func screenDidChangeMetrics(_ screen: WebViewScreen) {
    follow(screen.bounds.size)
  }

  func screenDidDisappear(_ screen: WebViewScreen) {
    webView.evaluateJavaScript("window.GeniusLivePlayer?.player?.close()", completionHandler: nil)
  }
}

extension VideoPlayerViewController: WKNavigationDelegate {
  func webView(
    _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
    decisionHandler: @escaping (WKNavigationActionPolicy) -> Void
  ) {
    decisionHandler(navigationAction.navigationType == .linkActivated ? .cancel : .allow)
  }

  func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: Error) {
    failures.append(error)
  }

  func webView(
    _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: Error
  ) {
    failures.append(error)
  }

  func webViewWebContentProcessDidTerminate(_ webView: WKWebView) {
    isVideoPlayerReady = false
    webView.reload()
  }
}
