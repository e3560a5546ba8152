import PageBridgeWebKit

/// The one object between a web view and the app: it hears the page's messages, decides about navigations and follows them,
/// carries the app's commands and values to the page, and publishes title and loader.
@MainActor
final class BrowserCoordinator: NSObject {
  static let bridgeName = "iOSNative"
  static let pageFunction = "valueGotFromIOS"
  private static var count = 0

  weak var delegate: (any WebViewHandlerDelegate)?
  private weak var webView: WKWebView?
  private let viewModel: BrowserViewModel
  private let filter: HostFilter
  private let record: BrowserRecorder
  /// Tells coordinators apart in the records.
  private let number: Int
  private var values = ValueQueue()
  /// Whether the document that is there has been loaded to its end.
  private var isPageLoaded = false
  /// Counts documents, so that an answer of one is not taken for another's.
  private var documents = 0
  private var navigationSubscription: Task<Void, Never>?
  private var valueSubscription: Task<Void, Never>?

  init(viewModel: BrowserViewModel, filter: HostFilter, record: BrowserRecorder) {
    self.viewModel = viewModel
    self.filter = filter
    self.record = record
    Self.count += 1
    number = Self.count
  }

  isolated deinit {
    stop()
    record(.released, ["coordinator": .number(Double(number))])
  }

  /// Begins to carry the app's commands and values to a web view.
  ///
  /// - Parameter isPageLoaded: whether its page is there already, because an earlier process served it.
  func start(with webView: WKWebView, isPageLoaded: Bool) {
    self.webView = webView
    let commands = viewModel.webViewNavigation.values()
    navigationSubscription = Task { [weak self] in
      for await command in commands { self?.perform(command) }
    }
    let published = viewModel.values.values()
    valueSubscription = Task { [weak self] in
      for await value in published { self?.publish(value) }
    }
    if isPageLoaded {
      self.isPageLoaded = true
      openQueue()
      publishTitle(of: webView)
    }
  }

  /// Ends both subscriptions: whatever the app says from now on reaches nobody.
  func stop() {
    navigationSubscription?.cancel()
    valueSubscription?.cancel()
    values.close()
    webView = nil
  }

  // MARK: From the app to the page

  private func perform(_ command: WebViewNavigation) {
    guard let webView else { return }
    let isPossible =
      switch command {
      case .backward: webView.canGoBack
      case .forward: webView.canGoForward
      case .reload: documents > 0 || webView.url != nil
      }
    record(
      .command,
      ["command": .string(command.rawValue), "result": .string(isPossible ? "done" : "impossible")])
    guard isPossible else { return }
    switch command {
    case .backward: webView.goBack()
    case .forward: webView.goForward()
    case .reload: webView.reload()
    }
  }

  private func publish(_ value: String) {
    guard webView != nil else { return }
    switch values.add(value) {
    case .deliver(let value): deliver(value)
    case .wait: record(.value, ["text": .string(value), "result": "waiting", "message": nil])
    case .refuse:
      record(.value, ["text": .string(value), "result": "refused", "message": nil])
      viewModel.valueRefused()
    }
    viewModel.valuesWait(values.waiting.count)
  }

  private func openQueue() {
    for value in values.open() { deliver(value) }
    viewModel.valuesWait(0)
  }

  /// Calls the page's function; the value travels as an argument and is never part of the script's text.
  private func deliver(_ value: String) {
    webView?.callAsyncJavaScript(
      "\(Self.pageFunction)(value)", arguments: ["value": value], in: nil, in: .page
    ) { [viewModel, record] result in
      switch result {
      case .success:
        record(.value, ["text": .string(value), "result": "delivered", "message": nil])
      case .failure(let failure):
        let error = BrowserError(.callingValueGotFromIOS, failure)
        record(.value, ["text": .string(value), "result": "failed", "message": .string(error.message)])
        viewModel.failed(error)
      }
    }
  }

  // MARK: From the page to the app

  private func publishTitle(of webView: WKWebView) {
    let document = documents
    let url = webView.url?.absoluteString ?? ""
    webView.evaluateJavaScript("document.title") { [weak self] value, error in
      // The next document publishes its own title.
      guard let self, document == documents else { return }
      if let error { viewModel.failed(BrowserError(.gettingTitle, error)) }
      guard let text = value as? String else { return }
      record(.titlePublished, ["text": .string(text), "url": .string(url)])
      viewModel.showWebTitle.send(PageTitle(text: text, url: url))
    }
  }

  private func showLoader(_ isShown: Bool, _ callback: Callback, _ webView: WKWebView) {
    record(
      .navigationCallback,
      [
        "callback": .string(callback.rawValue),
        "url": (webView.url?.absoluteString).map { .string($0) } ?? .null,
        "coordinator": .number(Double(number)),
      ])
    record(.loader, ["value": .bool(isShown), "cause": .string(callback.rawValue)])
    viewModel.showLoader.send(isShown)
  }

  private enum Callback: String {
    case start, commit, finish, fail, failProvisional, terminate
  }

  /// A navigation that another one takes the place of, or that the filter ended, is no failure to tell of.
  private func tell(_ error: any Error) {
    let code = error as NSError
    guard code.domain != NSURLErrorDomain || code.code != NSURLErrorCancelled else { return }
    viewModel.failed(BrowserError(.loading, error))
  }
}

extension BrowserCoordinator: WKScriptMessageHandler {
  func userContentController(
    _ userContentController: WKUserContentController, didReceive message: WKScriptMessage
  ) {
    guard message.name == Self.bridgeName else { return }
    let body = PageBody(message.wireValue)
    let kind =
      switch body {
      case .json: "json"
      case .string: "string"
      case .ignored: "ignored"
      }
    record(
      .received,
      ["kind": .string(kind), "value": message.wireValue, "coordinator": .number(Double(number))])
    switch body {
    case .json(let value): delegate?.receivedJSONValueFromWebView(value)
    case .string(let text): delegate?.receivedStringValueFromWebView(text)
    case .ignored: delegate?.ignoredValueFromWebView()
    }
  }
}

extension BrowserCoordinator: WKNavigationDelegate {
  func webView(
    _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
    decisionHandler: @escaping @MainActor (WKNavigationActionPolicy) -> Void
  ) {
    let url = navigationAction.request.url
    let isRefused = url.map(filter.refuses) ?? false
    record(
      .policy,
      [
        "decision": isRefused ? "cancel" : "allow", "url": (url?.absoluteString).map { .string($0) } ?? .null,
        "coordinator": .number(Double(number)),
      ])
    decisionHandler(isRefused ? .cancel : .allow)
    if isRefused { viewModel.failed(BrowserError(.openingAddress, "\(url?.host() ?? "") is blocked")) }
  }

  func webView(_ webView: WKWebView, didStartProvisionalNavigation navigation: WKNavigation!) {
    values.close()
    showLoader(true, .start, webView)
  }

  func webView(_ webView: WKWebView, didCommit navigation: WKNavigation!) {
    documents += 1
    isPageLoaded = false
    values.close()
    showLoader(true, .commit, webView)
  }

  func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) {
    isPageLoaded = true
    viewModel.loaded()
    publishTitle(of: webView)
    openQueue()
    showLoader(false, .finish, webView)
  }

  func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error) {
    showLoader(false, .fail, webView)
    tell(error)
  }

  func webView(
    _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error
  ) {
    showLoader(false, .failProvisional, webView)
    tell(error)
    // The page before is still there.
    if isPageLoaded { openQueue() }
  }

  func webViewWebContentProcessDidTerminate(_ webView: WKWebView) {
    isPageLoaded = false
    values.close()
    showLoader(false, .terminate, webView)
    viewModel.failed(BrowserError(.pageProcess, "The page is gone"))
  }
}
