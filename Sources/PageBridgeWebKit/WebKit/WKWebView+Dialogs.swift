extension WKWebView {
  /// Asks the delegate what a page's script waits for.
  func ask(_ dialog: PageDialog) {
    let request = dialog.request
    guard let delegate = uiDelegate, let kind = request.kind else { return dialog.answer(nil) }
    let frame = WKFrameInfo(request.frame, webView: self)
    frame.dialog = dialog
    let mistaken = session.mistaken
    switch kind {
    case .open:
      openWindow(dialog)
    case .alert:
      let reply = DialogReply<Void>(
        "runJavaScriptAlertPanelWithMessage", fallback: (), mistaken: mistaken
      ) { dialog.answer(.null) }
      let handler: @MainActor () -> Void = { reply.give(()) }
      delegate.webView(
        self, runJavaScriptAlertPanelWithMessage: request.text, initiatedByFrame: frame,
        completionHandler: handler)
    case .confirm:
      let reply = DialogReply(
        "runJavaScriptConfirmPanelWithMessage", fallback: false, mistaken: mistaken
      ) { dialog.answer(.bool($0)) }
      let handler: @MainActor (Bool) -> Void = { reply.give($0) }
      delegate.webView(
        self, runJavaScriptConfirmPanelWithMessage: request.text, initiatedByFrame: frame,
        completionHandler: handler)
    case .prompt:
      let reply = DialogReply<String?>(
        "runJavaScriptTextInputPanelWithPrompt", fallback: nil, mistaken: mistaken
      ) { dialog.answer($0.map { .string($0) } ?? .null) }
      let handler: @MainActor (String?) -> Void = { reply.give($0) }
      delegate.webView(
        self, runJavaScriptTextInputPanelWithPrompt: request.text, defaultText: request.defaultText ?? "",
        initiatedByFrame: frame, completionHandler: handler)
    }
  }
}
