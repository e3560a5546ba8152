import PageBridgeWebKit

extension BridgeHost {
  /// Tells the page of an event, such as `host.ready`.
  ///
  /// Without a web view it is dropped, and ``lastError`` says so.
  /// - Returns: the event's correlation id: `ios-event-` and a UUID of its own.
  @discardableResult
  public func send(event action: String, data: [String: JSONValue] = [:]) -> String {
    let id = "ios-event-\(UUID().uuidString)"
    send(
      BridgeMessage(
        type: .event, correlationId: id, payload: BridgeMessage.Payload(action: action, data: data)))
    return id
  }

  /// Answers a request, be it parked or under way. The first answer counts.
  ///
  /// - Returns: whether the request was still open.
  @discardableResult
  public func respond(to request: BridgeMessage, with response: BridgeResponse) -> Bool {
    guard openRequests.remove(request.correlationId) else { return false }
    if pendingRequests.contains(where: { $0.correlationId == request.correlationId }) {
      pendingRequests.removeAll { $0.correlationId == request.correlationId }
    }
    send(Self.envelope(response, to: request))
    return true
  }

  static func envelope(_ response: BridgeResponse, to request: BridgeMessage) -> BridgeMessage {
    BridgeMessage(
      type: .response, correlationId: request.correlationId,
      payload: response.payload(for: request.payload.action))
  }

  /// Hands an envelope to the page.
  func send(_ message: BridgeMessage) {
    guard let webView else { return fail(Self.notAttached) }
    guard message.byteCount <= BridgeLimits.sentBytes else {
      return sendInstead(of: message)
    }
    delegate?.bridgeHost(self, didSend: message)
    Self.deliver(message, to: webView) { [weak self] error in
      self?.evaluationFailed(error)
    }
  }

  /// The page is told of an answer that is too large; nobody waits for an event.
  private func sendInstead(of message: BridgeMessage) {
    let reason = "\(message.payload.action) holds \(message.byteCount) bytes, \(BridgeLimits.sentBytes) fit"
    fail("Encode failed: \(reason)")
    guard message.type == .response else { return }
    let error = BridgeError(.internalError, "The answer is too large: \(reason)")
    send(
      BridgeMessage(
        type: .response, correlationId: message.correlationId,
        payload: BridgeResponse.failure(error).payload(for: message.payload.action)))
  }

  private func evaluationFailed(_ error: WKError) {
    switch error.code {
    case .webContentProcessTerminated, .webViewInvalidated: fail(Self.notAttached)
    default:
      let exception = (error as NSError).userInfo[WKJavaScriptExceptionMessageErrorKey] as? String
      fail("JavaScript evaluation failed: \(exception ?? error.localizedDescription)")
    }
  }

  private static let notAttached = "WebView not attached"

  /// Calls the page's namespace; the envelope travels as an argument and is never part of the script's text.
  static func deliver(
    _ message: BridgeMessage, to webView: WKWebView, failed: @escaping @MainActor (WKError) -> Void
  ) {
    webView.callAsyncJavaScript(
      "window.GBGBridge.receive(envelope)", arguments: ["envelope": message.wireValue], in: nil, in: .page
    ) { result in
      if case .failure(let error) = result { failed(error as? WKError ?? WKError(.unknown)) }
    }
  }
}
