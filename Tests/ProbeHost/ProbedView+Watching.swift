import Foundation
import Observation
import PageBridgeWebKit

/// Watching the web view's properties, and delegates other than the view itself.
extension ProbedView {
  /// Journals each change of `isLoading` and `estimatedProgress` from now on.
  func watch() {
    watch("isLoading", last: .bool(webView.isLoading)) { .bool($0.isLoading) }
    watch("estimatedProgress", last: .number(webView.estimatedProgress)) { .number($0.estimatedProgress) }
  }

  private func watch(_ name: String, last: JSONValue, read: @escaping @MainActor (WKWebView) -> JSONValue) {
    withObservationTracking {
      _ = read(webView)
    } onChange: { [weak self] in
      // The change is made after this call.
      Task { @MainActor in
        guard let self else { return }
        let value = read(self.webView)
        if value != last { self.note("changed", ["name": .string(name), "value": value]) }
        self.watch(name, last: value, read: read)
      }
    }
  }

  /// "standard": the view itself; "policies": one that is also asked about responses; "quiet": one that does not hear of
  /// pages that are gone.
  func install(_ kind: String) {
    delegate =
      switch kind {
      case "policies": PolicyDelegate(self)
      case "quiet": QuietDelegate(self)
      default: self
      }
    webView.navigationDelegate = delegate
    if kind == "standard" { delegate = nil }
  }

  /// Gives the web view a delegate that nobody else holds, and says whether it is gone with this call.
  func dropsDelegate() -> Bool {
    do {
      let short = QuietDelegate(self)
      webView.navigationDelegate = short
    }
    defer { webView.navigationDelegate = self }
    return webView.navigationDelegate == nil
  }
}

/// A delegate with both policy questions.
@MainActor
final class PolicyDelegate: NSObject, WKNavigationDelegate {
  private weak var view: ProbedView?

  init(_ view: ProbedView) {
    self.view = view
  }

  func webView(
    _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
    decisionHandler: @escaping @MainActor (WKNavigationActionPolicy) -> Void
  ) {
    guard let view else { return decisionHandler(.allow) }
    view.webView(webView, decidePolicyFor: navigationAction, decisionHandler: decisionHandler)
  }

  func webView(
    _ webView: WKWebView, decidePolicyFor navigationResponse: WKNavigationResponse,
    decisionHandler: @escaping @MainActor (WKNavigationResponsePolicy) -> Void
  ) {
    let url = navigationResponse.response.url?.absoluteString ?? ""
    let refused = view?.cancelledResponses.contains { url.hasPrefix($0) } ?? false
    view?.note("response", ["url": .string(url), "allowed": .bool(!refused)])
    decisionHandler(refused ? .cancel : .allow)
  }

  func webView(_ webView: WKWebView, didStartProvisionalNavigation navigation: WKNavigation!) {
    view?.webView(webView, didStartProvisionalNavigation: navigation)
  }

  func webView(
    _ webView: WKWebView, didReceiveServerRedirectForProvisionalNavigation navigation: WKNavigation!
  ) {
    view?.webView(webView, didReceiveServerRedirectForProvisionalNavigation: navigation)
  }

  func webView(_ webView: WKWebView, didCommit navigation: WKNavigation!) {
    view?.webView(webView, didCommit: navigation)
  }

  func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) {
    view?.webView(webView, didFinish: navigation)
  }

  func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error) {
    view?.webView(webView, didFail: navigation, withError: error)
  }

  func webView(
    _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error
  ) {
    view?.webView(webView, didFailProvisionalNavigation: navigation, withError: error)
  }

  func webViewWebContentProcessDidTerminate(_ webView: WKWebView) {
    view?.webViewWebContentProcessDidTerminate(webView)
  }
}

/// A delegate that is asked nothing and does not hear of pages that are gone.
@MainActor
final class QuietDelegate: NSObject, WKNavigationDelegate {
  private weak var view: ProbedView?

  init(_ view: ProbedView) {
    self.view = view
  }

  func webView(_ webView: WKWebView, didStartProvisionalNavigation navigation: WKNavigation!) {
    view?.webView(webView, didStartProvisionalNavigation: navigation)
  }

  func webView(_ webView: WKWebView, didCommit navigation: WKNavigation!) {
    view?.webView(webView, didCommit: navigation)
  }

  func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) {
    view?.webView(webView, didFinish: navigation)
  }
}
