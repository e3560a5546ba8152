import Observation
import PageBridgeWebKit

/// What the app shows of one web view and how it speaks with it; each change is recorded.
@MainActor
@Observable
final class BrowserViewModel {
  // From the app to the web view.
  @ObservationIgnored let webViewNavigation = Channel<WebViewNavigation>()
  @ObservationIgnored let values = Channel<String>()
  // From the web view to the app.
  @ObservationIgnored let showWebTitle = Channel<PageTitle>()
  @ObservationIgnored let showLoader = Channel<Bool>()

  private(set) var website = Website.local
  private(set) var url: URL?
  private(set) var title: PageTitle?
  private(set) var isLoading = false
  private(set) var progress = 0.0
  private(set) var canGoBack = false
  private(set) var canGoForward = false
  private(set) var lastJSON: WireValue?
  private(set) var lastString: String?
  private(set) var ignoredBodies = 0
  private(set) var waitingValues = 0
  private(set) var refusedValues = 0
  private(set) var lastError: BrowserError?
  private(set) var isOpen = false
  /// What stands in the address bar.
  var addressText = ""
  /// What stands in the field for the page.
  var valueText = ""
  /// Whether a plain window shows all controls, and not only the row of buttons.
  var showsControls = false

  @ObservationIgnored private var record: BrowserRecorder
  @ObservationIgnored private var told: [BrowserRecord.StateKey: WireValue] = [:]

  init(record: BrowserRecorder) {
    self.record = record
  }

  // MARK: The web view

  /// There is a new web view: everything is told under its session.
  func opened(_ webView: WKWebView, record: BrowserRecorder) {
    self.record = record
    told = [:]
    isOpen = true
    url = nil
    title = nil
    isLoading = false
    lastError = nil
    tell()
    tell(.allowsBackForwardNavigationGestures, .bool(webView.allowsBackForwardNavigationGestures))
    tell(.isScrollEnabled, .bool(webView.scrollView.isScrollEnabled))
    tell(
      .allowsContentJavaScript,
      .bool(webView.configuration.defaultWebpagePreferences.allowsContentJavaScript))
  }

  func closed() {
    isOpen = false
    isLoading = false
    canGoBack = false
    canGoForward = false
    waitingValues = 0
    tell()
  }

  func asks(for website: Website) {
    self.website = website
    tell()
  }

  func moved(to position: BrowserPosition, text: String) {
    if url != position.url { addressText = text }
    url = position.url
    progress = position.progress
    canGoBack = position.canGoBack
    canGoForward = position.canGoForward
    tell()
  }

  func show(_ title: PageTitle) {
    self.title = title
    tell()
  }

  func show(loader isLoading: Bool) {
    self.isLoading = isLoading
    tell()
  }

  func loaded() {
    lastError = nil
    tell()
  }

  func failed(_ error: BrowserError) {
    record(.error, ["operation": .string(error.operation.rawValue), "message": .string(error.message)])
    lastError = error
    tell()
  }

  // MARK: Messages and values

  func received(json: WireValue) {
    lastJSON = json
    tell()
  }

  func received(string: String) {
    lastString = string
    tell()
  }

  func ignored() {
    ignoredBodies += 1
    tell()
  }

  func valuesWait(_ count: Int) {
    waitingValues = count
    tell()
  }

  func valueRefused() {
    refusedValues += 1
    tell()
  }

  // MARK: Telling

  private func tell() {
    tell(.website, .string(website.name))
    tell(.url, url.map { .string($0.absoluteString) } ?? .null)
    tell(.title, title.map { ["text": .string($0.text), "url": .string($0.url)] } ?? .null)
    tell(.isLoading, .bool(isLoading))
    tell(.progress, .number(progress))
    tell(.canGoBack, .bool(canGoBack))
    tell(.canGoForward, .bool(canGoForward))
    tell(.lastJSON, lastJSON ?? .null)
    tell(.lastString, lastString.map { .string($0) } ?? .null)
    tell(.ignoredBodies, .number(Double(ignoredBodies)))
    tell(.waitingValues, .number(Double(waitingValues)))
    tell(.refusedValues, .number(Double(refusedValues)))
    tell(
      .lastError,
      lastError.map { ["operation": .string($0.operation.rawValue), "message": .string($0.message)] } ?? .null
    )
    tell(.isOpen, .bool(isOpen))
  }

  private func tell(_ key: BrowserRecord.StateKey, _ value: WireValue) {
    guard told[key] != value else { return }
    told[key] = value
    record(key, value)
  }
}

/// What a web view says of itself by its properties.
struct BrowserPosition: Hashable, Sendable {
  var url: URL?
  var canGoBack = false
  var canGoForward = false
  var progress = 0.0
}
