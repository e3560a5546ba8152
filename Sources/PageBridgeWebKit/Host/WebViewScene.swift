/// The session of a web view that is being made.
struct NewSession {
  var session: WebViewSession
  /// Whether a visitor's own page is the view's page.
  var isAdopted = false
  /// Whether an earlier process showed the page, which is still there.
  var isRestored = false
  /// The document of such a page, if it has come already.
  var document: OpenRequest?
}

/// One visitor of a host: a browser tab with the app's page, or a viewer that shows the app in a device.
///
/// The first web view that is made while the closure runs belongs to the visitor: in a tab it adopts the tab's page, in a
/// viewer it is shown on the screen.
@MainActor
public final class WebViewScene {
  /// What the visitor sees the app on.
  public let screen: WebViewScreen
  /// The address that the visitor opened.
  public private(set) var url: URL?
  /// Whether the page is only a place-holder, for the app to load its own content over.
  public private(set) var isPlaceholder: Bool
  /// Whether the page was there before this process: an earlier one served it. The app must not load it again.
  public let isResumed: Bool
  /// A tab or a viewer.
  public let clientKind: WebClientKind
  /// What the visitor's browser says it is.
  public let userAgent: String?
  /// The host that the visitor came to.
  public let host: WebViewHost
  /// The web views that belong to the visitor, in the order they were made.
  public var webViews: [WKWebView] { (session?.webView.map { [$0] } ?? []) + contents.compactMap(\.webView) }

  /// Where the data of the visitor's pages are, unless a configuration names another store.
  private(set) lazy var websiteDataStore = WKWebsiteDataStore.makeForVisitor()

  /// The visitor whose code is running: inside the closure and in all that the visitor's pages cause.
  static var current: WebViewScene? { WebViewHost.openingScene ?? Visitor.scene }

  /// Runs what a visitor causes; nil is nobody.
  static func running<Value>(_ scene: WebViewScene?, _ work: () throws -> Value) rethrows -> Value {
    try Visitor.$scene.withValue(scene, operation: work)
  }

  var session: WebViewSession?
  /// Sessions that are shown on the visitor's screen.
  private(set) var contents: [WebViewSession] = []
  var isRunning = false
  var retained: AnyObject?
  private var hasAdopted = false
  private(set) var isEnded = false

  init(host: WebViewHost, request: OpenRequest) {
    self.host = host
    url = request.url.flatMap(URL.init(string:))
    isPlaceholder = request.isPlaceholder
    isResumed = request.isResumed
    clientKind = request.kind
    userAgent = request.userAgent
    screen = WebViewScreen(isWindow: request.kind == .page)
    screen.scene = self
  }

  /// Runs work in which web views are made for this visitor, after the closure has returned too.
  @discardableResult
  public func perform<Value>(_ work: () throws -> Value) rethrows -> Value {
    let outer = WebViewHost.openingScene
    WebViewHost.openingScene = self
    defer { WebViewHost.openingScene = outer }
    return try Self.running(self, work)
  }

  /// The relay's origin as the visitor's browser knows it, without a slash at the end: documents of this host, and the
  /// relay's static files, are found there.
  public var contentOrigin: String {
    RelayAddress.contentOrigin(relay: host.relay, seenFrom: url)
  }

  /// The session for a web view that is made in this scene's closure.
  func newSession() -> NewSession {
    if clientKind == .page, !hasAdopted, let session, !session.isEnded {
      hasAdopted = true
      return NewSession(session: session, isAdopted: true)
    }
    var new: NewSession
    if isResumed, clientKind == .screen, let session,
      let restored = host.takeRestoredSession(screen: session.id)
    {
      new = NewSession(session: restored.session, isRestored: true, document: restored.request)
    } else {
      new = NewSession(session: host.makeSession())
    }
    if clientKind == .screen {
      new.session.scene = self
      contents.append(new.session)
    }
    return new
  }

  /// The closure has run: what it made and did not load is shown empty, and the app is in front.
  func closureReturned() {
    for content in contents { content.webView?.showIfNeeded() }
    if clientKind == .screen { screen.becomeVisible() }
  }

  func reopened(_ request: OpenRequest) {
    url = request.url.flatMap(URL.init(string:)) ?? url
    isPlaceholder = request.isPlaceholder
  }

  /// The visitor's page is a new document, which has seen nothing of what was said before.
  func newDocument() {
    guard clientKind == .screen, let session else { return }
    screen.resend()
    for content in contents { content.webView?.showAgain() }
    host.connection.submit(.retellTraffic(screen: session.id))
  }

  func removed(_ content: WebViewSession) {
    guard contents.contains(where: { $0 === content }) else { return }
    contents.removeAll { $0 === content }
    screen.send(["type": "content", "id": .string(content.id), "url": nil])
  }

  func end() {
    guard !isEnded else { return }
    isEnded = true
    screen.becomeInvisible()
    retained = nil
  }
}

/// The visitor whose code is running, in tasks that it makes too.
private enum Visitor {
  @TaskLocal static var scene: WebViewScene?
}
