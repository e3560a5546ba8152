/// Which kinds of media need a user's gesture before they play.
public struct WKAudiovisualMediaTypes: OptionSet, Sendable {
  /// The set's bits, as WebKit numbers them.
  public let rawValue: UInt

  /// Makes a set from its bits.
  public init(rawValue: UInt) {
    self.rawValue = rawValue
  }

  /// Sound.
  public static let audio = WKAudiovisualMediaTypes(rawValue: 1)
  /// Moving pictures.
  public static let video = WKAudiovisualMediaTypes(rawValue: 2)
  /// Both, and whatever may come.
  public static let all = WKAudiovisualMediaTypes(rawValue: .max)
}

/// Settings of pages. See Apple's page "WKPreferences".
@MainActor
public final class WKPreferences: NSObject {
  /// Whether scripts may open windows by themselves.
  public var javaScriptCanOpenWindowsAutomatically = false

  /// Makes WebKit's defaults.
  public override init() {}
}

/// Settings of one page. See Apple's page "WKWebpagePreferences".
@MainActor
public final class WKWebpagePreferences: NSObject {
  /// Whether pages may run their own scripts. A browser page cannot switch its scripts off; the wish is told to it as a
  /// setting and has no further effect.
  public var allowsContentJavaScript = true

  /// Makes WebKit's defaults.
  public override init() {}
}

/// What a web view is made with; it keeps a copy. See Apple's page "WKWebViewConfiguration".
@MainActor
public final class WKWebViewConfiguration: NSObject {
  /// Message handlers and user scripts; shared by all web views that are made with it.
  public var userContentController = WKUserContentController()
  /// Settings of pages; shared.
  public var preferences = WKPreferences()
  /// Settings of each page; shared.
  public var defaultWebpagePreferences: WKWebpagePreferences! = WKWebpagePreferences()
  /// Where the data of pages are: the visitor's store unless another one is set; shared.
  public var websiteDataStore = WKWebsiteDataStore.default()
  /// Whether videos play in the page instead of filling the screen: their elements say so to the browsers of phones. Other
  /// browsers play them in the page always.
  public var allowsInlineMediaPlayback = false
  /// Which media wait for a user's gesture: `play()` rejects with `NotAllowedError`, and what would start by itself does not.
  public var mediaTypesRequiringUserActionForPlayback: WKAudiovisualMediaTypes = .all
  /// What pages find behind the browser's own text in `navigator.userAgent`; requests keep the browser's.
  public var applicationNameForUserAgent: String?
  /// Whether videos may leave the page in a window of their own.
  public var allowsPictureInPictureMediaPlayback = true
  /// Which process the pages share; kept for the app to read, see ``WKProcessPool``.
  public var processPool = WKProcessPool()

  private var schemeHandlers: [String: any WKURLSchemeHandler] = [:]

  /// Makes WebKit's defaults, with a controller of its own.
  public override init() {}

  /// Sets who loads the resources of a scheme, for web views that are made with this configuration afterwards. The
  /// configuration retains the handler; nil takes it away.
  ///
  /// - Precondition: the text is a scheme, browsers do not know it themselves (see ``WKWebView/handlesURLScheme(_:)``), and
  ///   it has no handler yet.
  public func setURLSchemeHandler(
    _ urlSchemeHandler: (any WKURLSchemeHandler)?, forURLScheme urlScheme: String
  ) {
    let scheme = urlScheme.lowercased()
    precondition(SchemeAddress.isScheme(scheme), "'\(urlScheme)' is not a valid URL scheme")
    precondition(
      !WKWebView.handlesURLScheme(scheme), "'\(urlScheme)' is a URL scheme that WKWebView handles natively")
    precondition(
      urlSchemeHandler == nil || schemeHandlers[scheme] == nil,
      "URL scheme '\(urlScheme)' already has a registered URL scheme handler")
    schemeHandlers[scheme] = urlSchemeHandler
  }

  /// Who loads the resources of a scheme; nil if nobody was set.
  public func urlSchemeHandler(forURLScheme urlScheme: String) -> (any WKURLSchemeHandler)? {
    schemeHandlers[urlScheme.lowercased()]
  }

  /// The schemes that have a handler, in a fixed order.
  var schemes: [String] { schemeHandlers.keys.sorted() }

  /// A configuration with the same values; controller and preferences are shared.
  func duplicate() -> WKWebViewConfiguration {
    let copy = WKWebViewConfiguration()
    copy.userContentController = userContentController
    copy.preferences = preferences
    copy.schemeHandlers = schemeHandlers
    copy.websiteDataStore = websiteDataStore
    copy.defaultWebpagePreferences = defaultWebpagePreferences
    copy.applicationNameForUserAgent = applicationNameForUserAgent
    copy.allowsInlineMediaPlayback = allowsInlineMediaPlayback
    copy.mediaTypesRequiringUserActionForPlayback = mediaTypesRequiringUserActionForPlayback
    copy.allowsPictureInPictureMediaPlayback = allowsPictureInPictureMediaPlayback
    copy.processPool = processPool
    return copy
  }
}
