import Observation

/// Distances from the edges of a screen in points.
public struct WebEdgeInsets: Hashable, Sendable {
  /// From the top, in points.
  public var top: Double
  /// From the left, in points.
  public var left: Double
  /// From the bottom, in points.
  public var bottom: Double
  /// From the right, in points.
  public var right: Double

  /// Makes insets; each is zero unless it is named.
  public init(top: Double = 0, left: Double = 0, bottom: Double = 0, right: Double = 0) {
    self.top = top
    self.left = left
    self.bottom = bottom
    self.right = right
  }

  /// No insets.
  public static let zero = WebEdgeInsets()
}

/// How a device is held; "left" and "right" say where its notch is.
public enum WebInterfaceOrientation: String, Hashable, Sendable {
  /// Upright.
  case portrait
  /// On its left side.
  case landscapeLeft = "landscape-left"
  /// On its right side.
  case landscapeRight = "landscape-right"

  /// Whether the device lies on its side.
  public var isLandscape: Bool { self != .portrait }
}

/// What an app asks a device to turn to.
public enum WebOrientationRequest: String, Hashable, Sendable {
  /// Upright, whichever way.
  case portrait
  /// On a side, whichever.
  case landscape
}

/// The bar with a title that the viewer draws above the app.
public struct WebNavigationBar: Hashable, Sendable {
  /// Whether the bar is not shown.
  public var isHidden: Bool
  /// The text in its middle.
  public var title: String

  /// Makes a bar, hidden unless said otherwise.
  public init(isHidden: Bool = true, title: String = "") {
    self.isHidden = isHidden
    self.title = title
  }
}

/// The bar with clock and battery.
public struct WebStatusBar: Hashable, Sendable {
  /// Which colour the bar's text has.
  public enum Style: String, Hashable, Sendable {
    /// Light text, for dark backgrounds.
    case light
    /// Dark text, for light backgrounds.
    case dark
  }

  /// Whether the bar is not shown at all.
  public var isHidden: Bool
  /// The colour of its text.
  public var style: Style

  /// Makes a bar with dark text, shown unless said otherwise.
  public init(isHidden: Bool = false, style: Style = .dark) {
    self.isHidden = isHidden
    self.style = style
  }
}

/// Who hears what happens to a screen. Nothing has to be implemented.
@MainActor
public protocol WebViewScreenDelegate: AnyObject {
  /// Size, safe area, orientation or device have changed.
  func screenDidChangeMetrics(_ screen: WebViewScreen)
  /// The app has come to the front.
  func screenDidAppear(_ screen: WebViewScreen)
  /// The app has left the front: home button, hidden or closed tab.
  func screenDidDisappear(_ screen: WebViewScreen)
  /// The device is short of memory.
  func screenDidReceiveMemoryWarning(_ screen: WebViewScreen)
  /// The user did something to a native view.
  func screen(_ screen: WebViewScreen, didReceive action: NativeViewAction)
}

extension WebViewScreenDelegate {
  public func screenDidChangeMetrics(_ screen: WebViewScreen) {}
  public func screenDidAppear(_ screen: WebViewScreen) {}
  public func screenDidDisappear(_ screen: WebViewScreen) {}
  public func screenDidReceiveMemoryWarning(_ screen: WebViewScreen) {}
  public func screen(_ screen: WebViewScreen, didReceive action: NativeViewAction) {}
}

/// What a visitor sees the app on: the device that a viewer draws, or the window of a bare tab.
///
/// All of it is in device points. Where ``isWindow`` is true the window cannot be told what to do: bars, orientation and
/// frames are remembered and recorded, and have no effect.
@MainActor
@Observable
public final class WebViewScreen {
  /// The handler that viewers speak to.
  static let handlerName = "pagebridgeScreen"

  /// The screen's rectangle; its origin is zero. Of a tab it is known once the page's first message came.
  public private(set) var bounds = CGRect.zero
  /// What notch, bars and home indicator take.
  public private(set) var safeAreaInsets = WebEdgeInsets.zero
  /// How the device is held.
  public private(set) var orientation = WebInterfaceOrientation.portrait
  /// Which device it is, such as `phone-notch`; `window` for a tab.
  public private(set) var device = "window"
  /// Whether the app is at the front.
  public private(set) var isVisible = false
  /// Whether the screen is a plain window.
  public private(set) var isWindow: Bool
  /// Who hears of changes.
  @ObservationIgnored public weak var delegate: (any WebViewScreenDelegate)?

  /// The bar with the app's title.
  public var navigationBar = WebNavigationBar() {
    didSet { if navigationBar != oldValue { sendBars() } }
  }

  /// The bar with clock and battery.
  public var statusBar = WebStatusBar() {
    didSet { if statusBar != oldValue { sendBars() } }
  }

  /// What shows where no web view is.
  public var backgroundColor = WebColor.black {
    didSet { if backgroundColor != oldValue { sendBackground() } }
  }

  /// Whether the screen stays on while nobody touches it.
  public var isIdleTimerDisabled = false {
    didSet {
      guard isIdleTimerDisabled != oldValue else { return }
      record("state", ["key": "isIdleTimerDisabled", "value": .bool(isIdleTimerDisabled)])
      sendKeepAwake()
    }
  }

  /// What the host draws over the web view; set as a whole, the viewer finds out what changed.
  public var nativeViews: [NativeView] = [] {
    didSet {
      guard nativeViews != oldValue else { return }
      record("views", ["views": .array(nativeViews.map(\.wireValue))])
      sendViews()
    }
  }

  @ObservationIgnored weak var scene: WebViewScene?
  /// Whether the app in a viewer has left the front: its pages are told that they are hidden. In a tab the browser itself
  /// tells them.
  @ObservationIgnored private(set) var hasDisappeared = false {
    didSet {
      guard hasDisappeared != oldValue else { return }
      for content in scene?.contents ?? [] { content.configurationChanged() }
    }
  }

  init(isWindow: Bool) {
    self.isWindow = isWindow
  }

  /// Asks the device to turn; it does if it can, and then its metrics change.
  public func requestOrientation(_ orientation: WebOrientationRequest) {
    record("orientation", ["value": .string(orientation.rawValue)])
    send(["type": "orientation", "value": .string(orientation.rawValue)])
  }

  // MARK: From the page

  /// Takes a message of a viewer; what has the wrong shape is passed over.
  func receive(_ message: WireValue) {
    switch message["type"]?.string {
    case "metrics": receiveMetrics(message)
    case "appear": becomeVisible()
    case "disappear": becomeInvisible()
    case "memoryWarning": delegate?.screenDidReceiveMemoryWarning(self)
    case "action":
      guard let action = NativeViewAction(message) else { return }
      delegate?.screen(self, didReceive: action)
    case "contentState":
      guard let id = message["id"]?.string,
        let content = scene?.contents.first(where: { $0.id == id })
      else { return }
      if message["state"]?.string == "failed" { content.webView?.frameFailed() }
    case "trafficBody":
      guard let session = scene?.session, let entry = message["entry"]?.number.flatMap({ Int(whole: $0) })
      else { return }
      session.connection.submit(.trafficBody(screen: session.id, entry: entry))
    case "trafficPause":
      guard let session = scene?.session, let isPaused = message["paused"]?.bool else { return }
      session.connection.submit(.trafficPause(screen: session.id, isPaused))
    default: break
    }
  }

  private func receiveMetrics(_ message: WireValue) {
    guard let width = message["width"]?.number, let height = message["height"]?.number, width.isFinite,
      height.isFinite, width >= 0, height >= 0
    else { return }
    let area = message["safeArea"]
    func inset(_ name: String) -> Double {
      area?[name]?.number.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil } ?? 0
    }
    let device = message["device"]?.string ?? self.device
    update(
      bounds: CGRect(x: 0, y: 0, width: width, height: height),
      safeArea: WebEdgeInsets(
        top: inset("top"), left: inset("left"), bottom: inset("bottom"), right: inset("right")),
      orientation: message["orientation"]?.string.flatMap(WebInterfaceOrientation.init)
        ?? (width > height ? .landscapeLeft : .portrait),
      device: device, isWindow: device == "window")
  }

  /// Takes what a bare page says of its window.
  func receive(_ state: PageState) {
    if let width = state.width, let height = state.height {
      update(
        bounds: CGRect(x: 0, y: 0, width: width, height: height), safeArea: .zero,
        orientation: width > height ? .landscapeLeft : .portrait, device: "window", isWindow: true)
    }
    if let isVisible = state.isVisible { isVisible ? becomeVisible() : becomeInvisible() }
  }

  private func update(
    bounds: CGRect, safeArea: WebEdgeInsets, orientation: WebInterfaceOrientation, device: String,
    isWindow: Bool
  ) {
    guard
      bounds != self.bounds || safeArea != safeAreaInsets || orientation != self.orientation
        || device != self.device || isWindow != self.isWindow
    else { return }
    self.bounds = bounds
    safeAreaInsets = safeArea
    self.orientation = orientation
    self.device = device
    self.isWindow = isWindow
    for content in scene?.contents ?? [] { content.webView?.screenChanged() }
    delegate?.screenDidChangeMetrics(self)
  }

  func becomeVisible() {
    guard !isVisible else { return }
    isVisible = true
    hasDisappeared = false
    record("state", ["key": "isVisible", "value": true])
    delegate?.screenDidAppear(self)
  }

  func becomeInvisible() {
    guard isVisible else { return }
    isVisible = false
    hasDisappeared = scene?.clientKind == .screen
    record("state", ["key": "isVisible", "value": false])
    delegate?.screenDidDisappear(self)
  }

  // MARK: To the page

  /// Says something to the viewer; dropped while none has begun to listen, since it is told everything then.
  func send(_ command: WireValue) {
    guard let session = scene?.session, scene?.clientKind == .screen, session.document != nil else { return }
    session.notify("screen", command)
  }

  /// Tells a viewer's new document everything.
  func resend() {
    sendBackground()
    send(barsCommand)
    if isIdleTimerDisabled { sendKeepAwake() }
    if !nativeViews.isEmpty { sendViews() }
  }

  private func sendBars() {
    record(
      "bars",
      [
        "navigationBarHidden": .bool(navigationBar.isHidden), "title": .string(navigationBar.title),
        "statusBarHidden": .bool(statusBar.isHidden), "statusBarStyle": .string(statusBar.style.rawValue),
      ])
    send(barsCommand)
  }

  private var barsCommand: WireValue {
    [
      "type": "bars",
      "navigationBar": ["hidden": .bool(navigationBar.isHidden), "title": .string(navigationBar.title)],
      "statusBar": ["hidden": .bool(statusBar.isHidden), "style": .string(statusBar.style.rawValue)],
    ]
  }

  private func sendBackground() {
    send(["type": "background", "color": .string(backgroundColor.css)])
  }

  private func sendKeepAwake() {
    send(["type": "keepAwake", "on": .bool(isIdleTimerDisabled)])
  }

  private func sendViews() {
    send(["type": "views", "views": .array(nativeViews.map(\.wireValue))])
  }

  func record(_ event: String, _ values: KeyValuePairs<String, WireValue>) {
    guard let scene else { return }
    scene.host.events.record(event, values, session: scene.session?.id)
  }
}
