import Observation
import PageBridgeWebKit

/// A web view with its coordinator: what a SwiftUI representable makes, updates and takes apart.
@MainActor
@Observable
final class BrowserWebView {
  let webView: WKWebView
  let coordinator: BrowserCoordinator
  private let record: BrowserRecorder
  private let timeout: TimeInterval
  /// What was told last: telling it again loads nothing.
  private var told: Website?

  init(viewModel: BrowserViewModel, settings: BrowserSettings, events: HostEvents) {
    let configuration = WKWebViewConfiguration()
    timeout = settings.loadTimeout
    configuration.defaultWebpagePreferences.allowsContentJavaScript = settings.allowsContentJavaScript
    webView = WKWebView(frame: .zero, configuration: configuration)
    webView.allowsBackForwardNavigationGestures = true
    webView.scrollView.isScrollEnabled = true
    webView.isInspectable = true
    record = BrowserRecorder(events: events, session: webView.sessionID)
    viewModel.opened(webView, record: record)
    coordinator = BrowserCoordinator(
      viewModel: viewModel, filter: HostFilter(settings.restrictedHosts), record: record)
    configuration.userContentController.add(coordinator, name: BrowserCoordinator.bridgeName)
    webView.navigationDelegate = coordinator
    webView.uiDelegate = WebBrowserDialogs.shared
  }

  /// Shows a website; nothing happens if it is the one that was told last. Answers why it cannot be shown.
  func update(_ website: Website, locations: WebsiteLocations) -> BrowserError? {
    guard website != told else { return nil }
    told = website
    guard let url = locations.url(of: website) else {
      return BrowserError(.openingAddress, "The app has no page of its own")
    }
    record(.load, ["website": .string(website.name), "url": .string(url.absoluteString)])
    let navigation: WKNavigation? =
      if url.isFileURL, let folder = locations.folder {
        webView.loadFileURL(url, allowingReadAccessTo: folder)
      } else {
        webView.load(URLRequest(url: url, timeoutInterval: timeout))
      }
    guard navigation == nil else { return nil }
    return BrowserError(.openingAddress, "\(url.absoluteString) cannot be opened")
  }

  /// The user went elsewhere by a link or the history: what was told last may be wanted again.
  func forgetTold() {
    told = nil
  }

  /// Takes the view apart, so that nothing of the page reaches the app any more.
  func dismantle() {
    coordinator.stop()
    webView.navigationDelegate = nil
    webView.configuration.userContentController.removeAllScriptMessageHandlers()
  }
}
