extension WebViewHost {
  func visit(_ request: OpenRequest) {
    let scene = WebViewScene(host: self, request: request)
    let handlers = request.kind == .screen ? [WebViewScreen.handlerName] : []
    let session = WebViewSession(id: request.session, host: self, ownHandlers: handlers)
    session.scene = scene
    scene.session = session
    sessions[session.id] = session
    scenes[session.id] = scene
    switch request.kind {
    case .page:
      run(scene)
      session.announce(isHostFirst: false)
    case .screen:
      // The app's closure waits for the viewer's first message, which tells the screen's size.
      session.announce(isHostFirst: false)
    }
  }

  func run(_ scene: WebViewScene) {
    guard !scene.isRunning else { return }
    scene.isRunning = true
    scene.retained = scene.perform { self.open?(scene) }
    scene.closureReturned()
    if let session = scene.session { abandonRestoredSessions(screen: session.id) }
  }

  func receiveFromScreen(_ message: ScriptMessage, _ scene: WebViewScene) {
    guard message.handler == WebViewScreen.handlerName else { return }
    scene.screen.receive(message.value)
    run(scene)
  }

  func abandoned(_ id: String) {
    guard let session = sessions[id] else {
      if restoredContents[id] != nil { abandonRestored(id) }
      return
    }
    if scenes[id] == nil, let scene = session.scene, scene.clientKind == .screen,
      let webView = session.webView
    {
      // A viewer that is away itself takes its frame with it, or brings it back.
      guard scene.session?.isAttached == true else {
        return connection.submit(.expectDocument(session: id))
      }
      // The viewer is still there: its frame lost the page.
      session.finishAll(.webContentProcessTerminated)
      webView.pageIsGone()
      return
    }
    end(session, code: .webContentProcessTerminated)
  }

  func viewReleased(_ id: String) {
    guard let session = sessions[id] else { return }
    session.finishAll(.webViewInvalidated)
    session.scene?.removed(session)
    session.end(reason: "the web view is gone")
    sessions[id] = nil
    scenes[id]?.end()
    scenes[id] = nil
  }

  /// Ends a session, and with a visitor's session all that is shown to the visitor.
  func end(_ session: WebViewSession, code: WKError.Code) {
    guard sessions[session.id] != nil else { return }
    session.end(reason: "nobody is there any more")
    sessions[session.id] = nil
    session.finishAll(code)
    session.webView?.sessionEnded()
    guard let scene = scenes.removeValue(forKey: session.id) else { return }
    for content in scene.contents { end(content, code: code) }
    scene.end()
  }
}
