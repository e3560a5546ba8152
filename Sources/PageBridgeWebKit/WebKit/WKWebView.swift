import Observation

/// A web view whose page is in a browser somewhere. See Apple's page "WKWebView".
///
/// Made inside the closure of ``WebViewHost/start(_:)`` it belongs to the visitor; elsewhere it is shown by whoever opens
/// ``pageURL``. All of it is on the main actor; properties that change by themselves can be observed.
@MainActor
@Observable
open class WKWebView: NSObject {
  nonisolated static let blankURL = URL(string: "about:blank")!
  /// What `URLRequest` begins with.
  static let standardTimeout = 60.0

  /// What the view was made with; a copy.
  public let configuration: WKWebViewConfiguration
  /// How the page scrolls.
  @ObservationIgnored public private(set) var scrollView: WebScrollView!
  /// The view's page in the words of the wire: the session's id.
  public let sessionID: String

  /// The address of the page, or of the one that is under way.
  public internal(set) var url: URL?
  /// The page's title.
  public internal(set) var title: String?
  /// Whether a page is under way or still loading.
  public internal(set) var isLoading = false
  /// How far the page is loaded, from 0 to 1.
  public internal(set) var estimatedProgress = 0.0
  /// The pages that the view has shown.
  @ObservationIgnored public let backForwardList = WKBackForwardList()
  /// Whether the page has one before it in its history.
  public internal(set) var canGoBack = false
  /// Whether the page has one behind it in its history.
  public internal(set) var canGoForward = false
  /// How the page runs the host's scripts; a page says so when it attaches, and again when that changes.
  public internal(set) var evaluationWay = EvaluationWay.unknown

  /// Who decides about navigations and hears of them.
  @ObservationIgnored public weak var navigationDelegate: (any WKNavigationDelegate)? {
    didSet { session.configurationChanged() }
  }

  /// Who shows the dialogs of the page; without one `alert` returns, `confirm` gives false, `prompt` gives null and
  /// nothing is opened.
  @ObservationIgnored public weak var uiDelegate: (any WKUIDelegate)? {
    didSet { session.configurationChanged() }
  }

  /// Where the view is on its screen, in points; a rectangle of no size fills the screen.
  public var frame: CGRect {
    didSet { if frame != oldValue { frameChanged() } }
  }

  /// The colour behind the page, which shows where a page without a background is not opaque.
  public var backgroundColor: WebColor? {
    didSet { if backgroundColor != oldValue { backgroundChanged() } }
  }

  /// Whether a page without a background is white, or shows ``backgroundColor``.
  public var isOpaque = true {
    didSet { if isOpaque != oldValue { backgroundChanged() } }
  }

  /// Whether swipes from the side go back and forward: with a finger, and with the mouse in a viewer.
  public var allowsBackForwardNavigationGestures = false {
    didSet {
      if allowsBackForwardNavigationGestures != oldValue { session.configurationChanged() }
    }
  }

  /// What pages find in `navigator.userAgent`; nil is the browser's own, and an empty text too. Requests keep the browser's.
  public var customUserAgent: String? {
    didSet { if customUserAgent != oldValue { session.configurationChanged() } }
  }

  /// How much larger than usual the page is, 1 as it is. A factor that is not above 0 has no effect.
  public var pageZoom: CGFloat = 1 {
    didSet { if pageZoom != oldValue { session.configurationChanged() } }
  }

  /// How long a page may take to answer what the app asks it from now on: `evaluateJavaScript`, `callAsyncJavaScript` and
  /// ``callRegisteredFunction(_:arguments:)``. Then the call ends with ``EvaluationError/Code/timedOut``, whatever keeps the
  /// page silent. nil, as in WebKit: a call waits as long as its page lives. Apple has no such property.
  ///
  /// - Precondition: it is nil or above zero.
  @ObservationIgnored public var callTimeout: Duration? {
    didSet { precondition(callTimeout.map { $0 > .zero } ?? true, "a callTimeout must be above zero") }
  }

  /// Whether developer tools may look at the page. A browser always lets them; kept for the app to read.
  public var isInspectable = false

  /// The screen that shows the view; nil for a view that is opened by its ``pageURL``.
  public var screen: WebViewScreen? { session.scene?.screen }

  @ObservationIgnored let session: WebViewSession
  @ObservationIgnored let host: WebViewHost
  /// Whether a visitor's own page is this view's page.
  @ObservationIgnored let isAdopted: Bool
  @ObservationIgnored private let connection: HostConnection
  @ObservationIgnored var navigation = NavigationState()
  @ObservationIgnored var served = ServedAddresses()
  /// What the load under way leads to, and its number as the page is told.
  @ObservationIgnored var target: LoadTarget?
  @ObservationIgnored var wish = 0
  /// The document that was told of it; nil where it waits for the one that comes.
  @ObservationIgnored var wishDocument: String?
  /// The load that the page was told to make in place of its own document.
  @ObservationIgnored weak var replacing: WKNavigation?
  /// The page's address in the browser.
  @ObservationIgnored var pageAddress: String?
  /// The app's view of the address of the document that is there.
  @ObservationIgnored var committedURL: URL?
  /// Whether the screen has been told to show the view.
  @ObservationIgnored var isShown = false
  @ObservationIgnored var hasRecovered = false
  /// What the view was made with, to be recognised by.
  @ObservationIgnored weak var givenConfiguration: WKWebViewConfiguration?
  /// Whether a page has opened the view, and may close it.
  @ObservationIgnored var isOpenedByPage = false
  /// Who waits for the answer to whether a load is allowed.
  @ObservationIgnored var whenDecided: (navigation: WKNavigation, then: @MainActor () -> Void)?
  /// The relay's origin as the browser knows it that has opened the view.
  @ObservationIgnored var openerOrigin: String?
  /// Views that the view's page has opened, by their session.
  @ObservationIgnored var openedViews: [String: Opened] = [:]
  /// The sequences of values that somebody reads.
  @ObservationIgnored let sequences = ValueSequences()
  /// How many seconds the newest load may stand still before it counts as broken off.
  @ObservationIgnored var loadTimeout = WKWebView.standardTimeout {
    didSet { if loadTimeout != oldValue { session.configurationChanged() } }
  }

  /// Makes a web view for the visitor whose closure is running, or for the only host of the process.
  ///
  /// - Precondition: there is such a host, and its relay has known it already.
  public convenience init(frame: CGRect, configuration: WKWebViewConfiguration) {
    guard let host = WebViewHost.current ?? (WebViewHost.all.count == 1 ? WebViewHost.all[0] : nil) else {
      preconditionFailure(
        "a WKWebView needs a host: make it inside the closure of WebViewHost.start, or pass host:")
    }
    self.init(frame: frame, configuration: configuration, host: host)
  }

  /// Makes a web view that fills its screen, with a configuration of its own.
  public convenience override init() {
    self.init(frame: .zero, configuration: WKWebViewConfiguration())
  }

  /// Makes a web view for a host.
  ///
  /// - Precondition: the host's relay has known it already; see ``WebViewHost/connected()``.
  public init(frame: CGRect, configuration: WKWebViewConfiguration, host: WebViewHost) {
    self.frame = frame
    self.configuration = configuration.duplicate()
    givenConfiguration = configuration
    self.host = host
    connection = host.connection
    let scene = WebViewHost.openingScene
    let new =
      if let scene, scene.host === host { scene.newSession() } else {
        NewSession(session: host.makeSession())
      }
    session = new.session
    isAdopted = new.isAdopted
    sessionID = session.id
    super.init()
    scrollView = WebScrollView { [weak self] in self?.session.configurationChanged() }
    session.adopt(self)
    if isAdopted {
      if let scene, scene.isResumed {
        url = scene.url
        committedURL = scene.url
      }
      pageAddress = scene?.url?.absoluteString
    } else {
      session.announce(screen: session.scene?.session?.id, isHostFirst: true)
    }
    configuration.websiteDataStore.attach(session)
    if new.isRestored {
      isShown = true
      connection.submit(.expectDocument(session: session.id))
      if let document = new.document { resumed(document) }
    }
    if frame != .zero { frameChanged() }
  }

  /// Whether browsers load a scheme themselves; an app can handle only others.
  public class func handlesURLScheme(_ urlScheme: String) -> Bool {
    SchemeAddress.browsers.contains(urlScheme.lowercased())
  }

  deinit {
    connection.inbox.post(.viewReleased(session: sessionID))
  }

  private func backgroundChanged() {
    session.configurationChanged()
    sendFrame()
  }

  /// What pages are told of the view's wishes.
  var settings: [WireValue.Member] {
    let delegate = navigationDelegate
    let media = configuration.mediaTypesRequiringUserActionForPlayback
    var kinds: [WireValue] = []
    if media.contains(.audio) { kinds.append("audio") }
    if media.contains(.video) { kinds.append("video") }
    return [
      .init("asksNavigation", .bool(delegate.map { PolicyQuestion.isAnswered(by: $0, .action) } ?? false)),
      .init("uiDelegate", .bool(uiDelegate != nil)),
      .init("opensWindows", .bool(configuration.preferences.javaScriptCanOpenWindowsAutomatically)),
      .init("openedByScript", .bool(isOpenedByPage)),
      .init("allowsInlineMediaPlayback", .bool(configuration.allowsInlineMediaPlayback)),
      .init("allowsPictureInPictureMediaPlayback", .bool(configuration.allowsPictureInPictureMediaPlayback)),
      .init("mediaTypesRequiringUserActionForPlayback", .array(kinds)),
      .init(
        "allowsContentJavaScript", .bool(configuration.defaultWebpagePreferences.allowsContentJavaScript)),
      .init("bounces", .bool(scrollView.bounces)),
      .init("isScrollEnabled", .bool(scrollView.isScrollEnabled)),
      .init("allowsBackForwardNavigationGestures", .bool(allowsBackForwardNavigationGestures)),
      .init("backgroundColor", backgroundColor.map { .string($0.css) } ?? .null),
      .init("isOpaque", .bool(isOpaque)),
      .init("customUserAgent", .string(customUserAgent ?? "")),
      .init("applicationName", .string(configuration.applicationNameForUserAgent ?? "")),
      .init("pageZoom", .number(Double(pageZoom))),
      .init("schemes", .array(configuration.schemes.map { .string($0) })),
      .init("watchesCookies", .bool(configuration.websiteDataStore.httpCookieStore.isObserved)),
      .init("loadTimeout", .number(loadTimeout)),
      .init("isHidden", .bool(screen?.hasDisappeared ?? false)),
    ]
  }
}
