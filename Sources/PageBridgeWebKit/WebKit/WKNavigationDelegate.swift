/// Who decides about navigations and hears of them. See Apple's page "WKNavigationDelegate".
///
/// Nothing here has to be implemented. Methods that take a closure are declared in each spelling that Swift tells apart:
/// with a plain closure, with Apple's `@MainActor` one (`@MainActor @Sendable` is the same type), and `async`. The
/// defaults lead from one to the next, so that whichever an app implements is called, and only that.
@MainActor
public protocol WKNavigationDelegate: AnyObject {
  /// Asks whether a navigation may happen.
  func webView(
    _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
    decisionHandler: @escaping @MainActor (WKNavigationActionPolicy) -> Void)
  /// Asks whether a navigation may happen, in the spelling without an actor.
  func webView(
    _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
    decisionHandler: @escaping (WKNavigationActionPolicy) -> Void)
  /// Asks whether a navigation may happen, in the asynchronous spelling.
  func webView(
    _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction
  ) async -> WKNavigationActionPolicy

  /// Asks whether a navigation may happen and with which preferences.
  func webView(
    _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
    preferences: WKWebpagePreferences,
    decisionHandler: @escaping @MainActor (WKNavigationActionPolicy, WKWebpagePreferences) -> Void)
  /// Asks whether a navigation may happen and with which preferences, in the spelling without an actor.
  func webView(
    _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
    preferences: WKWebpagePreferences,
    decisionHandler: @escaping (WKNavigationActionPolicy, WKWebpagePreferences) -> Void)
  /// Asks whether a navigation may happen and with which preferences, in the asynchronous spelling.
  func webView(
    _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
    preferences: WKWebpagePreferences
  ) async -> (WKNavigationActionPolicy, WKWebpagePreferences)

  /// Asks whether what came may be shown. A page shows its response as it comes, so the question is asked when the document
  /// is there, before ``webView(_:didCommit:)``; `.cancel` takes it away again.
  func webView(
    _ webView: WKWebView, decidePolicyFor navigationResponse: WKNavigationResponse,
    decisionHandler: @escaping @MainActor (WKNavigationResponsePolicy) -> Void)
  /// Asks whether what came may be shown, in the spelling without an actor.
  func webView(
    _ webView: WKWebView, decidePolicyFor navigationResponse: WKNavigationResponse,
    decisionHandler: @escaping (WKNavigationResponsePolicy) -> Void)
  /// Asks whether what came may be shown, in the asynchronous spelling.
  func webView(
    _ webView: WKWebView, decidePolicyFor navigationResponse: WKNavigationResponse
  ) async -> WKNavigationResponsePolicy

  /// The page is on its way to another document.
  func webView(_ webView: WKWebView, didStartProvisionalNavigation navigation: WKNavigation!)
  /// A server led the navigation to another address, which ``WKWebView/url`` has now. A page sees only where it came out, so
  /// several redirects are told once, when the document is there.
  func webView(
    _ webView: WKWebView, didReceiveServerRedirectForProvisionalNavigation navigation: WKNavigation!)
  /// The new document is there and its scripts begin to run.
  func webView(_ webView: WKWebView, didCommit navigation: WKNavigation!)
  /// The document is loaded.
  func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!)
  /// The navigation failed before its document was there; the old one stays.
  func webView(
    _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error)
  /// The navigation failed after its document was there.
  func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error)
  /// The page is gone: its tab was closed or crashed, or nothing was heard of it for too long. Without this method the
  /// web view is loaded again, if there is still a screen to show it.
  func webViewWebContentProcessDidTerminate(_ webView: WKWebView)
}

extension WKNavigationDelegate {
  // The way of a question: actor closure, plain closure, async, the same with preferences, nobody.

  public func webView(
    _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
    decisionHandler: @escaping @MainActor (WKNavigationActionPolicy) -> Void
  ) {
    let plain: (WKNavigationActionPolicy) -> Void = { policy in
      MainActor.assumeIsolated { decisionHandler(policy) }
    }
    self.webView(webView, decidePolicyFor: navigationAction, decisionHandler: plain)
  }

  public func webView(
    _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
    decisionHandler: @escaping (WKNavigationActionPolicy) -> Void
  ) {
    Task { @MainActor in
      decisionHandler(await self.webView(webView, decidePolicyFor: navigationAction))
    }
  }

  public func webView(
    _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction
  ) async -> WKNavigationActionPolicy {
    PolicyQuestion.nobodyAnswered(self, of: .action)
    return .allow
  }

  public func webView(
    _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
    preferences: WKWebpagePreferences,
    decisionHandler: @escaping @MainActor (WKNavigationActionPolicy, WKWebpagePreferences) -> Void
  ) {
    let plain: (WKNavigationActionPolicy, WKWebpagePreferences) -> Void = { policy, preferences in
      MainActor.assumeIsolated { decisionHandler(policy, preferences) }
    }
    self.webView(
      webView, decidePolicyFor: navigationAction, preferences: preferences, decisionHandler: plain)
  }

  public func webView(
    _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
    preferences: WKWebpagePreferences,
    decisionHandler: @escaping (WKNavigationActionPolicy, WKWebpagePreferences) -> Void
  ) {
    Task { @MainActor in
      let (policy, preferences) = await self.webView(
        webView, decidePolicyFor: navigationAction, preferences: preferences)
      decisionHandler(policy, preferences)
    }
  }

  public func webView(
    _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
    preferences: WKWebpagePreferences
  ) async -> (WKNavigationActionPolicy, WKWebpagePreferences) {
    // Nobody wants to say something about preferences: the question without them.
    let policy = await withCheckedContinuation { continuation in
      let answer = PolicyAnswer<WKNavigationActionPolicy>(mistaken: webView.session.mistaken) {
        continuation.resume(returning: $0)
      }
      let actor: @MainActor (WKNavigationActionPolicy) -> Void = { answer.give($0) }
      self.webView(webView, decidePolicyFor: navigationAction, decisionHandler: actor)
    }
    return (policy, preferences)
  }

  public func webView(
    _ webView: WKWebView, decidePolicyFor navigationResponse: WKNavigationResponse,
    decisionHandler: @escaping @MainActor (WKNavigationResponsePolicy) -> Void
  ) {
    let plain: (WKNavigationResponsePolicy) -> Void = { policy in
      MainActor.assumeIsolated { decisionHandler(policy) }
    }
    self.webView(webView, decidePolicyFor: navigationResponse, decisionHandler: plain)
  }

  public func webView(
    _ webView: WKWebView, decidePolicyFor navigationResponse: WKNavigationResponse,
    decisionHandler: @escaping (WKNavigationResponsePolicy) -> Void
  ) {
    Task { @MainActor in
      decisionHandler(await self.webView(webView, decidePolicyFor: navigationResponse))
    }
  }

  public func webView(
    _ webView: WKWebView, decidePolicyFor navigationResponse: WKNavigationResponse
  ) async -> WKNavigationResponsePolicy {
    PolicyQuestion.nobodyAnswered(self, of: .response)
    return .allow
  }

  public func webView(_ webView: WKWebView, didStartProvisionalNavigation navigation: WKNavigation!) {}
  public func webView(
    _ webView: WKWebView, didReceiveServerRedirectForProvisionalNavigation navigation: WKNavigation!
  ) {}
  public func webView(_ webView: WKWebView, didCommit navigation: WKNavigation!) {}
  public func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) {}
  public func webView(
    _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error
  ) {}
  public func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error) {}

  public func webViewWebContentProcessDidTerminate(_ webView: WKWebView) {
    webView.recoverByItself()
  }
}
