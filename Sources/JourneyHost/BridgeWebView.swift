import Observation
import PageBridgeWebKit

/// The drop-in view: a web view with the bridge that shows a journey, and its navigation delegate.
///
/// It is what a SwiftUI representable makes and updates on iOS; here whoever holds it holds the web view.
@MainActor
@Observable
public final class BridgeWebView {
  /// The web view.
  public let webView: WKWebView
  /// The app's end of the bridge.
  public let host: BridgeHost
  /// What the web view is shown with: the rules of its navigations.
  @ObservationIgnored public let coordinator: Coordinator

  /// The journey's address. Another one is navigated to, once; the same one again loads nothing.
  public var url: URL {
    didSet { if url != oldValue { load() } }
  }

  /// Makes the web view and loads the journey.
  ///
  /// - Parameters:
  ///   - url: the journey; refused with ``BridgeHost/lastError`` if the mode does not allow it.
  ///   - host: set its handlers first.
  ///   - mode: which addresses are allowed.
  ///   - loads: whether the journey is loaded; not if its page is there already, because an earlier process showed it or
  ///     it is a visitor's own.
  ///   - openURL: opens an address outside the app.
  public init(
    url: URL, host: BridgeHost, mode: JourneyMode = .production, loads: Bool = true,
    openURL: @escaping @MainActor (URL) -> Void = { _ in }
  ) {
    self.url = url
    self.host = host
    webView = BridgeWebViewConfigurator.makeWebView(host: host)
    coordinator = Coordinator(host: host, journey: url, mode: mode, openURL: openURL)
    webView.navigationDelegate = coordinator
    if loads { load() }
  }

  /// Loads the journey, for the first time or again.
  public func load() {
    coordinator.journey = url
    if let refusal = coordinator.mode.refusal(of: url) {
      return host.fail("Journey refused: \(refusal)")
    }
    if webView.load(URLRequest(url: url)) == nil { host.fail("Journey refused: it cannot be opened") }
  }

  /// Decides about the journey's navigations and tells the host of its documents.
  ///
  /// A link that the user follows to another host is opened outside; every other navigation is allowed, as far as the mode
  /// allows its address.
  public final class Coordinator: NSObject, WKNavigationDelegate {
    private weak var host: BridgeHost?
    var journey: URL
    let mode: JourneyMode
    private let openURL: @MainActor (URL) -> Void
    /// Called when a document is loaded.
    public var onFinish: @MainActor () -> Void = {}

    init(
      host: BridgeHost, journey: URL, mode: JourneyMode, openURL: @escaping @MainActor (URL) -> Void
    ) {
      self.host = host
      self.journey = journey
      self.mode = mode
      self.openURL = openURL
    }

    public func webView(
      _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
      decisionHandler: @escaping @MainActor (WKNavigationActionPolicy) -> Void
    ) {
      guard let url = navigationAction.request.url else { return decisionHandler(.allow) }
      if navigationAction.navigationType == .linkActivated, isForeign(url) {
        openURL(url)
        return decisionHandler(.cancel)
      }
      if let refusal = mode.refusal(of: url) {
        host?.fail("Navigation refused: \(refusal)")
        return decisionHandler(.cancel)
      }
      decisionHandler(.allow)
    }

    private func isForeign(_ url: URL) -> Bool {
      guard let host = url.host(percentEncoded: false), !host.isEmpty else { return false }
      return host.lowercased() != journey.host(percentEncoded: false)?.lowercased()
    }

    public func webView(_ webView: WKWebView, didCommit navigation: WKNavigation!) {
      host?.pageDidChange()
    }

    public func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) {
      onFinish()
    }

    public func webView(
      _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!,
      withError error: any Error
    ) {
      tell(error)
    }

    public func webView(
      _ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error
    ) {
      tell(error)
    }

    public func webViewWebContentProcessDidTerminate(_ webView: WKWebView) {
      host?.pageDidEnd(error: "The page is gone")
    }

    /// A navigation that another one took the place of is no failure to tell of; the page before is still there.
    private func tell(_ error: any Error) {
      let code = error as NSError
      guard code.domain != NSURLErrorDomain || code.code != NSURLErrorCancelled else { return }
      host?.fail("Load failed: \(error.localizedDescription)")
    }
  }
}
