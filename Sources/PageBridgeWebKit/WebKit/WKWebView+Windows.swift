import BridgeProtocol

/// Windows that a page opens: web views that the app makes for it.
extension WKWebView {
  /// A script called `window.open` and waits.
  func openWindow(_ dialog: PageDialog) {
    let request = dialog.request
    let action = windowAction(request.text, .other, request.frame)
    makeWindow(for: action, WKWindowFeatures(request.features ?? "")) { dialog.answer($0) }
  }

  /// A link leads to a window of its own: the navigation delegate is asked first.
  func openWindow(_ request: WindowRequest) {
    let session = session
    let receipt = request.receipt
    let answer: @Sendable (WireValue) -> Void = { window in
      guard let id = request.id else { return }
      session.connection.submit(
        .answer(session: session.id, document: receipt.document, id: id, result: window))
    }
    let action = windowAction(request.url, .linkActivated, request.frame)
    ask(action) { [weak self] policy in
      guard let self, policy == .allow else { return answer(.null) }
      makeWindow(for: action, WKWindowFeatures("")) { answer($0 ?? .null) }
    }
  }

  /// A script called `close`, of its own window or of one that it has opened.
  func closeWindow(_ id: String?) {
    let webView = id == nil ? self : openedViews[id ?? ""]?.webView
    guard let webView, webView.isOpenedByPage else { return }
    webView.uiDelegate?.webViewDidClose(webView)
  }

  /// A script leads a window that it has opened to another page.
  func loadWindow(_ id: String, _ url: String) {
    guard let webView = openedViews[id]?.webView, let url = URL(string: url), Self.mayOpen(url) else {
      return
    }
    webView.load(URLRequest(url: url))
  }

  private func windowAction(
    _ url: String, _ type: WKNavigationType, _ frame: FrameDescription
  ) -> WKNavigationAction {
    let target = visibleURL(url) ?? URL(string: url) ?? Self.blankURL
    return WKNavigationAction(
      request: URLRequest(url: target), type: type, frame: WKFrameInfo(frame, webView: self), target: nil)
  }

  /// Lets the delegate make a web view, and loads what the page asked for into it.
  ///
  /// - Parameter answer: takes what the page is told of it; nil without one.
  private func makeWindow(
    for action: WKNavigationAction, _ features: WKWindowFeatures,
    _ answer: @escaping @Sendable (WireValue?) -> Void
  ) {
    guard let delegate = uiDelegate, !session.isEnded else { return answer(nil) }
    let configuration = configuration.duplicate()
    func make() -> WKWebView? {
      delegate.webView(self, createWebViewWith: configuration, for: action, windowFeatures: features)
    }
    // A view that is made for a viewer's page is shown on the same screen.
    let made = if let scene = session.scene { scene.perform(make) } else { make() }
    guard let made else { return answer(nil) }
    guard made.givenConfiguration === configuration else {
      session.mistaken("the web view that createWebViewWith gave was not made with the given configuration")
      return answer(nil)
    }
    made.opened(by: self)
    openedViews[made.sessionID] = Opened(webView: made)
    let url = action.request.url ?? Self.blankURL
    let navigation = made.load(URLRequest(url: Self.mayOpen(url) ? url : Self.blankURL))
    let window: WireValue = .string(made.sessionID)
    guard !made.isShownOnScreen, let navigation else { return answer(["window": window]) }
    // The browser opens a tab, with what the view's own delegate allows. A view that the app lets go before has no page.
    let reply = DialogReply<WireValue?>(
      "createWebViewWith", fallback: nil, mistaken: { _ in }, handler: answer)
    made.whenDecided = (
      navigation,
      { [weak made] in
        reply.give(made.map { ["window": window, "url": .string($0.pageURL.absoluteString)] })
      }
    )
  }

  /// Whether a page may have that address opened: a script would run with the rights of whoever shows it.
  private static func mayOpen(_ url: URL) -> Bool {
    ["http", "https"].contains(url.scheme?.lowercased()) || url == blankURL
  }

  private func opened(by opener: WKWebView) {
    isOpenedByPage = true
    session.opener = opener.session
    openerOrigin = opener.contentOrigin
    session.configurationChanged()
  }
}

/// A web view that a page has opened, as long as the app keeps it.
struct Opened {
  weak var webView: WKWebView?
}
