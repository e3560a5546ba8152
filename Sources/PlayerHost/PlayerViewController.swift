import PageBridgeWebKit

/// The native half of the video player for one visitor: it owns the web view, listens to the page, follows the screen and
/// does what the player's state asks for.
@MainActor
final class PlayerViewController {
  /// The vendor's name; the player itself posts to it, so it cannot be another.
  static let bridgeName = "gsVideoPlayerBridge"
  /// The app's own channel, by which its page tells what the player says inside the page only.
  static let pageChannelName = "playerPage"

  let model: PlayerViewModel
  private let scene: WebViewScene
  private let webView: WKWebView
  /// Whether the host loads the player's page itself; a visitor's page with content of its own keeps it.
  private let ownsContent: Bool
  private let settings: PlayerSettings
  private let record: PlayerRecorder
  private var userBets: [CustomerMarket]
  private var waitingForPlayer: Task<Void, Never>?

  init(
    scene: WebViewScene, configuration playerConfiguration: PlayerConfiguration, userBets: [CustomerMarket],
    settings: PlayerSettings
  ) {
    self.scene = scene
    self.settings = settings
    self.userBets = userBets
    ownsContent = scene.clientKind == .screen || scene.isPlaceholder || Self.isHostContent(scene.url)

    let configuration = WKWebViewConfiguration()
    configuration.allowsInlineMediaPlayback = true
    configuration.allowsPictureInPictureMediaPlayback = false
    configuration.mediaTypesRequiringUserActionForPlayback = []
    webView = WKWebView(frame: .zero, configuration: configuration)
    webView.scrollView.bounces = false
    webView.scrollView.isScrollEnabled = false
    webView.backgroundColor = .black
    webView.isOpaque = false
    webView.isInspectable = true

    record = PlayerRecorder(events: scene.host.events, session: webView.sessionID)
    model = PlayerViewModel(configuration: playerConfiguration, record: record)
    listen(configuration.userContentController)
    webView.navigationDelegate = self
    webView.uiDelegate = WebBrowserDialogs.shared
    scene.screen.delegate = self
    scene.screen.backgroundColor = .black
    scene.screen.statusBar = WebStatusBar(isHidden: true, style: .light)
    start()
  }

  isolated deinit {
    waitingForPlayer?.cancel()
  }

  // MARK: Start

  private func listen(_ controller: WKUserContentController) {
    controller.add(
      GeniusReceiver(
        received: { [weak self] in self?.received($0) }, refused: { [weak self] in self?.model.refuse($0) }),
      name: Self.bridgeName)
    controller.add(
      GeniusReceiver(
        received: { [weak self] in self?.receivedFromPage($0) },
        refused: { [weak self] in self?.model.refuse($0) }),
      name: Self.pageChannelName)
  }

  private func start() {
    followScreen()
    if scene.screen.isVisible { change { $0.appeared() } }
    if isRunningAlready {
      askForPlayer()
    } else if ownsContent {
      load()
    }
    draw()
  }

  /// Whether an earlier process of this host served the page: it is running and must not be loaded again.
  private var isRunningAlready: Bool { scene.isResumed && !scene.isPlaceholder && webView.url != nil }

  /// Content that a host loaded lies under the relay's own path for it.
  private static func isHostContent(_ url: URL?) -> Bool {
    url?.path().hasPrefix("/s/") == true
  }

  /// A page that runs already has said `init` to nobody, so it is asked.
  private func askForPlayer() {
    webView.evaluateJavaScript(PlayerScript.hasPlayer) { [weak self] value, _ in
      self?.change { $0.resumed(hasPlayer: value as? Bool == true) }
    }
  }

  // MARK: The page

  /// Uses another configuration; the host's own page is loaded anew with it.
  func update(_ configuration: PlayerConfiguration) {
    guard configuration != model.configuration else { return }
    model.use(configuration)
    if ownsContent { load() }
    draw()
  }

  /// Uses other bets; the page shows them in place of the old ones.
  func update(_ userBets: [CustomerMarket]) {
    guard userBets != self.userBets else { return }
    self.userBets = userBets
    sendUserBets()
  }

  /// Hands the bets to the page, which keeps them until its player asks.
  private func sendUserBets() {
    let bets = userBets
    let script: String
    do {
      script = try PlayerScript.setUserBets(bets)
    } catch {
      record(.error, ["message": .string("the user's bets have no JSON form: \(error)")])
      return
    }
    evaluate(script) { record, value in
      if value as? Bool == true { record(.userBetsSent, ["count": .number(Double(bets.count))]) }
    }
  }

  private func load() {
    let navigation =
      if ownsContent {
        webView.loadHTMLString(
          PlayerTemplate.html(for: model.configuration, pagesURL: pagesURL),
          baseURL: model.configuration.baseURL)
      } else {
        webView.reload()
      }
    // A visitor who is gone has no page to load.
    guard navigation != nil else { return }
    record(.load, ["content": .string(ownsContent ? "template" : "page")])
    change { state in
      state.loads()
      return []
    }
    if ownsContent { waitForPlayer() }
  }

  /// The folder of the page's scripts, at the relay as the visitor's browser knows it.
  private var pagesURL: URL {
    URL(string: scene.contentOrigin + "/pages/player") ?? scene.host.relay.appending(path: "pages/player")
  }

  /// Gives the player its time to say whether it can play; a viewer who is blocked may get no answer at all.
  private func waitForPlayer() {
    waitingForPlayer?.cancel()
    let (clock, timeout) = (settings.clock, settings.readyTimeout)
    waitingForPlayer = Task { [weak self] in
      do { try await clock.sleep(for: timeout) } catch { return }
      self?.change { state in
        state.silenceElapsed()
        return []
      }
    }
  }

  /// The app's handler for the player's messages: one call for each.
  private func received(_ envelope: GeniusEnvelope) {
    record(.call, ["type": .string(envelope.type), "payload": envelope.payload ?? .null])
    let reading = GeniusMessage.read(envelope)
    for refusal in reading.refusals { model.refuse(refusal) }
    guard let message = reading.message else { return }
    if case .unknown(let type) = message { record(.unknownMessage, ["type": .string(type)]) }
    change { $0.received(message) }
  }

  private func receivedFromPage(_ envelope: GeniusEnvelope) {
    let message: PlayerPageMessage
    do throws(Refusal) {
      message = try PlayerPageMessage(envelope)
    } catch {
      var refusal = error
      refusal.type = envelope.type
      model.refuse(refusal)
      return
    }
    switch message {
    case .playerNotReady(let errors):
      record(.playerErrors, .array(errors.map(\.wireValue)))
      settings.playerNotReady(errors)
    case .streamData(let result, let text):
      record(.streamData, ["result": .string(result), "message": text.map { .string($0) } ?? .null])
    case .playerReady, .requestUserBets:
      break
    }
    change { $0.received(message) }
  }

  // MARK: Doing

  private func change(_ event: (inout PlayerState) -> [PlayerAction]) {
    let actions = model.change(event)
    layOut()
    for action in actions { perform(action) }
    draw()
  }

  private func perform(_ action: PlayerAction) {
    switch action {
    case .evaluate(let script):
      evaluate(script)
    case .requestOrientation(let orientation):
      scene.screen.requestOrientation(orientation)
    case .reload:
      load()
    case .closePlayer:
      webView.evaluateJavaScript(PlayerScript.closePlayer) { [weak self] value, _ in
        guard let self else { return }
        let hadPlayer = value as? Bool == true
        record(.playerClosed, ["hadPlayer": .bool(hadPlayer)])
        change { $0.playerClosed(hadPlayer: hadPlayer) }
      }
    case .sendUserBets:
      sendUserBets()
    case .stopWaitingForPlayer:
      waitingForPlayer?.cancel()
    }
  }

  private func evaluate(
    _ script: String, then completion: @escaping @MainActor (PlayerRecorder, Any?) -> Void = { _, _ in }
  ) {
    let record = record
    webView.evaluateJavaScript(script) { value, error in
      if let error { record(.error, ["message": .string(error.localizedDescription)]) }
      completion(record, value)
    }
  }

  private func layOut() {
    let screen = scene.screen
    screen.isIdleTimerDisabled = model.state.isIdleTimerDisabled
    guard let layout = model.state.layout else { return }
    screen.navigationBar = WebNavigationBar(
      isHidden: layout.isNavigationBarHidden, title: "Genius Video Player")
    webView.frame = layout.frame
  }

  private func draw() {
    scene.screen.nativeViews = PlayerViews.views(
      model.state, model.configuration, offersNextMatch: settings.fixtureIds.count > 1,
      isWindow: scene.screen.isWindow)
  }

  private func followScreen() {
    let screen = scene.screen
    // A tab's size is not known before its page has said something.
    guard screen.bounds.width > 0, screen.bounds.height > 0 else { return }
    change { state in
      state.screenChanged(
        to: ScreenMetrics(
          size: screen.bounds.size, leftInset: screen.safeAreaInsets.left,
          rightInset: screen.safeAreaInsets.right, orientation: screen.orientation))
    }
  }

  private func failed(_ reason: String) {
    record(.failure, ["reason": .string(reason)])
    change { $0.failed() }
  }
}

extension PlayerViewController: WebViewScreenDelegate {
  func screenDidChangeMetrics(_ screen: WebViewScreen) {
    followScreen()
  }

  func screenDidAppear(_ screen: WebViewScreen) {
    change { $0.appeared() }
  }

  func screenDidDisappear(_ screen: WebViewScreen) {
    change { $0.disappeared() }
  }

  func screenDidReceiveMemoryWarning(_ screen: WebViewScreen) {
    failed("memoryWarning")
  }

  func screen(_ screen: WebViewScreen, didReceive action: NativeViewAction) {
    guard action.kind == .press else { return }
    switch action.view {
    case PlayerViews.placeBet, PlayerViews.cancel:
      change { state in
        state.betslipButtonPressed()
        return []
      }
    case PlayerViews.nextMatch:
      update(model.configuration.withFixture(after: settings.fixtureIds))
    default:
      break
    }
  }
}

extension PlayerViewController: WKNavigationDelegate {
  func webView(_ webView: WKWebView, didCommit navigation: WKNavigation!) {
    change { state in
      state.documentReplaced()
      return []
    }
    if ownsContent { waitForPlayer() }
  }

  func webView(
    _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error
  ) {
    navigationFailed(error)
  }

  func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error) {
    navigationFailed(error)
  }

  func webViewWebContentProcessDidTerminate(_ webView: WKWebView) {
    failed("processTerminated")
  }

  /// A navigation that another one takes the place of is no failure.
  private func navigationFailed(_ error: any Error) {
    let error = error as NSError
    guard error.domain != NSURLErrorDomain || error.code != NSURLErrorCancelled else { return }
    failed("navigationFailed")
  }
}
