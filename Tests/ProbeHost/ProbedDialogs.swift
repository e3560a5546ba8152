import PageBridgeWebKit

/// A delegate that does with dialogs what a command says: "answer", "hold", "drop", "twice" or "present".
@MainActor
final class ProbedDialogs: NSObject, WKUIDelegate {
  private let mode: String
  /// What `confirm` and `prompt` get.
  private let confirm: Bool
  private let prompt: String?
  private weak var view: ProbedView?
  /// Makes the view of a window, or none.
  private let makeWindow: (@MainActor (WKWebViewConfiguration) -> WKWebView?)?
  /// Lets go of the view whose window is closed.
  private let closed: @MainActor (WKWebView) -> Void
  private var held: [@MainActor () -> Void] = []

  init(
    _ command: JSONValue, view: ProbedView,
    makeWindow: @escaping @MainActor (WKWebViewConfiguration) -> WKWebView?,
    closed: @escaping @MainActor (WKWebView) -> Void
  ) {
    self.makeWindow =
      switch command["windows"]?.string {
      case "make": makeWindow
      // What WebKit stops an app for.
      case "other": { _ in makeWindow(WKWebViewConfiguration()) }
      default: nil
      }
    self.closed = closed
    mode = command["mode"]?.string ?? "answer"
    confirm = command["confirm"]?.bool ?? true
    prompt = command["prompt"]?.string
    self.view = view
  }

  /// Answers what was held, the oldest first; gives how many there were.
  func answerHeld() -> Int {
    let waiting = held
    held = []
    for answer in waiting { answer() }
    return waiting.count
  }

  func webView(
    _ webView: WKWebView, runJavaScriptAlertPanelWithMessage message: String,
    initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor () -> Void
  ) {
    note("alert", message, nil, frame)
    if mode == "present" {
      frame.presentAlert { [self] in
        note("presented", "alert")
        completionHandler()
      }
    } else {
      give(completionHandler)
    }
  }

  func webView(
    _ webView: WKWebView, runJavaScriptConfirmPanelWithMessage message: String,
    initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor (Bool) -> Void
  ) {
    note("confirm", message, nil, frame)
    if mode == "present" {
      frame.presentConfirm { [self] isOK in
        note("presented", "confirm", .bool(isOK))
        completionHandler(isOK)
      }
    } else {
      give { [confirm] in completionHandler(confirm) }
    }
  }

  func webView(
    _ webView: WKWebView, runJavaScriptTextInputPanelWithPrompt prompt: String, defaultText: String?,
    initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor (String?) -> Void
  ) {
    note("prompt", prompt, defaultText, frame)
    if mode == "present" {
      frame.presentTextInput { [self] text in
        note("presented", "prompt", JSONValue(text))
        completionHandler(text)
      }
    } else {
      give { [answer = self.prompt] in completionHandler(answer) }
    }
  }

  func webView(
    _ webView: WKWebView, createWebViewWith configuration: WKWebViewConfiguration,
    for navigationAction: WKNavigationAction, windowFeatures: WKWindowFeatures
  ) -> WKWebView? {
    let sizes = [windowFeatures.x, windowFeatures.y, windowFeatures.width, windowFeatures.height]
    view?.note(
      "window",
      [
        "url": JSONValue(navigationAction.request.url?.absoluteString),
        "type": JSONValue(navigationAction.navigationType.rawValue),
        "hasTarget": .bool(navigationAction.targetFrame != nil),
        "main": .bool(navigationAction.sourceFrame.isMainFrame),
        "sizes": .array(sizes.map { $0.map { .number($0.doubleValue) } ?? .null }),
      ])
    return makeWindow?(configuration)
  }

  func webViewDidClose(_ webView: WKWebView) {
    view?.note("windowClosed", ["session": .string(webView.sessionID)])
    closed(webView)
  }

  private func give(_ answer: @escaping @MainActor () -> Void) {
    switch mode {
    case "hold": held.append(answer)
    case "drop": break
    case "twice":
      answer()
      answer()
    default: answer()
    }
  }

  private func note(_ kind: String, _ text: String, _ defaultText: String?, _ frame: WKFrameInfo) {
    view?.note(
      "dialog",
      [
        "kind": .string(kind), "text": .string(text), "default": JSONValue(defaultText),
        "main": .bool(frame.isMainFrame), "url": JSONValue(frame.request.url?.absoluteString),
      ])
  }

  private func note(_ event: String, _ kind: String, _ value: JSONValue = .null) {
    view?.note(event, ["kind": .string(kind), "value": value])
  }
}
