import PageBridgeWebKit

extension SquadViewController: WKNavigationDelegate {
  func webView(
    _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
    decisionHandler: @escaping @MainActor @Sendable (WKNavigationActionPolicy) -> Void
  ) {
    let url = navigationAction.request.url
    let isOwn = asked != nil && asked == url
    if isOwn { asked = nil }
    guard let url, addresses.allowsContent(url) else {
      decided("cancel", url)
      decisionHandler(.cancel)
      let failure = SquadFailure.insecure(url)
      // A page that wanted to leave is still there.
      if isOwn { fail(failure) } else { model.note(.app, failure.text) }
      return
    }
    if served == url {
      served = nil
    } else if let page = keptPage(url) {
      decided("cache", url)
      decisionHandler(.cancel)
      return serve(page)
    }
    decided("allow", url)
    wanted = url
    decisionHandler(.allow)
  }

  func webView(_ webView: WKWebView, didStartProvisionalNavigation navigation: WKNavigation!) {
    guard told(.start) else { return }
    loadBegan()
  }

  func webView(_ webView: WKWebView, didCommit navigation: WKNavigation!) {
    _ = told(.commit)
  }

  func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) {
    guard told(.finish) else { return }
    if let time = stopwatch.stop() { model.loaded(webView.url, in: time) }
    loadEnded()
    keepIfWanted(webView.url)
  }

  func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error) {
    _ = told(.fail)
    failed(error)
  }

  func webView(
    _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error
  ) {
    _ = told(.failProvisional)
    failed(error)
  }

  func webViewWebContentProcessDidTerminate(_ webView: WKWebView) {
    _ = told(.terminate)
    fail(SquadFailure(WKError(.webContentProcessTerminated)))
  }

  /// A navigation that another one takes the place of is no failure to tell of.
  private func failed(_ error: any Error) {
    if (error as? URLError)?.code == .cancelled { return }
    fail(SquadFailure(error))
  }

  private enum Callback: String {
    case start, commit, finish, fail, failProvisional, terminate
  }

  /// Records a callback; answers false for one about the place-holder, which is none of the app's pages. A load that failed
  /// leaves it where it is, so such a callback is always the app's.
  private func told(_ callback: Callback) -> Bool {
    switch callback {
    case .start, .commit, .finish:
      guard webView.url == nil || webView.url != placeholder else { return false }
    case .fail, .failProvisional, .terminate: break
    }
    record(
      .navigationCallback,
      ["callback": .string(callback.rawValue), "url": SquadModel.value(webView.url)])
    return true
  }

  private func decided(_ decision: String, _ url: URL?) {
    record(.policy, ["decision": .string(decision), "url": SquadModel.value(url)])
  }
}
