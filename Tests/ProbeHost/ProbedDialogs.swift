import PageBridgeWebKit

/// A delegate that does with dialogs what a command says: "answer", "hold", "drop", "twice" or "present".
@MainActor
final class ProbedDialogs: NSObject, WKUIDelegate {
  private let mode: String
  /// What `confirm` and `prompt` get.
  private let confirm: Bool
  private let prompt: String?
  private weak var view: ProbedView?
  private var held: [@MainActor () -> Void] = []

  init(_ command: JSONValue, view: ProbedView) {
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
