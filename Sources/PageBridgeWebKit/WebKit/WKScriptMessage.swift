/// Who hears of messages that pages post to a name. See Apple's page "WKScriptMessageHandler".
@MainActor
public protocol WKScriptMessageHandler: AnyObject {
  /// A page posted a message to a name that this handler was added for.
  func userContentController(
    _ userContentController: WKUserContentController, didReceive message: WKScriptMessage)
}

/// A message of a page. See Apple's page "WKScriptMessage".
@MainActor
public final class WKScriptMessage: NSObject {
  /// What was posted: `NSNumber` (boolean-backed for `true` and `false`, else double-backed), `String`, `Date`, `[Any]`,
  /// `[String: Any]`, `NSNull`, or `Optional<Any>.none` for `undefined`.
  public var body: Any { content.value as Any }
  /// The frame that posted.
  public let frameInfo: WKFrameInfo
  /// The handler's name.
  public let name: String
  /// The world that posted.
  public let world: WKContentWorld
  /// The web view that shows the page; nil once it is gone.
  public private(set) weak var webView: WKWebView?
  /// Whether an earlier process of this host may have handled the message already, just before it died.
  public let isRedelivered: Bool
  /// The body as the wire has it, typed; for decoders that must not take 1 for `true`.
  public var wireValue: WireValue { content.wire }

  /// The body in both forms; it takes deep ones apart.
  private let content: ForeignValue

  init(_ message: ScriptMessage, webView: WKWebView?) {
    frameInfo = WKFrameInfo(message.frame, webView: webView)
    name = message.handler
    world = WKContentWorld.world(wireName: message.world)
    self.webView = webView
    isRedelivered = message.isRedelivered
    content = message.body
  }
}
