/// Who shows what a page's scripts ask for: dialogs and windows. See Apple's page "WKUIDelegate".
///
/// Nothing here has to be implemented: without a method, or without a delegate, `alert` returns, `confirm` gives false,
/// `prompt` gives null and `window.open` gives null. Methods that take a closure are declared in each spelling that Swift
/// tells apart: with Apple's `@MainActor` closure (`@MainActor @Sendable` is the same type), with a plain one, and `async`.
/// The defaults lead from one to the next, so that whichever an app implements is called, and only that.
///
/// The page's script stands still until the answer is there, so an answer that takes long is right, and one that never comes
/// is not. WebKit stops an app that lets a completion handler go without calling it, or calls it twice. A host carries other
/// visitors' pages too: here the first mistake answers as if there were no delegate and the second changes nothing, and both
/// are reported on standard error and in the host's events.
///
/// To let the visitor's browser show the dialog itself, see ``WebBrowserDialogs``.
@MainActor
public protocol WKUIDelegate: AnyObject {
  /// A page wants a window of its own: by `window.open`, or by a link whose target is one.
  ///
  /// Make a web view with the given configuration and return it, and keep it; what the page asked for is loaded into it. A view
  /// of a viewer is shown on that screen, above the others; for a page in a bare tab the browser opens another tab. Without
  /// this method, or with nil, nothing is opened.
  func webView(
    _ webView: WKWebView, createWebViewWith configuration: WKWebViewConfiguration,
    for navigationAction: WKNavigationAction, windowFeatures: WKWindowFeatures
  ) -> WKWebView?

  /// A page called `close` on a window that a page has opened: let go of its web view.
  func webViewDidClose(_ webView: WKWebView)

  /// A page called `alert`; its script goes on when `completionHandler` is called.
  func webView(
    _ webView: WKWebView, runJavaScriptAlertPanelWithMessage message: String,
    initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor () -> Void)
  /// A page called `alert`, in the spelling without an actor; call the closure on the main actor.
  func webView(
    _ webView: WKWebView, runJavaScriptAlertPanelWithMessage message: String,
    initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping () -> Void)
  /// A page called `alert`, in the asynchronous spelling.
  func webView(
    _ webView: WKWebView, runJavaScriptAlertPanelWithMessage message: String,
    initiatedByFrame frame: WKFrameInfo) async

  /// A page called `confirm`: true stands for OK.
  func webView(
    _ webView: WKWebView, runJavaScriptConfirmPanelWithMessage message: String,
    initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor (Bool) -> Void)
  /// A page called `confirm`, in the spelling without an actor; call the closure on the main actor.
  func webView(
    _ webView: WKWebView, runJavaScriptConfirmPanelWithMessage message: String,
    initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping (Bool) -> Void)
  /// A page called `confirm`, in the asynchronous spelling.
  func webView(
    _ webView: WKWebView, runJavaScriptConfirmPanelWithMessage message: String,
    initiatedByFrame frame: WKFrameInfo
  ) async -> Bool

  /// A page called `prompt`: nil stands for Cancel. `defaultText` is what the field holds at first; empty if the page named
  /// nothing.
  func webView(
    _ webView: WKWebView, runJavaScriptTextInputPanelWithPrompt prompt: String, defaultText: String?,
    initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor (String?) -> Void)
  /// A page called `prompt`, in the spelling without an actor; call the closure on the main actor.
  func webView(
    _ webView: WKWebView, runJavaScriptTextInputPanelWithPrompt prompt: String, defaultText: String?,
    initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping (String?) -> Void)
  /// A page called `prompt`, in the asynchronous spelling.
  func webView(
    _ webView: WKWebView, runJavaScriptTextInputPanelWithPrompt prompt: String, defaultText: String?,
    initiatedByFrame frame: WKFrameInfo
  ) async -> String?
}

extension WKUIDelegate {
  public func webView(
    _ webView: WKWebView, createWebViewWith configuration: WKWebViewConfiguration,
    for navigationAction: WKNavigationAction, windowFeatures: WKWindowFeatures
  ) -> WKWebView? { nil }

  public func webViewDidClose(_ webView: WKWebView) {}

  // The way of a question: actor closure, plain closure, async, nobody.

  public func webView(
    _ webView: WKWebView, runJavaScriptAlertPanelWithMessage message: String,
    initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor () -> Void
  ) {
    let plain: () -> Void = { MainActor.assumeIsolated { completionHandler() } }
    self.webView(
      webView, runJavaScriptAlertPanelWithMessage: message, initiatedByFrame: frame, completionHandler: plain)
  }

  public func webView(
    _ webView: WKWebView, runJavaScriptAlertPanelWithMessage message: String,
    initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping () -> Void
  ) {
    Task { @MainActor in
      await self.webView(webView, runJavaScriptAlertPanelWithMessage: message, initiatedByFrame: frame)
      completionHandler()
    }
  }

  public func webView(
    _ webView: WKWebView, runJavaScriptAlertPanelWithMessage message: String,
    initiatedByFrame frame: WKFrameInfo
  ) async {}

  public func webView(
    _ webView: WKWebView, runJavaScriptConfirmPanelWithMessage message: String,
    initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor (Bool) -> Void
  ) {
    let plain: (Bool) -> Void = { isOK in MainActor.assumeIsolated { completionHandler(isOK) } }
    self.webView(
      webView, runJavaScriptConfirmPanelWithMessage: message, initiatedByFrame: frame,
      completionHandler: plain)
  }

  public func webView(
    _ webView: WKWebView, runJavaScriptConfirmPanelWithMessage message: String,
    initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping (Bool) -> Void
  ) {
    Task { @MainActor in
      completionHandler(
        await self.webView(webView, runJavaScriptConfirmPanelWithMessage: message, initiatedByFrame: frame))
    }
  }

  public func webView(
    _ webView: WKWebView, runJavaScriptConfirmPanelWithMessage message: String,
    initiatedByFrame frame: WKFrameInfo
  ) async -> Bool { false }

  public func webView(
    _ webView: WKWebView, runJavaScriptTextInputPanelWithPrompt prompt: String, defaultText: String?,
    initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor (String?) -> Void
  ) {
    let plain: (String?) -> Void = { text in MainActor.assumeIsolated { completionHandler(text) } }
    self.webView(
      webView, runJavaScriptTextInputPanelWithPrompt: prompt, defaultText: defaultText,
      initiatedByFrame: frame, completionHandler: plain)
  }

  public func webView(
    _ webView: WKWebView, runJavaScriptTextInputPanelWithPrompt prompt: String, defaultText: String?,
    initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping (String?) -> Void
  ) {
    Task { @MainActor in
      completionHandler(
        await self.webView(
          webView, runJavaScriptTextInputPanelWithPrompt: prompt, defaultText: defaultText,
          initiatedByFrame: frame))
    }
  }

  public func webView(
    _ webView: WKWebView, runJavaScriptTextInputPanelWithPrompt prompt: String, defaultText: String?,
    initiatedByFrame frame: WKFrameInfo
  ) async -> String? { nil }
}
