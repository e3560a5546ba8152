import BridgeProtocol
import Foundation
import WebSocketTransport

/// `POST /attach`: a document asks for a session before its scripts run, and waits for the host meanwhile.
extension RelayThread {
  func attach(_ exchange: HTTPExchange, cors: [(name: String, value: String)]) {
    JSONAnswer.read(exchange, headers: cors, limit: limits.maxAttachBytes) { [unowned self] text, answer in
      guard let body = AttachBody(text), Identifiers.isApp(body.app), Identifiers.isDocument(body.document),
        body.session.map({ Identifiers.isSession($0) }) ?? true,
        answer.exchange.head.parameter("app").map({ $0 == body.app }) ?? true
      else {
        answer.refuse(
          400, "malformed", "The body must be JSON with app, document and what the protocol allows.")
        return
      }
      hold(answer.exchange)
      attach(body, answer)
    }
  }

  private func attach(_ body: AttachBody, _ answer: JSONAnswer) {
    let app = app(body.app)
    defer { forgetIfUnused(app) }
    if let ticket = body.ticket, let session = sessionOfTicket(ticket, app: app) {
      open(body, answer, session, isClaimLost: false, ticket: ticket)
      return
    }
    guard let id = body.session else {
      attachToNewSession(body, answer, isClaimLost: false)
      return
    }
    guard let key = body.key, keys.isSessionKey(key, app: body.app, session: id) else {
      let message = "The key does not fit the session."
      noteRefused(app: body.app, code: 403, reason: message, visitor: Visitor(answer.exchange.head))
      answer.refuse(403, "wrongKey", message)
      return
    }
    guard let instance = instance(ofSession: id, app: app) else {
      attachToNewSession(body, answer, isClaimLost: false)
      return
    }
    guard instance.host == nil else {
      attach(body, answer, instance, sessionID: id)
      return
    }
    // The host may be on its way back.
    instance.arrivals.append(
      Arrival(core: core, timeout: limits.openTimeout) { [unowned self] isThere in
        if isThere {
          attach(body, answer, instance, sessionID: id)
        } else {
          attachToNewSession(body, answer, isClaimLost: false)
        }
      })
  }

  /// To a session whose host is there, unless a live page has it.
  private func attach(_ body: AttachBody, _ answer: JSONAnswer, _ instance: Instance, sessionID: String) {
    let session = instance.session(sessionID)
    guard let holder = session.page,
      Takeover(
        newcomer: body.document, holder: holder.document, heir: session.heir, takes: body.takes) == .ifDead
    else {
      open(body, answer, session, isClaimLost: false)
      return
    }
    session.askWhetherPageLives(core: core, timeout: limits.claimTimeout) { [unowned self] isAlive in
      if isAlive || session.isForgotten {
        attachToNewSession(body, answer, isClaimLost: isAlive)
      } else {
        open(body, answer, session, isClaimLost: false)
      }
    }
  }

  private func attachToNewSession(_ body: AttachBody, _ answer: JSONAnswer, isClaimLost: Bool) {
    guard let instance = apps[body.app]?.leastLoaded else {
      answer.wait("no host")
      return
    }
    open(body, answer, instance.session(instance.mintSession()), isClaimLost: isClaimLost, isNew: true)
  }

  private func open(
    _ body: AttachBody, _ answer: JSONAnswer, _ session: Session, isClaimLost: Bool, ticket: String? = nil,
    isNew: Bool = false
  ) {
    let previous = session.document == body.document ? nil : session.document
    let request = OpenRequest(
      document: body.document, url: body.url, origin: answer.exchange.head.header("origin"),
      client: body.client, takes: body.takes, previous: previous, ticket: ticket, isResumed: false)
    open(session, request) { [unowned self] outcome in
      switch outcome {
      case .opened:
        session.heir = body.document
        session.document = body.document
        answer.grant(
          session: session.id, key: keys.sessionKey(app: body.app, session: session.id),
          script: mintScript(session: session, document: body.document), isClaimLost: isClaimLost)
      case .ended where !isNew:
        // The host knows it no longer, or does not take the ticket.
        attachToNewSession(body, answer, isClaimLost: isClaimLost)
      case .silent where isNew && session.instance.host == nil:
        session.instance.forget(session)
        attachToNewSession(body, answer, isClaimLost: isClaimLost)
      case .ended, .silent:
        if isNew {
          session.instance.forget(session)
        } else {
          session.instance.forgetUnlessVouchedFor(session)
        }
        answer.wait("host silent")
      }
    }
  }
}

/// The answers to an attach request.
extension JSONAnswer {
  fileprivate func grant(session: String, key: String, script: String, isClaimLost: Bool) {
    respond(
      200,
      JSONText().adding("session", session).adding("key", key).adding("script", script)
        .adding("claimed", isClaimLost ? false : nil).object)
  }

  fileprivate func wait(_ reason: String) {
    respond(200, JSONText().adding("waiting", reason).object)
  }
}
