import Observation
import PageBridgeWebKit

/// The native half of the identity journey for one visitor: it owns the bridge and the web view, shows cameras and chip
/// reader, and tells the page what happens to the app.
@MainActor
final class JourneyViewController {
  let bridge: BridgeHost
  let model: JourneyModel
  /// The web view with the bridge; nil after the journey was closed.
  private(set) var view: BridgeWebView?
  private let scene: WebViewScene
  private let settings: JourneySettings
  /// Whether the page that is there has been told of the host; before that it listens to nothing.
  private var isPageReady = false
  private var orientation: WebInterfaceOrientation?

  init(scene: WebViewScene, settings: JourneySettings) {
    self.scene = scene
    self.settings = settings
    bridge = BridgeHost(hostVersion: settings.hostVersion)
    bridge.allowedOrigins = settings.allowedOrigins
    model = JourneyModel(
      bridge: bridge, record: JourneyRecorder(events: scene.host.events, session: ""))
    bridge.delegate = self
    offerCapabilities()
    scene.screen.delegate = self
    scene.screen.backgroundColor = WebColor(css: "light-dark(#f3f4f6, #0e1013)")
    open()
    keepUpToDate()
  }

  // MARK: Capabilities

  /// Cameras and chip reader have user interfaces, which a bare tab has no screen for.
  private func offerCapabilities() {
    guard scene.clientKind == .screen else {
      bridge.answersUnsupportedRequests = true
      return
    }
    for (slot, other) in [
      (bridge.documentCapture, bridge.selfieCapture), (bridge.selfieCapture, bridge.documentCapture),
    ] {
      // The screen draws the camera for as long as a slot has an active request.
      slot.handler = { [weak slot, weak other] _ in
        guard let slot else { return .cancelled(reason: "Host deallocated") }
        guard other?.activeRequest == nil else {
          return .failed(BridgeError(.busy, "The camera is taking another picture"))
        }
        return await slot.awaitCompletion()
      }
    }
    model.offerChip(true)
  }

  // MARK: The web view

  /// Whether the host loads the journey; a visitor's own page is the journey already.
  private var ownsContent: Bool { scene.clientKind == .screen || scene.isPlaceholder }

  private func open() {
    let url =
      settings.journeyURL ?? URL(string: scene.contentOrigin + "/pages/journey/") ?? scene.host.relay
    let view = scene.perform {
      BridgeWebView(url: url, host: bridge, mode: settings.mode, loads: false) { [weak self] in
        self?.model.openedOutside = $0
      }
    }
    self.view = view
    view.coordinator.onFinish = { [weak self] in self?.pageIsReady() }
    model.opened(
      record: JourneyRecorder(events: scene.host.events, session: view.webView.sessionID), url: url)
    let isRunningAlready = scene.isResumed && view.webView.url != nil
    isPageReady = isRunningAlready
    if ownsContent, !isRunningAlready { view.load() }
  }

  /// The user has left the journey: its view is gone, the bridge stays.
  private func close() {
    bridge.documentCapture.complete(.cancelled(reason: "The journey was closed"))
    bridge.selfieCapture.complete(.cancelled(reason: "The journey was closed"))
    model.chip.cancel(reason: "The journey was closed")
    view = nil
    isPageReady = false
    model.closed()
  }

  private func pageIsReady() {
    isPageReady = true
    let now = (Date().timeIntervalSince1970 * 1_000).rounded() / 1_000
    bridge.send(event: "host.ready", data: ["timestamp": .number(now)])
    bridge.send(
      event: "host.deviceInfo",
      data: [
        "device": [
          "model": .string(scene.screen.device), "osVersion": .string(scene.userAgent ?? "unknown"),
        ]
      ])
    orientation = nil
    tellOrientation()
  }

  private func tellOrientation() {
    let current = scene.screen.orientation
    guard current != orientation else { return }
    orientation = current
    bridge.send(
      event: "host.orientation",
      data: ["orientation": .string(current.isLandscape ? "landscape" : "portrait")])
  }

  // MARK: State and views

  /// Brings web view and native views to what bridge and model say, now and after each change of them or of the screen.
  private func keepUpToDate() {
    withObservationTracking {
      update()
    } onChange: { [weak self] in
      // The change has not happened yet, and others may come with it.
      Task { @MainActor in self?.keepUpToDate() }
    }
  }

  private func update() {
    model.tell()
    let screen = scene.screen
    let layout = JourneyLayout(screen: screen)
    view?.webView.frame = layout.content
    // A camera fills the screen, dark to its edges.
    let isCapturing =
      bridge.documentCapture.activeRequest != nil || bridge.selfieCapture.activeRequest != nil
    screen.navigationBar = WebNavigationBar(isHidden: isCapturing, title: "Identity check")
    screen.statusBar = WebStatusBar(style: isCapturing ? .light : .dark)
    screen.nativeViews = JourneyViews.views(model, layout)
  }
}

extension JourneyViewController: BridgeHostDelegate {
  func bridgeHost(_ host: BridgeHost, didReceive message: BridgeMessage) {
    model.record(.received, message)
  }

  func bridgeHost(_ host: BridgeHost, didSend message: BridgeMessage) {
    model.record(.sent, message)
  }

  func bridgeHost(_ host: BridgeHost, didFail error: String) {
    model.record(.bridgeError, ["message": .string(error)])
  }
}

extension JourneyViewController: WebViewScreenDelegate {
  func screenDidAppear(_ screen: WebViewScreen) {
    if isPageReady { bridge.send(event: "host.foreground") }
  }

  func screenDidDisappear(_ screen: WebViewScreen) {
    if isPageReady { bridge.send(event: "host.background") }
  }

  func screenDidChangeMetrics(_ screen: WebViewScreen) {
    if isPageReady { tellOrientation() }
  }

  func screen(_ screen: WebViewScreen, didReceive action: NativeViewAction) {
    switch (action.view, action.kind) {
    case (JourneyViews.captureDocument, _): captured(bridge.documentCapture, action)
    case (JourneyViews.captureSelfie, _): captured(bridge.selfieCapture, action)
    case (let view, .press): pressed(view)
    default: break
    }
  }

  private func pressed(_ button: String) {
    switch button {
    case JourneyViews.cancel:
      bridge.send(event: "journey.cancel", data: ["reason": "The user tapped Cancel"])
    case JourneyViews.help:
      bridge.send(event: "user.action", data: ["action": "tapped_help", "screen": "journey"])
    case JourneyViews.controls: model.showsControls.toggle()
    case JourneyViews.document: bridge.documentCapture.isEnabled.toggle()
    case JourneyViews.selfie: bridge.selfieCapture.isEnabled.toggle()
    case JourneyViews.chip: model.offerChip(!model.offersChip)
    case JourneyViews.answerPending: answerPending()
    case JourneyViews.tellPage:
      bridge.send(event: "user.action", data: ["action": "told_page", "screen": "app"])
    case JourneyViews.finish: showLastStep()
    case JourneyViews.openOrClose: if view == nil { open() } else { close() }
    case JourneyViews.dismissError: bridge.clearError()
    case JourneyViews.dismissOutside: model.openedOutside = nil
    case JourneyViews.readChip: model.chip.read()
    case JourneyViews.cancelChip: model.chip.cancel(reason: "The user cancelled")
    default: break
    }
  }

  /// Answers what nothing else did.
  private func answerPending() {
    for request in bridge.pendingRequests {
      bridge.respond(to: request, with: .success(["answeredBy": "the app"]))
    }
  }

  private func showLastStep() {
    guard let view, let url = URL(string: "finish.html", relativeTo: view.url)?.absoluteURL else { return }
    view.url = url
    model.shows(url)
  }

  /// What a capture screen says goes to its slot.
  private func captured(_ slot: CaptureSlot, _ action: NativeViewAction) {
    switch action.kind {
    case .permission: permissionChanged(action.text)
    case .cancel: slot.complete(Self.ending(action.text))
    case .capture:
      guard let picture = NativeViewPicture(action) else {
        let error = BridgeError(.internalError, "The camera gave no picture")
        slot.complete(.failed(error))
        return
      }
      model.record(
        .picture,
        [
          "subject": .string(slot.kind.rawValue), "bytes": .number(Double(picture.base64.utf8.count)),
          "width": .number(Double(picture.width)), "height": .number(Double(picture.height)),
          "mimeType": .string(picture.mimeType), "isGenerated": .bool(picture.isGenerated),
        ])
      slot.complete(Self.result(of: picture, for: slot.kind))
    case .press, .change, .submit: break
    }
  }

  private func permissionChanged(_ text: String?) {
    let state: PermissionState =
      switch text {
      case "granted": .granted
      case "denied": .denied
      default: .notDetermined
      }
    // It is one permission for both cameras.
    for slot in [bridge.documentCapture, bridge.selfieCapture] { slot.permissionState = state }
  }

  private static func ending(_ word: String?) -> CaptureResult {
    switch word {
    case "denied": .failed(BridgeError(.permissionDenied, "The camera may not be used"))
    case "dismissed": .cancelled(reason: "The camera was dismissed")
    default: .cancelled(reason: "The user cancelled")
    }
  }

  /// The vendor's encryption is not public, so a selfie has no encrypted blob here.
  private static func result(of picture: NativeViewPicture, for kind: CaptureSlot.Kind) -> CaptureResult {
    switch kind {
    case .document:
      .document(
        DocumentCaptureResult(
          imageData: picture.base64, width: picture.width, height: picture.height, mimeType: picture.mimeType)
      )
    case .selfie:
      .selfie(
        SelfieCaptureResult(
          previewImageData: picture.base64, width: picture.width, height: picture.height,
          mimeType: picture.mimeType, unencryptedBlob: picture.base64))
    }
  }
}
