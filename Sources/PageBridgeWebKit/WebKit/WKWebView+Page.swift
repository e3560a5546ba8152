extension WKWebView {
  // What the page says, in the order it says it.

  /// A document that an earlier process of the host showed is still there.
  func resumed(_ request: OpenRequest) {
    guard pageAddress == nil, let address = request.url else { return }
    pageAddress = address
    committedURL = visibleURL(address)
    if !navigation.isLoading { url = committedURL }
  }

  func receive(_ report: PageNavigation) {
    host.events.record(
      "navigation", ["phase": .string(report.phase.rawValue), "url": .string(report.url)], session: session.id
    )
    switch report.phase {
    case .asked: answer(report)
    case .started:
      let url = visibleURL(report.url)
      let steps = navigation.pageStarted(url, wish: report.wish)
      guard !steps.isEmpty else { return }
      target = nil
      self.url = url
      isLoading = true
      estimatedProgress = 0.1
      perform(steps)
    case .committed: arrived(report)
    case .finished: finished(report)
    case .failed: failed(report)
    }
  }

  func receive(_ state: PageState) {
    guard state.receipt.document == navigation.document || navigation.document == nil else { return }
    if let text = state.url {
      pageAddress = text
      committedURL = visibleURL(text)
      if !navigation.isProvisional { url = committedURL }
    }
    if let text = state.title { title = text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
    if let history = state.history { show(history) }
    backForwardList.currentItem?.title = title.flatMap { $0.isEmpty ? nil : $0 }
    if let progress = state.progress, navigation.isLoading, !navigation.isProvisional {
      estimatedProgress = max(estimatedProgress, min(progress, 1))
    }
    if let policy = state.policy { evaluationWay = EvaluationWay(rawValue: policy) ?? .unknown }
  }

  /// The page is at that place of its history, under the address that was committed last.
  private func show(_ history: PageHistory) {
    guard let entry = history.entry, let url = committedURL else {
      canGoBack = history.canGoBack ?? canGoBack
      canGoForward = history.canGoForward ?? canGoForward
      return
    }
    let asked = navigation.current?.requested
    // A page of another origin may not know whose place it took.
    let replaces = history.replaces || (replacing != nil && replacing === navigation.current)
    backForwardList.show(
      entry, url: url, initialURL: isBlank(asked) ? url : asked ?? url, replaces: replaces)
    canGoBack = backForwardList.backItem != nil
    canGoForward = backForwardList.forwardItem != nil
  }

  private func isBlank(_ url: URL?) -> Bool { url == Self.blankURL }

  private func answer(_ report: PageNavigation) {
    guard let id = report.id else { return }
    let session = session
    let receipt = report.receipt
    let reply: @MainActor @Sendable (WKNavigationActionPolicy) -> Void = { policy in
      session.connection.submit(
        .answer(
          session: session.id, document: receipt.document, id: id,
          result: policy == .allow ? "allow" : "cancel"))
    }
    guard let url = URL(string: report.url) else { return reply(.allow) }
    let page = FrameDescription(
      isMain: true, url: pageAddress, origin: pageAddress.flatMap(RelayAddress.originText))
    let frame = WKFrameInfo(report.frame ?? page, webView: self)
    var request = URLRequest(url: visibleURL(report.url) ?? url)
    if report.isPost { request.httpMethod = "POST" }
    let action = WKNavigationAction(
      request: request, type: WKNavigationType(wire: report.type), frame: frame)
    ask(action, reply)
  }

  /// A document is there: the one that was on its way, or one to which the page went by itself.
  private func arrived(_ report: PageNavigation) {
    let url = visibleURL(report.url)
    let arrival = navigation.pageArrived(report.receipt.document, url)
    if !arrival.steps.isEmpty {
      self.url = url
      estimatedProgress = 0.1
    }
    perform(arrival.steps)
    guard arrival.isWanted else {
      pageAddress = report.url
      committedURL = url
      if let history = report.history { show(history) }
      return sendAgain(to: report.receipt.document)
    }
    if wasRedirected(report) {
      self.url = url
      perform(navigation.redirected())
    }
    askAboutResponse(report)
  }

  /// Whether the document came out elsewhere than asked for. Redirects within an origin are counted by the browser; others
  /// show in the address.
  private func wasRedirected(_ report: PageNavigation) -> Bool {
    if report.redirects > 0 { return true }
    guard report.type == "other", let asked = navigation.current?.requested, !isBlank(asked),
      !asked.isFileURL,
      let url = visibleURL(report.url)
    else { return false }
    return Self.comparable(asked) != Self.comparable(url)
  }

  /// An address as browsers write it, without its fragment.
  private static func comparable(_ url: URL) -> String {
    let text = String(url.absoluteString.prefix { $0 != "#" })
    return url.path.isEmpty && url.query == nil ? text + "/" : text
  }

  private func askAboutResponse(_ report: PageNavigation) {
    guard let delegate = navigationDelegate, PolicyQuestion.isAnswered(by: delegate, .response) else {
      return commit(report)
    }
    session.isHolding = true
    let once = PolicyAnswer<WKNavigationResponsePolicy>(mistaken: session.mistaken) { [weak self] policy in
      MainActor.assumeIsolated { self?.responseDecided(policy, report) }
    }
    let handler: @MainActor (WKNavigationResponsePolicy) -> Void = { once.give($0) }
    let response = Self.response(visibleURL(report.url) ?? Self.blankURL, report)
    delegate.webView(
      self, decidePolicyFor: WKNavigationResponse(response: response), decisionHandler: handler)
  }

  /// What is known of a document's response: its status where the browser tells it, of its headers only the type.
  private static func response(_ url: URL, _ report: PageNavigation) -> URLResponse {
    let type = report.mimeType ?? "text/html"
    if let status = report.status, url.scheme == "http" || url.scheme == "https",
      let response = HTTPURLResponse(
        url: url, statusCode: status, httpVersion: nil, headerFields: ["Content-Type": type])
    {
      return response
    }
    return URLResponse(url: url, mimeType: type, expectedContentLength: -1, textEncodingName: nil)
  }

  private func responseDecided(_ policy: WKNavigationResponsePolicy, _ report: PageNavigation) {
    if policy == .allow {
      commit(report)
    } else {
      // The document is there already; it is taken away again.
      session.notify("stop")
      session.notify("go", ["delta": -1])
      fail(.interruptedNavigation(visibleURL(report.url)))
    }
    host.release(session, receipt: report.receipt)
  }

  private func commit(_ report: PageNavigation) {
    target = nil
    pageAddress = report.url
    committedURL = visibleURL(report.url)
    url = committedURL
    title = ""
    evaluationWay = .unknown
    isLoading = true
    if let history = report.history { show(history) }
    replacing = nil
    perform(navigation.pageCommitted(report.receipt.document, committedURL))
  }

  private func finished(_ report: PageNavigation) {
    guard let wish = report.wish else {
      return perform(navigation.pageFinished(report.receipt.document))
    }
    guard let steps = navigation.stayed(wish: wish) else { return }
    target = nil
    pageAddress = report.url
    committedURL = visibleURL(report.url)
    url = committedURL
    perform(steps)
  }

  private func failed(_ report: PageNavigation) {
    let url = visibleURL(report.url)
    let code = report.errorCode ?? NSURLErrorUnknown
    let text = report.errorMessage ?? "The page could not be loaded."
    let isConcerned = { @MainActor [weak self] in self?.navigation.concerns(wish: report.wish) ?? false }
    guard isConcerned() else { return }
    guard code == NSURLErrorCannotConnectToHost, let name = url?.host, !HostName.needsNoLookup(name) else {
      return fail(.navigation(code, text, url))
    }
    // A page learns only that nobody answered; whether there is such a host is looked up here.
    Task { [weak self] in
      let isKnown = await HostName.isKnown(name)
      guard isConcerned() else { return }
      self?.fail(
        isKnown
          ? .navigation(code, text, url)
          : .navigation(
            NSURLErrorCannotFindHost, "A server with the specified hostname could not be found.", url))
    }
  }

  func fail(_ error: NSError) {
    let steps = navigation.failed(error)
    guard !steps.isEmpty else { return }
    target = nil
    url = committedURL
    perform(steps)
  }

  /// Makes delegate calls, properties first.
  func perform(_ steps: [NavigationState.Step]) {
    for step in steps {
      isLoading = navigation.isLoading
      let delegate = navigationDelegate
      switch step {
      case .start(let navigation):
        delegate?.webView(self, didStartProvisionalNavigation: navigation)
      case .redirect(let navigation):
        delegate?.webView(self, didReceiveServerRedirectForProvisionalNavigation: navigation)
      case .commit(let navigation):
        delegate?.webView(self, didCommit: navigation)
      case .finish(let navigation):
        estimatedProgress = 1
        delegate?.webView(self, didFinish: navigation)
      case .failProvisional(let navigation, let error):
        delegate?.webView(self, didFailProvisionalNavigation: navigation, withError: error.bridged)
      case .fail(let navigation, let error):
        delegate?.webView(self, didFail: navigation, withError: error.bridged)
      }
    }
  }

  /// The handler of the app's scheme could not give the page that is under way.
  func schemeFailed(_ failed: URL?, _ error: NSError) {
    guard navigation.isProvisional, let failed, let url, url.absoluteString.hasPrefix(failed.absoluteString)
    else { return }
    fail(error)
  }

  // MARK: The page's end

  /// The screen's frame could not load its page.
  func frameFailed() {
    fail(
      .navigation(
        NSURLErrorCannotConnectToHost, "Could not connect to the server.", navigation.current?.requested))
  }

  /// The frame that a screen gave the view has no page of the bridge any more.
  func pageIsGone() {
    session.isAttached = false
    switch navigation.phase {
    case .provisional:
      // Whatever was loaded does not speak the bridge's language; the page before it comes back.
      fail(
        .navigation(
          NSURLErrorTimedOut, "No page of the bridge came within 10 seconds.", navigation.current?.requested))
      showAgain()
    case .idle, .deciding, .committed: terminated()
    }
  }

  /// The session is over, and with it the page.
  func sessionEnded() {
    terminated()
  }

  private func terminated() {
    perform(navigation.supersede())
    isLoading = false
    guard let delegate = navigationDelegate else { return recoverByItself() }
    delegate.webViewWebContentProcessDidTerminate(self)
  }

  /// Loads the page again after it was lost, once, if there is a screen to show it.
  func recoverByItself() {
    guard !session.isEnded, isShownOnScreen, !hasRecovered else { return }
    reload()
    hasRecovered = true
  }
}
