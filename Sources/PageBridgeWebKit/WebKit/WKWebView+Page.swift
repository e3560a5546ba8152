extension WKWebView {
  // What the page says, in the order it says it.

  /// A document's socket is up.
  func attached(_ document: String) {
    let steps = navigation.pageReturned(document)
    guard !steps.isEmpty else { return }
    if let snapshot = snapshots[document] {
      committedURL = snapshot.url
      pageAddress = snapshot.address
      url = snapshot.url
      title = snapshot.title
    }
    perform(steps)
  }

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
      let steps = navigation.pageStarted()
      guard !steps.isEmpty else { return }
      url = visibleURL(report.url)
      isLoading = true
      estimatedProgress = 0.1
      perform(steps)
    case .committed:
      // The page that only holds the place has been there before the app's load, which is yet to come.
      if isPlaceholdersOwn(report) { return navigation.resume(report.receipt.document) }
      askAboutResponse(report)
    case .finished: finished(report)
    case .failed:
      let error = NSError(
        domain: NSURLErrorDomain, code: report.errorCode ?? NSURLErrorUnknown,
        userInfo: [
          NSLocalizedDescriptionKey: report.errorMessage ?? "The page could not be loaded.",
          NSURLErrorFailingURLErrorKey: URL(string: report.url) ?? Self.blankURL,
        ])
      fail(error)
    }
  }

  /// Whether the visitor's place-holder tells of its own load while the app's is under way.
  private func isPlaceholdersOwn(_ report: PageNavigation) -> Bool {
    guard isAdopted, navigation.document == nil, navigation.isProvisional, let scene = session.scene,
      scene.isPlaceholder
    else { return false }
    return scene.url?.absoluteString == report.url
  }

  func receive(_ state: PageState) {
    guard state.receipt.document == navigation.document || navigation.document == nil else { return }
    if let text = state.url {
      pageAddress = text
      committedURL = visibleURL(text)
      if !navigation.isProvisional { url = committedURL }
    }
    if let text = state.title { title = text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
    if let flag = state.canGoBack { canGoBack = flag }
    if let flag = state.canGoForward { canGoForward = flag }
    if let progress = state.progress, navigation.isLoading, !navigation.isProvisional {
      estimatedProgress = max(estimatedProgress, min(progress, 1))
    }
    if let policy = state.policy { evaluationWay = EvaluationWay(rawValue: policy) ?? .unknown }
    remember(state.receipt.document)
  }

  private func remember(_ document: String) {
    if snapshots.count >= Limits.rememberedDocuments, snapshots[document] == nil { snapshots = [:] }
    snapshots[document] = DocumentSnapshot(url: committedURL, title: title, address: pageAddress)
  }

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
    let frame = WKFrameInfo(
      FrameDescription(isMain: true, url: pageAddress, origin: pageAddress.flatMap(RelayAddress.originText)),
      webView: self)
    let action = WKNavigationAction(
      request: URLRequest(url: visibleURL(report.url) ?? url), type: WKNavigationType(wire: report.type),
      frame: frame)
    ask(action, reply)
  }

  private func askAboutResponse(_ report: PageNavigation) {
    guard let delegate = navigationDelegate, PolicyQuestion.isAnswered(by: delegate, .response) else {
      return commit(report)
    }
    session.isHolding = true
    let once = PolicyAnswer<WKNavigationResponsePolicy> { [weak self] policy in
      MainActor.assumeIsolated { self?.responseDecided(policy, report) }
    }
    let handler: @MainActor (WKNavigationResponsePolicy) -> Void = { once.give($0) }
    let response = URLResponse(
      url: visibleURL(report.url) ?? Self.blankURL, mimeType: "text/html", expectedContentLength: -1,
      textEncodingName: nil)
    delegate.webView(
      self, decidePolicyFor: WKNavigationResponse(response: response), decisionHandler: handler)
  }

  private func responseDecided(_ policy: WKNavigationResponsePolicy, _ report: PageNavigation) {
    if policy == .allow {
      commit(report)
    } else {
      // The document is there already; it is taken away again.
      session.notify("stop")
      session.notify("go", ["delta": -1])
      let error = NSError(
        domain: "WebKitErrorDomain", code: 102,
        userInfo: [NSLocalizedDescriptionKey: "Frame load interrupted"])
      let steps = navigation.pageRejected(error)
      target = nil
      url = committedURL
      perform(steps)
    }
    host.release(session, receipt: report.receipt)
  }

  private func commit(_ report: PageNavigation) {
    if let document = navigation.document { remember(document) }
    target = nil
    pageAddress = report.url
    committedURL = visibleURL(report.url)
    url = committedURL
    title = ""
    evaluationWay = .unknown
    isLoading = true
    if !navigation.isProvisional { estimatedProgress = 0.1 }
    perform(navigation.pageCommitted(report.receipt.document))
  }

  private func finished(_ report: PageNavigation) {
    if navigation.isProvisional, report.receipt.document == navigation.document, report.url.contains("#"),
      case .page(let wanted)? = target, wanted.absoluteString == report.url
    {
      target = nil
      pageAddress = report.url
      committedURL = visibleURL(report.url)
      url = committedURL
      perform(navigation.stayed())
    } else {
      perform(navigation.pageFinished(report.receipt.document))
    }
  }

  private func fail(_ error: NSError) {
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
      NSError(
        domain: NSURLErrorDomain, code: NSURLErrorCannotConnectToHost,
        userInfo: [NSLocalizedDescriptionKey: "Could not connect to the server."]))
  }

  /// The frame that a screen gave the view has no page of the bridge any more.
  func pageIsGone() {
    session.isAttached = false
    switch navigation.phase {
    case .provisional:
      // Whatever was loaded does not speak the bridge's language; the page before it comes back.
      fail(
        NSError(
          domain: NSURLErrorDomain, code: NSURLErrorTimedOut,
          userInfo: [NSLocalizedDescriptionKey: "No page of the bridge came within 10 seconds."]))
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
