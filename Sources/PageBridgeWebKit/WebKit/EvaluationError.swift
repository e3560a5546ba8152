/// Why a page did not run what its host asked for, where WebKit has no error: in a web view a page has no say in this.
///
/// Thrown by `evaluateJavaScript`, `callAsyncJavaScript` and ``WKWebView/callRegisteredFunction(_:arguments:)`` beside
/// ``WKError``. Nothing of the script has run, except with ``Code/timedOut``.
public struct EvaluationError: Error, CustomNSError, LocalizedError, Hashable, Sendable {
  /// One documented cause. The number is that of the wire.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The number that travels.
    public let rawValue: Int

    /// Makes a code of its number; ``EvaluationError`` has those below.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The page says `data-evaluate="none"`.
    public static let scriptsRefused = Code(rawValue: -32001)
    /// The page's content security policy allows neither `eval` nor scripts of the relay. Never thrown by itself: it is the
    /// underlying error of a ``WKError`` `javaScriptExceptionOccurred`.
    public static let blockedByPolicy = Code(rawValue: -32002)
    /// The page says `data-evaluate="registered"`: only functions that it has registered can be called.
    public static let onlyRegistered = Code(rawValue: -32003)
    /// The page has registered no function of that name.
    public static let notRegistered = Code(rawValue: -32004)
    /// The script could not be fetched from the relay, though the page allows it.
    public static let notFetched = Code(rawValue: -32005)
    /// A content world other than the page's needs `eval`, which the page's policy forbids.
    public static let worldNeedsEval = Code(rawValue: -32006)
    /// The page has not answered within the view's ``WKWebView/callTimeout``. Whether the script has run, or runs when the
    /// page goes on, is not known; its answer is dropped.
    public static let timedOut = Code(rawValue: -32007)

    static let all = [
      scriptsRefused, blockedByPolicy, onlyRegistered, notRegistered, notFetched, worldNeedsEval, timedOut,
    ]
  }

  /// Why.
  public var code: Code
  /// The page's words.
  public var message: String
  /// The address of the page.
  public var context: String

  init(_ code: Code, _ message: String, context: String) {
    self.code = code
    self.message = message
    self.context = context
  }

  /// `PageBridgeEvaluationErrorDomain`.
  public static var errorDomain: String { "PageBridgeEvaluationErrorDomain" }
  /// The code's number.
  public var errorCode: Int { code.rawValue }
  /// Message and context.
  public var errorDescription: String? { context.isEmpty ? message : "\(message) (\(context))" }
  /// The description.
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: errorDescription ?? ""] }
}
