/// A frame of a page. See Apple's page "WKFrameInfo".
@MainActor
public final class WKFrameInfo: NSObject {
  /// Whether it is the page itself and not a frame inside it.
  public let isMainFrame: Bool
  /// What was loaded into it.
  public let request: URLRequest
  /// Where its content comes from.
  public let securityOrigin: WKSecurityOrigin
  /// The web view that shows it; nil once it is gone.
  public private(set) weak var webView: WKWebView?
  /// How the page names the frame, which is a frame's document; nil for the main frame.
  let frameID: String?
  /// What a delegate is asked about with this frame.
  var dialog: PageDialog?

  init(_ frame: FrameDescription, webView: WKWebView?) {
    isMainFrame = frame.isMain
    let own = frame.url.flatMap { webView?.schemeURL($0) }
    let url = own ?? frame.url.flatMap(URL.init(string:)) ?? WKWebView.blankURL
    request = URLRequest(url: url)
    securityOrigin = WKSecurityOrigin(own?.absoluteString ?? frame.origin ?? "null")
    frameID = frame.id
    self.webView = webView
  }
}

/// An origin: scheme, host and port. See Apple's page "WKSecurityOrigin".
@MainActor
public final class WKSecurityOrigin: NSObject {
  /// The scheme, such as `https`; empty for an opaque origin.
  public let `protocol`: String
  /// The host's name; empty for an opaque origin.
  public let host: String
  /// The port; 0 for the scheme's own.
  public let port: Int

  /// - Parameter origin: an origin's serialization (HTML, section 7.1.1); `null` for an opaque one.
  init(_ origin: String) {
    let components = URLComponents(string: origin)
    `protocol` = components?.host == nil ? "" : components?.scheme ?? ""
    host = components?.host ?? ""
    port = components?.port ?? 0
  }
}
