/// Lets the visitor's browser show the dialogs of pages itself, in the tab or viewer that the page is in.
///
/// An app on a phone puts up an alert of its own; a host has no screen, but the visitor's browser has. As a delegate it does so
/// for all dialogs, and windows stay closed:
///
/// ```swift
/// webView.uiDelegate = WebBrowserDialogs.shared
/// ```
///
/// A delegate of the app's own asks for it dialog by dialog, by ``WKFrameInfo/presentAlert(completionHandler:)`` and its
/// neighbours. What the browser shows is the page's own text.
@MainActor
public final class WebBrowserDialogs: NSObject, WKUIDelegate {
  /// The one that all web views can share: a web view does not keep its delegate.
  public static let shared = WebBrowserDialogs()

  /// Lets the browser show the alert.
  public func webView(
    _ webView: WKWebView, runJavaScriptAlertPanelWithMessage message: String,
    initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor () -> Void
  ) {
    frame.presentAlert(completionHandler: completionHandler)
  }

  /// Lets the browser ask.
  public func webView(
    _ webView: WKWebView, runJavaScriptConfirmPanelWithMessage message: String,
    initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor (Bool) -> Void
  ) {
    frame.presentConfirm(completionHandler: completionHandler)
  }

  /// Lets the browser ask for a text.
  public func webView(
    _ webView: WKWebView, runJavaScriptTextInputPanelWithPrompt prompt: String, defaultText: String?,
    initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor (String?) -> Void
  ) {
    frame.presentTextInput(completionHandler: completionHandler)
  }
}

extension WKFrameInfo {
  /// Lets the browser show the alert that a ``WKUIDelegate`` is asked about with this frame.
  ///
  /// The page's script goes on once the person has closed it. Then, or when the page is gone, the closure is called, on the
  /// main actor; outside of such a question it is called at once. The delegate's own answer no longer matters.
  public func presentAlert(completionHandler: @escaping @MainActor () -> Void) {
    present { _ in completionHandler() }
  }

  /// Lets the browser ask what a ``WKUIDelegate`` is asked with this frame; false when the page is gone.
  public func presentConfirm(completionHandler: @escaping @MainActor (Bool) -> Void) {
    present { completionHandler($0?.bool ?? false) }
  }

  /// Lets the browser ask for the text that a ``WKUIDelegate`` is asked for with this frame; nil when the page is gone.
  public func presentTextInput(completionHandler: @escaping @MainActor (String?) -> Void) {
    present { completionHandler($0?.string) }
  }

  /// Lets the browser show the alert; returns once the person has closed it.
  public func presentAlert() async {
    await withCheckedContinuation { continuation in presentAlert { continuation.resume() } }
  }

  /// Lets the browser ask; false when the page is gone.
  public func presentConfirm() async -> Bool {
    await withCheckedContinuation { continuation in presentConfirm { continuation.resume(returning: $0) } }
  }

  /// Lets the browser ask for a text; nil when the page is gone.
  public func presentTextInput() async -> String? {
    await withCheckedContinuation { continuation in presentTextInput { continuation.resume(returning: $0) } }
  }

  private func present(_ done: @escaping @MainActor @Sendable (WireValue?) -> Void) {
    guard let dialog, dialog.present(done) else { return done(nil) }
  }
}
