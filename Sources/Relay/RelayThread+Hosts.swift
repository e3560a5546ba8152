import BridgeProtocol
import WebSocketTransport

/// A question to a host: shall this document have this session?
struct OpenRequest {
  var document: String
  var url: String?
  var origin: String?
  var client: PageClient?
  var takes: Takes?
  /// The document that had the session before.
  var previous: String?
  var ticket: String?
  /// Whether the page runs already, and the host's process does not know it.
  var isResumed: Bool

  func text(session: String) -> String {
    JSONText().adding("session", session).adding("document", document).adding("url", url ?? "")
      .adding("origin", origin).adding("client", raw: (client ?? PageClient()).json)
      .adding("takes", takes?.rawValue).adding("previous", previous).adding("ticket", ticket)
      .adding("resumed", isResumed ? true : nil).adding("page", isResumed ? "known" : "fresh")
      .wrapped(in: "open")
  }
}

/// Hosts: hello, control values, end.
extension RelayThread {
  func admit(_ hello: HostHello, from new: NewSocket, on socket: Socket) throws(Refusal) {
    guard new.visitor.origin == nil else {
      throw Refusal(.originMayNotHost, "A socket with an Origin header cannot be a host.")
    }
    if let id = hello.instance {
      guard let key = hello.key, keys.isInstanceKey(key, app: new.app, instance: id) else {
        throw Refusal(.wrongKey, "The key does not fit the instance.")
      }
    }
    let app = app(new.app)
    let instance = instance(hello.instance ?? shared.choice.mintInstance(thread: index), app: app)
    shared.noteStray(instance: instance.id, thread: index)
    if let old = instance.host {
      old.close(.replaced, "A newer socket has the instance.")
      hostWent(old)
      detachPages(of: instance)
    }
    instance.grace?.cancel()
    instance.grace = nil
    if instance.epoch != hello.epoch {
      for session in instance.sessions.values { session.forgetOpened() }
    }
    instance.epoch = hello.epoch
    instance.name = hello.name
    let host = HostSocket(thread: self, instance: instance, socket: socket)
    socket.handOver(to: host)
    instance.host = host
    wheel.add(host)
    app.hostCame(instance)
    log(.info, "host attached", ["app": app.name, "instance": instance.id])

    let relay = JSONText().adding("version", configuration.version).object
    host.send(
      JSONText().adding("instance", instance.id)
        .adding("key", keys.instanceKey(app: app.name, instance: instance.id))
        .adding("resumed", hello.instance != nil).adding("app", app.name).adding("relay", raw: relay)
        .wrapped(in: "welcome"))
    reattach(instance, host)
    let arrivals = instance.arrivals
    instance.arrivals = []
    for arrival in arrivals { arrival.finish(true) }
    hostCame(to: app)
  }

  /// Brings the pages of a host that is back to it again.
  private func reattach(_ instance: Instance, _ host: HostSocket) {
    for session in Array(instance.sessions.values) {
      for open in session.opens.values { host.send(open.text) }
      if let missed = session.missedAway {
        session.missedAway = nil
        if session.isOpened(missed.document) {
          host.send(away(session, document: missed.document, code: missed.code))
        }
      }
      guard let page = session.page else { continue }
      if session.isOpened(page.document) {
        attach(page)
      } else {
        ask(page, session, previous: nil)
      }
    }
  }

  func hostClosed(_ host: HostSocket, code: UInt16) {
    let instance = host.instance
    guard instance.host === host else {
      hostWent(host)
      return
    }
    log(
      .info, "host gone", ["app": instance.app.name, "instance": instance.id, "code": String(code)])
    instance.host = nil
    instance.app.hostWent(instance)
    hostWent(host)
    if code == CloseCode.finished.rawValue {
      end(instance)
      return
    }
    for page in detachPages(of: instance) { page.send(#"["host","away"]"#) }
    startGrace(of: instance, configuration.hostGrace)
  }

  /// Cuts the pages of an instance off its host's socket.
  ///
  /// - Returns: Those that were attached.
  @discardableResult
  private func detachPages(of instance: Instance) -> [PageSocket] {
    var detached: [PageSocket] = []
    for session in instance.sessions.values {
      session.disconnect()
      guard let page = session.page else { continue }
      page.link.pointee.host = nil
      if page.attach != nil { detached.append(page) }
      page.attach = nil
    }
    return detached
  }

  /// Ends what hangs on a host's socket.
  private func hostWent(_ host: HostSocket) {
    wheel.remove(host)
    let contents = host.contents
    host.contents = [:]
    for content in contents.values { content.hostWent() }
    for session in host.instance.sessions.values { session.leaveDialogs(.hostGone) }
  }

  func hostIsTooSlow(_ host: Socket) {
    host.close(
      code: CloseCode.hostTooSlow.rawValue, reason: "Too much waits for the host.", dropsQueue: true)
  }

  // MARK: Questions and answers

  /// Asks the host about a document; several questions about the same one are asked once.
  func open(_ session: Session, _ request: OpenRequest, _ waiter: @escaping (OpenOutcome) -> Void) {
    guard let host = session.instance.host else {
      waiter(.silent)
      return
    }
    if let open = session.opens[request.document] {
      open.wait(waiter)
      return
    }
    let text = request.text(session: session.id)
    let open = PendingOpen(text: text, core: core, timeout: limits.openTimeout) { [weak session] in
      session?.takeOpen(request.document)?.settle(.silent)
    }
    open.wait(waiter)
    session.opens[request.document] = open
    host.send(text)
  }

  func handle(_ control: HostControl, from host: HostSocket) throws(Refusal) {
    let instance = host.instance
    func checkOwner(_ session: String) throws(Refusal) {
      guard Identifiers.instance(ofSession: session) == instance.id else {
        throw Refusal(.notYourSession, "A control value named a session of another instance.")
      }
    }
    switch control {
    case .opened(let opened):
      try checkOwner(opened.session)
      guard let session = instance.sessions[opened.session] else { return }
      session.noteOpened(opened.document)
      if let open = session.takeOpen(opened.document) {
        open.settle(.opened(config: opened.config))
      } else if let page = session.page, page.document == opened.document, page.attach == nil {
        // The answer came after the time, and the page has waited.
        attach(page)
      }
    case .create(let id):
      try checkOwner(id)
      instance.session(id).vouch()
    case .end(let end):
      try checkOwner(end.session)
      if let session = instance.sessions[end.session] { self.end(session) }
    case .dialogAnswer(let answer):
      try checkOwner(answer.session)
      // One that is not known was of a page that is gone.
      instance.sessions[answer.session]?.dialogs[answer.id]?.answer(answer)
    case .contentHead(let head):
      host.contents[head.id]?.head(head)
    case .contentPart(let part):
      try host.contents[part.id]?.part(part)
    case .contentEnd(let end):
      host.contents[end.id]?.end(end)
    case .contentCancel(let id):
      host.contents[id]?.end(HostControl.ContentEnd(id: id, error: "cancelled"))
    }
  }
}
