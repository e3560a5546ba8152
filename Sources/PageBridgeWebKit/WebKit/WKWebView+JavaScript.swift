/// Where scripts run. See Apple's page "WKContentWorld". A browser page has one world.
@MainActor
public final class WKContentWorld: NSObject {
  /// The world of the page's own scripts.
  public static let page = WKContentWorld()
  /// The world's name; nil for the page's.
  public let name: String? = nil

  private override init() {}
}

extension WKWebView {
  /// Runs a script in the page and gives its completion value.
  ///
  /// Values are those of ``WKScriptMessage/body``; `undefined` is nil without an error.
  ///
  /// - Parameter completionHandler: runs once, later, on the main actor, with a value or a ``WKError``.
  public func evaluateJavaScript(
    _ javaScriptString: String,
    completionHandler: (@MainActor @Sendable (Any?, (any Error)?) -> Void)? = nil
  ) {
    evaluate(javaScriptString) { result in
      switch result {
      case .success(let value): completionHandler?(value.object, nil)
      case .failure(let error): completionHandler?(nil, error)
      }
    }
  }

  /// Runs a script in the page and answers its completion value; `undefined` is nil.
  ///
  /// - Throws: ``WKError``.
  @discardableResult
  public func evaluateJavaScript(_ javaScriptString: String) async throws -> sending Any? {
    try await answer { self.evaluate(javaScriptString, $0) }
  }

  /// Runs a script in a frame and answers its completion value.
  ///
  /// - Throws: ``WKError``; `javaScriptInvalidFrameTarget` for a frame inside the page.
  @discardableResult
  public func evaluateJavaScript(
    _ javaScriptString: String, in frame: WKFrameInfo? = nil, contentWorld: WKContentWorld
  ) async throws -> sending Any? {
    if frame?.isMainFrame == false { throw WKError(.javaScriptInvalidFrameTarget) }
    return try await answer { self.evaluate(javaScriptString, $0) }
  }

  /// Runs the body of an asynchronous function in the page, with arguments by name, and answers what it resolves to.
  ///
  /// - Throws: ``WKError``; code 4 when an argument is of a type that does not cross.
  @discardableResult
  public func callAsyncJavaScript(
    _ functionBody: String, arguments: [String: Any] = [:], in frame: WKFrameInfo? = nil,
    contentWorld: WKContentWorld
  ) async throws -> sending Any? {
    if frame?.isMainFrame == false { throw WKError(.javaScriptInvalidFrameTarget) }
    return try await answer { self.callAsync(functionBody, arguments, $0) }
  }

  /// Runs the body of an asynchronous function in the page, with arguments by name.
  ///
  /// - Parameter completionHandler: runs once, later, on the main actor; `undefined` is `Optional<Any>.none` as `Any`.
  public func callAsyncJavaScript(
    _ functionBody: String, arguments: [String: Any] = [:], in frame: WKFrameInfo? = nil,
    in contentWorld: WKContentWorld,
    completionHandler: (@MainActor @Sendable (Result<Any, any Error>) -> Void)? = nil
  ) {
    let completion: WebViewSession.Completion = { result in
      completionHandler?(result.map { $0.object as Any }.mapError { $0 })
    }
    if frame?.isMainFrame == false {
      return host.later { completion(.failure(WKError(.javaScriptInvalidFrameTarget))) }
    }
    callAsync(functionBody, arguments, completion)
  }

  private func evaluate(_ source: String, _ completion: @escaping WebViewSession.Completion) {
    call("evaluate", ["source": .string(source)], completion)
  }

  private func callAsync(
    _ body: String, _ arguments: [String: Any], _ completion: @escaping WebViewSession.Completion
  ) {
    guard let values = WireValue(foundationObject: arguments) else {
      let failure = ScriptFailure(
        code: WKError.Code.javaScriptExceptionOccurred.rawValue,
        message: "Function argument values must be one of the following types, or contain only the following "
          + "types: NSNumber, NSNull, NSDate, NSString, NSArray, and NSDictionary",
        line: nil, column: nil, sourceURL: nil, detail: nil)
      return host.later { completion(.failure(WKError(failure))) }
    }
    call("callAsync", ["source": .string(body), "arguments": values], completion)
  }

  private func call(
    _ method: String, _ params: WireValue, _ completion: @escaping WebViewSession.Completion
  ) {
    guard !session.isEnded else {
      return host.later { completion(.failure(WKError(.webContentProcessTerminated))) }
    }
    session.call(method, params, completion)
  }

  private func answer(_ call: (@escaping WebViewSession.Completion) -> Void) async throws -> sending Any? {
    let value = try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<ForeignValue, any Error>) in
      call { result in
        continuation.resume(with: result.map { ForeignValue(value: $0.object) }.mapError { $0 })
      }
    }
    // Nobody else holds the graph: it was made for this answer.
    nonisolated(unsafe) let object = value.value
    return object
  }
}
