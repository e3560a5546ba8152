import PageBridgeWebKit

/// The page's dialogs: the app notes each and lets the visitor's browser show it, since a host has no screen of its own.
extension SquadViewController: WKUIDelegate {
  func webView(
    _ webView: WKWebView, runJavaScriptAlertPanelWithMessage message: String,
    initiatedByFrame frame: WKFrameInfo
  ) async {
    await frame.presentAlert()
    answered("alert", message, .null)
  }

  func webView(
    _ webView: WKWebView, runJavaScriptConfirmPanelWithMessage message: String,
    initiatedByFrame frame: WKFrameInfo
  ) async -> Bool {
    let answer = await frame.presentConfirm()
    answered("confirm", message, .bool(answer))
    return answer
  }

  func webView(
    _ webView: WKWebView, runJavaScriptTextInputPanelWithPrompt prompt: String, defaultText: String?,
    initiatedByFrame frame: WKFrameInfo
  ) async -> String? {
    let answer = await frame.presentTextInput()
    answered("prompt", prompt, answer.map { .string($0) } ?? .null)
    return answer
  }

  private func answered(_ kind: String, _ text: String, _ answer: WireValue) {
    record(.dialogAnswered, ["kind": .string(kind), "text": .string(text), "answer": answer])
    model.note(.app, "\(kind) \"\(text.prefix(SquadLimits.logTextLength))\": \(SquadLog.text(answer))")
  }
}
