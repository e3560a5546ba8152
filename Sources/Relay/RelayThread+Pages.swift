import BridgeProtocol
import WebSocketTransport

/// Pages: hello, session, takeover, end.
extension RelayThread {
  func admit(_ hello: PageHello, from new: NewSocket, on socket: Socket) throws(Refusal) {
    if let session = hello.session {
      guard let key = hello.key, keys.isSessionKey(key, app: new.app, session: session) else {
        throw Refusal(.wrongKey, "The key does not fit the session.")
      }
    }
    let app = app(new.app)
    let page = PageSocket(thread: self, app: app, hello: hello, visitor: new.visitor, socket: socket)
    socket.handOver(to: page)
    app.pageCount += 1
    wheel.add(page)
    log(.debug, "page", ["app": app.name, "session": hello.session ?? "", "document": hello.document])
    if let id = hello.session {
      join(page, sessionID: id)
    } else {
      joinWithoutSession(page)
    }
  }

  // MARK: With a session

  private func join(_ page: PageSocket, sessionID id: String) {
    guard let instance = instance(ofSession: id, app: page.app) else {
      endSession(of: page)
      return
    }
    let session = instance.session(id)
    guard let holder = session.page else {
      place(page, in: session)
      return
    }
    let takeover = Takeover(
      newcomer: page.document, holder: holder.document, heir: session.heir, takes: page.hello.takes)
    switch takeover {
    case .granted:
      replace(holder, in: session)
      place(page, in: session)
    case .ifDead:
      session.askWhetherPageLives(core: core, timeout: limits.claimTimeout) { [unowned self] isAlive in
        guard page.socket != nil else { return }
        if isAlive {
          let message = "Another page has the session and lives."
          noteRefused(
            app: page.app.name, code: Int(CloseCode.sessionInUse.rawValue), reason: message,
            visitor: page.visitor)
          page.close(.sessionInUse, message)
          return
        }
        // Meanwhile it may have ended, or somebody else may have come.
        guard instances[instance.id] === instance else {
          endSession(of: page)
          return
        }
        let session = instance.session(id)
        if let holder = session.page { replace(holder, in: session) }
        place(page, in: session)
      }
    }
  }

  /// Takes the session from its page, whose socket is told and closed.
  func replace(_ holder: PageSocket, in session: Session) {
    path.pointee.counters.pagesReplaced += 1
    holder.send(#"["replaced",{}]"#)
    holder.close(.replaced, "A newer socket has the session.")
    leave(holder, session, code: CloseCode.replaced.rawValue)
  }

  /// Gives the session to the page, and has its document opened if the host does not know it.
  private func place(_ page: PageSocket, in session: Session) {
    let previous = session.document == page.document ? nil : session.document
    if let previous { session.leaveDialogs(.pageGone, of: previous) }
    session.page = page
    session.document = page.document
    session.heir = nil
    page.session = session
    session.missedAway = nil
    guard session.instance.host != nil else {
      welcome(page)
      return
    }
    if session.isOpened(page.document) {
      attach(page)
    } else {
      ask(page, session, previous: previous)
    }
  }

  /// Has the host open a page's document, then attaches it.
  func ask(_ page: PageSocket, _ session: Session, previous: String?) {
    // A page that runs already is only new to this host's process, or to this relay.
    let isResumed = page.namesSession || page.isWelcomed
    let request = OpenRequest(
      document: page.document, url: page.hello.url, origin: page.visitor.origin,
      client: page.hello.client, takes: page.hello.takes, previous: previous, ticket: page.hello.ticket,
      isResumed: isResumed)
    open(session, request) { [unowned self] outcome in
      guard page.session === session, session.page === page, page.socket != nil else { return }
      switch outcome {
      case .opened(let config):
        if !isResumed, page.bootstrap == nil {
          page.bootstrap = (config, mintScript(session: session, document: page.document))
        }
        if page.attach == nil { attach(page) }
      case .ended:
        // `end` has told the page.
        break
      case .silent:
        if !page.isWelcomed { welcome(page) }
      }
    }
  }

  /// Connects page and host: both learn the number of the attach.
  func attach(_ page: PageSocket) {
    guard let session = page.session, let host = session.instance.host, let hostSocket = host.socket,
      let socket = page.socket, !socket.pointee.isClosing, !hostSocket.pointee.isClosing
    else { return }
    let number = mintAttach()
    page.attach = number
    page.wasAttached = true
    host.send(
      JSONText().adding("session", session.id).adding("document", page.document).adding("attach", number)
        .wrapped(in: "attached"))
    session.connect(document: page.document, to: socket)
    page.link.attach(to: hostSocket, session: session.id, document: page.document)
    if page.isWelcomed {
      page.send(#"["host","attached",{"attach":\#(number)}]"#)
    } else {
      welcome(page)
    }
  }

  private func welcome(_ page: PageSocket) {
    guard let session = page.session else { return }
    page.isWelcomed = true
    var text = JSONText().adding("session", session.id)
      .adding("key", keys.sessionKey(app: page.app.name, session: session.id))
      .adding("document", page.document)
      .adding("host", page.attach == nil ? "away" : "attached").adding("attach", page.attach)
    if let bootstrap = page.bootstrap {
      text = text.adding("config", raw: bootstrap.config.map { String(decoding: $0, as: UTF8.self) })
        .adding("script", bootstrap.script)
      page.bootstrap = nil
    }
    page.send(#"["welcome",\#(text.object)]"#)
  }

  // MARK: Without a session

  private func joinWithoutSession(_ page: PageSocket) {
    if let session = page.hello.ticket.flatMap({ sessionOfTicket($0, app: page.app) }) {
      join(page, session, byTicket: page.hello.ticket)
      return
    }
    switch page.hello.late {
    case .reload:
      page.app.wait(page)
      page.send(#"["welcome",{"waiting":true}]"#)
      if page.app.leastLoaded != nil { page.send(#"["host","attached"]"#) }
    case .keep, nil:
      if page.app.leastLoaded != nil {
        makeSession(for: page)
      } else {
        page.app.wait(page)
        page.send(#"["welcome",{"waiting":true}]"#)
      }
    }
  }

  /// The session that a ticket belongs to, if its host is connected.
  func sessionOfTicket(_ ticket: String, app: App) -> Session? {
    let id = String(ticket.prefix(Identifiers.sessionLength))
    guard Identifiers.isSession(id), let instance = instance(ofSession: id, app: app), instance.host != nil
    else { return nil }
    return instance.session(id)
  }

  /// Only the host can tell whether a ticket is good: until then nobody is replaced.
  private func join(_ page: PageSocket, _ session: Session, byTicket ticket: String?) {
    let request = OpenRequest(
      document: page.document, url: page.hello.url, origin: page.visitor.origin,
      client: page.hello.client, takes: page.hello.takes, previous: session.document, ticket: ticket,
      isResumed: false)
    open(session, request) { [unowned self] outcome in
      guard page.socket != nil else { return }
      switch outcome {
      case .opened(let config):
        page.bootstrap = (config, mintScript(session: session, document: page.document))
        if let holder = session.page { replace(holder, in: session) }
        place(page, in: session)
      case .ended, .silent:
        session.instance.forgetUnlessVouchedFor(session)
        endSession(of: page)
      }
    }
  }

  private func makeSession(for page: PageSocket) {
    guard let instance = page.app.leastLoaded else { return }
    page.app.stopWaiting(page)
    place(page, in: instance.session(instance.mintSession()))
  }

  /// What pages without a session get when a host of their app comes.
  func hostCame(to app: App) {
    for page in app.waiting.values {
      if page.isEnded || page.hello.late == .reload {
        page.send(#"["host","attached"]"#)
      } else {
        makeSession(for: page)
      }
    }
  }

  // MARK: The end

  /// Ends a session: its page is told, and waits to be reloaded for another host.
  func end(_ session: Session) {
    session.instance.forget(session)
    let opens = session.opens
    session.opens = [:]
    for open in opens.values { open.settle(.ended) }
    session.leaveDialogs(.sessionOver)
    session.claimedPageWent()
    guard let page = session.page else { return }
    session.page = nil
    endSession(of: page)
  }

  private func endSession(of page: PageSocket) {
    page.session = nil
    page.attach = nil
    page.link.pointee.host = nil
    page.isEnded = true
    page.app.wait(page)
    page.send(#"["host","ended"]"#)
    if page.app.leastLoaded != nil { page.send(#"["host","attached"]"#) }
  }

  func pageClosed(_ page: PageSocket, code: UInt16) {
    wheel.remove(page)
    page.app.stopWaiting(page)
    page.app.pageCount -= 1
    if let session = page.session { leave(page, session, code: code) }
    forgetIfUnused(page.app)
  }

  /// Takes a page out of its session; the host learns it now or when it is back.
  private func leave(_ page: PageSocket, _ session: Session, code: UInt16) {
    page.session = nil
    page.link.pointee.host = nil
    // A page whose socket was only cut may stand still in a dialog all the same.
    if code == CloseCode.leaving.rawValue { session.leaveDialogs(.pageGone, of: page.document) }
    guard session.page === page else { return }
    session.page = nil
    session.disconnect()
    if page.attach != nil {
      page.attach = nil
      session.instance.host?.send(away(session, document: page.document, code: code))
    } else if page.wasAttached, session.instance.host == nil {
      session.missedAway = (page.document, code)
    }
    // Last, since whoever waits for this takes the session over.
    session.claimedPageWent()
  }

  func away(_ session: Session, document: String, code: UInt16) -> String {
    JSONText().adding("session", session.id).adding("document", document).adding("code", Int(code))
      .adding("leaving", code == CloseCode.leaving.rawValue).wrapped(in: "away")
  }
}
