import BridgeProtocol
import WebSocketTransport

/// `POST /dialog`: a page's alert, confirm, prompt or new window, for its host to answer.
extension RelayThread {
  func ask(_ exchange: HTTPExchange, cors: [(name: String, value: String)]) {
    JSONAnswer.read(exchange, headers: cors, limit: limits.maxDialogBytes) { [unowned self] text, answer in
      guard let body = DialogBody(text), Identifiers.isApp(body.app), Identifiers.isSession(body.session),
        Identifiers.isDocument(body.document),
        answer.exchange.head.parameter("app").map({ $0 == body.app }) ?? true
      else {
        answer.refuse(
          400, "malformed",
          "The body must be JSON with app, session, key, document, kind, text, frame and after.")
        return
      }
      ask(body, answer)
    }
  }

  private func ask(_ body: DialogBody, _ answer: JSONAnswer) {
    func refuse(_ status: Int, _ code: String, _ message: String) {
      noteRefused(app: body.app, code: status, reason: message, visitor: Visitor(answer.exchange.head))
      answer.refuse(status, code, message)
    }
    guard keys.isSessionKey(body.key, app: body.app, session: body.session) else {
      return refuse(403, "wrongKey", "The key does not fit the session.")
    }
    guard let instance = instances[Identifiers.instance(ofSession: body.session)],
      instance.app.name == body.app, let session = instance.sessions[body.session]
    else { return answer.isUnanswered(.noSession) }
    guard session.document == body.document else {
      return refuse(409, "notCurrent", "Another document has the session.")
    }
    guard let host = instance.host else { return answer.isUnanswered(.noHost) }
    guard session.dialogs.count < limits.heldDialogs else {
      return refuse(
        429, "tooManyDialogs", "\(limits.heldDialogs) dialogs of the session wait for its host already.")
    }
    path.pointee.counters.dialogs += 1
    hold(answer.exchange)
    _ = DialogExchange(id: mintDialog(), body: body, session: session, host: host, answer: answer)
    if let socket = host.socket, socket.pointee.queuedBytes > limits.hostOutboundBytes {
      hostIsTooSlow(socket)
    }
  }
}
