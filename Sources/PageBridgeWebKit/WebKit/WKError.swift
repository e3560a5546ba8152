/// What went wrong in a web view, with WebKit's domain, codes and user info.
///
/// See Apple's page "WKError". Code 4 carries the exception's message, line and column, and its source URL where the
/// page knows it. Where the page's policy let no script of the host run, code 4 has ``EvaluationError`` `blockedByPolicy`
/// under `NSUnderlyingErrorKey`.
public struct WKError: Error, CustomNSError, LocalizedError, Hashable, Sendable {
  /// WebKit's numbers. See Apple's page "WKError.Code".
  public enum Code: Int, Sendable {
    /// The call could not be made or its answer not read, such as a message above the limits.
    case unknown = 1
    /// The session has ended, and the page with it; ``WKNavigationDelegate/webViewWebContentProcessDidTerminate(_:)`` tells when.
    case webContentProcessTerminated = 2
    /// The web view was let go before the call had ended.
    case webViewInvalidated = 3
    /// The script threw, did not parse, or its promise was rejected; an argument does not cross; or another document came before the answer.
    case javaScriptExceptionOccurred = 4
    /// The result is, or has in it, what does not cross: a function, a node, a promise in a container.
    case javaScriptResultTypeIsUnsupported = 5
    /// Never given: there are no content rule lists here.
    case contentRuleListStoreCompileFailed = 6
    /// Never given: there are no content rule lists here.
    case contentRuleListStoreLookUpFailed = 7
    /// Never given: there are no content rule lists here.
    case contentRuleListStoreRemoveFailed = 8
    /// Never given: there are no content rule lists here.
    case contentRuleListStoreVersionMismatch = 9
    /// Never given: there are no attributed strings made of HTML here.
    case attributedStringContentFailedToLoad = 10
    /// Never given: there are no attributed strings made of HTML here.
    case attributedStringContentLoadTimedOut = 11
    /// The frame is gone, has no bridge, or belongs to another view.
    case javaScriptInvalidFrameTarget = 12
    /// Never given: there are no app-bound domains here.
    case navigationAppBoundDomain = 13
    /// Never given: there are no app-bound domains here.
    case javaScriptAppBoundDomain = 14
    /// Never given: there are no credentials here.
    case duplicateCredential = 15
    /// Never given: there are no credentials here.
    case malformedCredential = 16
    /// Never given: there are no credentials here.
    case credentialNotFound = 17
  }

  /// Why the call failed.
  public let code: Code
  private let failure: ScriptFailure
  private var underlying: EvaluationError?

  /// Makes an error of that code.
  public init(_ code: Code) {
    switch code {
    case .javaScriptExceptionOccurred, .javaScriptInvalidFrameTarget, .javaScriptAppBoundDomain:
      self.init(
        ScriptFailure(
          code: code.rawValue, message: Self.description(of: code), line: 0, column: 0, sourceURL: nil,
          detail: nil))
    case .unknown, .webContentProcessTerminated, .webViewInvalidated, .javaScriptResultTypeIsUnsupported,
      .contentRuleListStoreCompileFailed, .contentRuleListStoreLookUpFailed,
      .contentRuleListStoreRemoveFailed, .contentRuleListStoreVersionMismatch,
      .attributedStringContentFailedToLoad, .attributedStringContentLoadTimedOut, .navigationAppBoundDomain,
      .duplicateCredential, .malformedCredential, .credentialNotFound:
      self.init(ScriptFailure(code: code.rawValue))
    }
  }

  init(_ failure: ScriptFailure) {
    code = Code(rawValue: failure.code) ?? .unknown
    self.failure = failure
  }

  /// A script that the page's policy did not let run.
  init(blocked error: EvaluationError) {
    self.init(
      ScriptFailure(
        code: Code.javaScriptExceptionOccurred.rawValue, message: error.message, line: 0, column: 0,
        sourceURL: nil, detail: nil))
    underlying = error
  }

  /// ``WKErrorDomain``.
  public static var errorDomain: String { WKErrorDomain }
  /// WebKit's number.
  public var errorCode: Int { code.rawValue }
  /// WebKit's text, or why this package could not make the call.
  public var errorDescription: String? { failure.detail ?? Self.description(of: code) }

  /// What WebKit tells of an error of that code.
  public var errorUserInfo: [String: Any] {
    var info: [String: Any] = [NSLocalizedDescriptionKey: errorDescription ?? ""]
    if let message = failure.message { info[WKJavaScriptExceptionMessageErrorKey] = message }
    if let line = failure.line { info[WKJavaScriptExceptionLineNumberErrorKey] = NSNumber(value: line) }
    if let column = failure.column {
      info[WKJavaScriptExceptionColumnNumberErrorKey] = NSNumber(value: column)
    }
    if let url = failure.sourceURL.flatMap(URL.init(string:)) {
      info[WKJavaScriptExceptionSourceURLErrorKey] = url
    }
    if let underlying { info[NSUnderlyingErrorKey] = underlying }
    return info
  }

  private static func description(of code: Code) -> String {
    switch code {
    case .unknown: "An unknown error occurred"
    case .webContentProcessTerminated: "The Web Content process was terminated"
    case .webViewInvalidated: "The WKWebView was invalidated"
    case .javaScriptExceptionOccurred: "A JavaScript exception occurred"
    case .javaScriptResultTypeIsUnsupported: "JavaScript execution returned a result of an unsupported type"
    case .javaScriptInvalidFrameTarget: "JavaScript execution targeted an invalid frame"
    case .contentRuleListStoreCompileFailed: "Compiling a WKContentRuleList failed"
    case .contentRuleListStoreLookUpFailed: "Looking up a WKContentRuleList failed"
    case .contentRuleListStoreRemoveFailed: "Removing a WKContentRuleList failed"
    case .contentRuleListStoreVersionMismatch:
      "Looking up a WKContentRuleList found a binary that is incompatible"
    case .attributedStringContentFailedToLoad: "Attributed string content failed to load"
    case .attributedStringContentLoadTimedOut: "Timed out while loading attributed string content"
    case .navigationAppBoundDomain:
      "Attempted to navigate away from an app-bound domain or navigate after using restricted APIs"
    case .javaScriptAppBoundDomain:
      "JavaScript execution targeted a frame that is not in an app-bound domain"
    case .duplicateCredential: "This credential is already present"
    case .malformedCredential: "This credential is malformed"
    case .credentialNotFound: "Credential could not be found"
    }
  }
}

/// The domain of ``WKError``.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let WKErrorDomain = "WKErrorDomain"
/// User info: the text of the exception, a `String`.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let WKJavaScriptExceptionMessageErrorKey = "WKJavaScriptExceptionMessage"
/// User info: the exception's line in the script, from 1, an `NSNumber`.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let WKJavaScriptExceptionLineNumberErrorKey = "WKJavaScriptExceptionLineNumber"
/// User info: the exception's column, an `NSNumber`.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let WKJavaScriptExceptionColumnNumberErrorKey = "WKJavaScriptExceptionColumnNumber"
/// User info: where the script came from, a `URL`; absent when unknown.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let WKJavaScriptExceptionSourceURLErrorKey = "WKJavaScriptExceptionSourceURL"
