extension WebViewHost {
  /// Handles everything that waits, then tells the connection what was handled.
  func drain() {
    var receipts: [Receipt] = []
    for event in inbox.take() {
      WebViewScene.running(scene(of: event)) { handle(event, &receipts) }
    }
    if !receipts.isEmpty { connection.submit(.done(receipts)) }
    inbox.finish()
  }

  private func handle(_ event: MainEvent, _ receipts: inout [Receipt]) {
    switch event {
    case .connection(let state): connectionChanged(state)
    case .stopped: stopped()
    case .instanceLost:
      for session in Array(sessions.values) { end(session, code: .webContentProcessTerminated) }
    case .open(let request): visit(request)
    case .restored(let request): restored(request)
    case .reopened(let request): scenes[request.session]?.reopened(request)
    case .attached(let session, let document): attached(session, document)
    case .away(let session, let document, let isLeaving): away(session, document, isLeaving)
    case .message(let message): receive(event, message.receipt, &receipts)
    case .navigation(let navigation): receive(event, navigation.receipt, &receipts)
    case .state(let state): receive(event, state.receipt, &receipts)
    case .schemeStarted(let request): sessions[request.session]?.start(request)
    case .schemeStopped(let session, let id): sessions[session]?.stopTask(id)
    case .cookiesChanged(let receipt): receive(event, receipt, &receipts)
    case .websiteChanged(let session, let changes):
      sessions[session]?.webView?.configuration.websiteDataStore.carriedOut(changes)
    case .dialog(let request):
      guard let session = sessions[request.session] else {
        connection.submit(.dialogAnswer(id: request.id, session: request.session, .value(nil)))
        return
      }
      if session.isHolding { session.held.append(event) } else { session.ask(request) }
    case .dialogCancelled(let session, let id): sessions[session]?.cancelDialog(id)
    case .dialogReport(let report): receive(event, report.receipt, &receipts)
    case .windowRequest(let request): receive(event, request.receipt, &receipts)
    case .windowWish(let wish): receive(event, wish.receipt, &receipts)
    case .callEnded(let session, let call, let outcome):
      if let session = sessions[session] {
        if session.isHolding { session.held.append(event) } else { session.finish(call, outcome) }
      }
    case .abandoned(let session): abandoned(session)
    case .failed(let session):
      if let session = sessions[session] { end(session, code: .webContentProcessTerminated) }
    case .viewReleased(let session): viewReleased(session)
    case .deferred(let work): work()
    }
  }

  /// The visitor that an event concerns, if any.
  private func scene(of event: MainEvent) -> WebViewScene? {
    let session: String? =
      switch event {
      case .attached(let session, _), .away(let session, _, _), .websiteChanged(let session, _),
        .callEnded(let session, _, _), .dialogCancelled(let session, _), .abandoned(let session),
        .failed(let session), .viewReleased(let session):
        session
      case .schemeStarted(let request): request.session
      case .schemeStopped(let session, _): session
      case .message(let message): message.receipt.session
      case .navigation(let navigation): navigation.receipt.session
      case .state(let state): state.receipt.session
      case .cookiesChanged(let receipt): receipt.session
      case .dialog(let request): request.session
      case .dialogReport(let report): report.receipt.session
      case .windowRequest(let request): request.receipt.session
      case .windowWish(let wish): wish.receipt.session
      case .open, .restored, .reopened, .connection, .stopped, .instanceLost, .deferred: nil
      }
    return session.flatMap { sessions[$0]?.scene }
  }

  /// Hands a page's message to its session, or keeps it while a question of that session is open.
  private func receive(_ event: MainEvent, _ receipt: Receipt, _ receipts: inout [Receipt]) {
    guard let session = sessions[receipt.session] else { return }
    if session.isHolding {
      session.held.append(event)
      return
    }
    dispatch(event, session)
    if !session.isHolding || !isCommit(event) { receipts.append(receipt) }
  }

  private func isCommit(_ event: MainEvent) -> Bool {
    if case .navigation(let navigation) = event { navigation.phase == .committed } else { false }
  }

  private func dispatch(_ event: MainEvent, _ session: WebViewSession) {
    switch event {
    case .message(let message):
      if let scene = scenes[session.id], scene.clientKind == .screen {
        receiveFromScreen(message, scene)
      } else {
        deliver(message, session)
      }
    case .navigation(let navigation): session.webView?.receive(navigation)
    case .state(let state):
      session.webView?.receive(state)
      if let scene = scenes[session.id], scene.clientKind == .page { scene.screen.receive(state) }
    case .cookiesChanged:
      session.webView?.configuration.websiteDataStore.httpCookieStore.changed()
    case .windowRequest(let request): session.webView?.openWindow(request)
    case .windowWish(let wish):
      if let url = wish.url, let window = wish.window {
        session.webView?.loadWindow(window, url)
      } else {
        session.webView?.closeWindow(wish.window)
      }
    case .dialogReport(let report): session.dialogs[report.id]?.reported(report.value)
    case .connection, .stopped, .instanceLost, .open, .restored, .reopened, .attached, .away, .callEnded,
      .websiteChanged, .schemeStarted, .schemeStopped, .dialog, .dialogCancelled, .abandoned, .failed,
      .viewReleased, .deferred:
      break
    }
  }

  /// The question is answered: what waited goes on, in order, until the next one.
  func release(_ session: WebViewSession, receipt: Receipt) {
    session.isHolding = false
    var receipts = [receipt]
    let held = session.held
    session.held = []
    for event in held { handle(event, &receipts) }
    connection.submit(.done(receipts))
  }

  private func deliver(_ message: ScriptMessage, _ session: WebViewSession) {
    guard let webView = session.webView else { return }
    webView.configuration.userContentController.deliver(message, to: webView)
  }

  private func connectionChanged(_ state: ConnectionState) {
    if case .connected(let instance) = state {
      self.instance = instance
      let waiters = connectWaiters
      connectWaiters = []
      for waiter in waiters { waiter.resume() }
    } else {
      for session in sessions.values {
        for dialog in session.dialogs.values { dialog.lostRelay() }
      }
    }
    self.state = state
  }

  private func stopped() {
    isOver = true
    for session in Array(sessions.values) { end(session, code: .webContentProcessTerminated) }
    for waiter in connectWaiters { waiter.resume(throwing: overError) }
    connectWaiters = []
    let waiters = stopWaiters
    stopWaiters = []
    for waiter in waiters { waiter.resume() }
  }

  private func attached(_ id: String, _ document: String) {
    guard let session = sessions[id] else { return }
    let isNew = session.document != document
    if isNew { session.cancelDialogs(except: document) }
    session.document = document
    session.isAttached = true
    if isNew { scenes[id]?.newDocument() }
  }

  private func away(_ id: String, _ document: String, _ isLeaving: Bool) {
    guard let session = sessions[id] else { return }
    if isLeaving { session.cancelDialogs(of: document) }
    guard session.document == document else { return }
    session.isAttached = false
    session.endQuestions()
  }
}
