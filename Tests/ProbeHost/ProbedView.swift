import Foundation
import PageBridgeWebKit

/// One web view with all that watches it.
@MainActor
final class ProbedView: NSObject, WKNavigationDelegate {
  let number: Int
  let webView: WKWebView
  let journal: Journal
  /// Addresses that the policy question is answered with `.cancel` for, by their beginnings.
  var cancelled: [String] = []
  /// The frame inside the page that posted last.
  var lastFrame: WKFrameInfo?
  /// The frame inside the page that posted first in the present document, and those that commands gave names.
  var firstFrame: WKFrameInfo?
  var frames: [String: WKFrameInfo] = [:]
  var replyHandlers: [ProbedReplyHandler] = []
  /// Who hears of cookies, once asked for.
  var cookieObserver: ProbedCookies?
  /// What answers the page's dialogs; the web view does not keep it.
  var dialogs: ProbedDialogs? {
    didSet { webView.uiDelegate = dialogs }
  }
  /// Addresses whose responses the policy question is answered with `.cancel` for, by their beginnings.
  var cancelledResponses: [String] = []
  /// What the delegate does once, in its call of that phase.
  var nested: [String: @MainActor () -> Void] = [:]
  /// The text of the message in whose handler the process dies.
  var deadlyText: String?
  /// The handler that is taken away when the first message comes.
  var removal: (name: String, world: WKContentWorld)?
  /// A delegate other than the view itself; the web view holds its delegate weakly.
  var delegate: (any WKNavigationDelegate)?

  /// - Parameter navigates: whether this object is the navigation delegate; not if the view has one.
  init(number: Int, webView: WKWebView, journal: Journal, navigates: Bool = true) {
    self.number = number
    self.webView = webView
    self.journal = journal
    super.init()
    if navigates { webView.navigationDelegate = self }
    Self.all[ObjectIdentifier(webView)] = Weak(view: self)
  }

  func note(_ event: String, _ members: [String: JSONValue] = [:]) {
    journal.write(event, members.merging(["view": JSONValue(number)]) { own, _ in own })
  }

  /// What the view says of itself.
  var members: [String: JSONValue] {
    [
      "view": JSONValue(number), "session": .string(webView.sessionID),
      "pageURL": .string(webView.pageURL.absoluteString), "url": JSONValue(webView.url?.absoluteString),
      "title": JSONValue(webView.title), "isLoading": .bool(webView.isLoading),
      "progress": .number(webView.estimatedProgress), "canGoBack": .bool(webView.canGoBack),
      "canGoForward": .bool(webView.canGoForward), "evaluationWay": .string(webView.evaluationWay.rawValue),
    ]
  }

  /// The view that a web view belongs to: one controller may serve several.
  private static var all: [ObjectIdentifier: Weak] = [:]

  private struct Weak {
    weak var view: ProbedView?
  }

  func received(_ message: WKScriptMessage, by handler: String) {
    let sender = message.webView.flatMap { Self.all[ObjectIdentifier($0)]?.view }
    if let sender, sender !== self { return sender.received(message, by: handler) }
    let origin = message.frameInfo.securityOrigin
    if !message.frameInfo.isMainFrame {
      lastFrame = message.frameInfo
      firstFrame = firstFrame ?? message.frameInfo
    }
    note(
      "received",
      [
        "name": .string(message.name), "body": journal.typed(message.body), "handler": .string(handler),
        "isMainFrame": .bool(message.frameInfo.isMainFrame),
        "url": JSONValue(message.frameInfo.request.url?.absoluteString),
        "origin": .string("\(origin.protocol)://\(origin.host):\(origin.port)"),
        "originHost": .string(origin.host),
        "isOwnView": .bool(message.webView === webView), "world": .string(Probe.name(of: message.world)),
        "isRedelivered": .bool(message.isRedelivered),
      ])
    if let deadlyText, deadlyText == message.body as? String { kill(getpid(), SIGKILL) }
    if let removal {
      self.removal = nil
      webView.configuration.userContentController.removeScriptMessageHandler(
        forName: removal.name, contentWorld: removal.world)
    }
  }

  func webView(_ webView: WKWebView, didStartProvisionalNavigation navigation: WKNavigation!) {
    firstFrame = nil
    note("navigation", ["phase": "started", "url": JSONValue(webView.url?.absoluteString)])
  }

  func webView(
    _ webView: WKWebView, didReceiveServerRedirectForProvisionalNavigation navigation: WKNavigation!
  ) {
    note("navigation", ["phase": "redirected", "url": JSONValue(webView.url?.absoluteString)])
  }

  func webView(_ webView: WKWebView, didCommit navigation: WKNavigation!) {
    note("navigation", ["phase": "committed", "url": JSONValue(webView.url?.absoluteString)])
    nested.removeValue(forKey: "committed")?()
  }

  func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) {
    note(
      "navigation",
      [
        "phase": "finished", "url": JSONValue(webView.url?.absoluteString), "title": JSONValue(webView.title),
        "isLoading": .bool(webView.isLoading),
      ])
    nested.removeValue(forKey: "finished")?()
  }

  func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error) {
    note("navigation", ["phase": "failed", "error": journal.described(error)])
  }

  func webView(
    _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error
  ) {
    note("navigation", ["phase": "failedProvisional", "error": journal.described(error)])
  }

  func webView(
    _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
    decisionHandler: @escaping @MainActor (WKNavigationActionPolicy) -> Void
  ) {
    let url = navigationAction.request.url?.absoluteString ?? ""
    let refused = cancelled.contains { url.hasPrefix($0) }
    let target = navigationAction.targetFrame
    note(
      "policy",
      [
        "url": .string(url), "allowed": .bool(!refused),
        "type": JSONValue(navigationAction.navigationType.rawValue),
        "sourceIsMain": .bool(navigationAction.sourceFrame.isMainFrame),
        "targetIsMain": target.map { .bool($0.isMainFrame) } ?? .null,
        "targetURL": JSONValue(target?.request.url?.absoluteString),
      ])
    decisionHandler(refused ? .cancel : .allow)
  }

  func webViewWebContentProcessDidTerminate(_ webView: WKWebView) {
    note("terminated")
  }
}

/// One message handler; its label tells those of the same name apart.
@MainActor
final class ProbedHandler: NSObject, WKScriptMessageHandler {
  private let label: String
  private weak var view: ProbedView?

  init(label: String, view: ProbedView) {
    self.label = label
    self.view = view
  }

  func userContentController(_ controller: WKUserContentController, didReceive message: WKScriptMessage) {
    view?.received(message, by: label)
  }
}
