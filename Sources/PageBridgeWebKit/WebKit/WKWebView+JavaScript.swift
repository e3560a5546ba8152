extension WKWebView {
  /// Runs a script in the page and gives its completion value.
  ///
  /// Values are those of ``WKScriptMessage/body``; `undefined` is nil without an error.
  ///
  /// The completion handler runs once, later, on the main actor, with a value, a ``WKError`` or an ``EvaluationError``. See
  /// Apple's page "evaluateJavaScript(_:completionHandler:)".
  public func evaluateJavaScript(
    _ javaScriptString: String,
    completionHandler: (@MainActor @Sendable (Any?, (any Error)?) -> Void)? = nil
  ) {
    evaluate(javaScriptString, nil, .page) { result in
      switch result {
      case .success(let value): completionHandler?(value.object, nil)
      case .failure(let error): completionHandler?(nil, error)
      }
    }
  }

  /// Runs a script in the page and answers its completion value; `undefined` is nil.
  ///
  /// Where the page's policy forbids `eval`, only expressions have a value; see ``evaluationWay``.
  ///
  /// - Throws: ``WKError``, or ``EvaluationError`` if the page does not let it run.
  @discardableResult
  public func evaluateJavaScript(_ javaScriptString: String) async throws -> sending Any? {
    try await answer { self.evaluate(javaScriptString, nil, .page, $0) }
  }

  /// Runs a script in a frame and a world and gives its completion value.
  ///
  /// - Parameters:
  ///   - javaScript: the text of a classic script.
  ///   - frame: a frame of the page that has its bridge; nil is the main frame.
  ///   - contentWorld: whose global names it sees.
  ///   - completionHandler: runs once, later, on the main actor; `undefined` is `Optional<Any>.none` as `Any`. A frame
  ///     that is gone gives ``WKError`` `javaScriptInvalidFrameTarget`.
  public func evaluateJavaScript(
    _ javaScript: String, in frame: WKFrameInfo? = nil, in contentWorld: WKContentWorld,
    completionHandler: (@MainActor @Sendable (Result<Any, any Error>) -> Void)? = nil
  ) {
    evaluate(javaScript, frame, contentWorld) { result in
      completionHandler?(result.map { $0.object as Any })
    }
  }

  /// Runs a script in a frame and a world and answers its completion value.
  ///
  /// - Throws: ``WKError``; `javaScriptInvalidFrameTarget` for a frame that is gone or has no bridge. ``EvaluationError``.
  @discardableResult
  public func evaluateJavaScript(
    _ javaScriptString: String, in frame: WKFrameInfo? = nil, contentWorld: WKContentWorld
  ) async throws -> sending Any? {
    try await answer { self.evaluate(javaScriptString, frame, contentWorld, $0) }
  }

  /// Runs the body of an asynchronous function in the page, with arguments by name, and answers what it resolves to.
  ///
  /// - Throws: ``WKError``; code 4 when an argument is of a type that does not cross. ``EvaluationError``.
  @discardableResult
  public func callAsyncJavaScript(
    _ functionBody: String, arguments: [String: Any] = [:], in frame: WKFrameInfo? = nil,
    contentWorld: WKContentWorld
  ) async throws -> sending Any? {
    try await answer { self.callAsync(functionBody, arguments, frame, contentWorld, $0) }
  }

  /// Runs the body of an asynchronous function in the page, with arguments by name.
  ///
  /// The completion handler runs once, later, on the main actor; `undefined` is `Optional<Any>.none` as `Any`. There is no
  /// timeout: while the promise is not settled the call is open, until its document is replaced or the session ends.
  public func callAsyncJavaScript(
    _ functionBody: String, arguments: [String: Any] = [:], in frame: WKFrameInfo? = nil,
    in contentWorld: WKContentWorld,
    completionHandler: (@MainActor @Sendable (Result<Any, any Error>) -> Void)? = nil
  ) {
    let completion: WebViewSession.Completion = { result in
      completionHandler?(result.map { $0.object as Any })
    }
    callAsync(functionBody, arguments, frame, contentWorld, completion)
  }

  /// Calls a function that the page has registered with `pagebridge.register(name, function)`, and answers what it gives; a
  /// promise is awaited.
  ///
  /// It works under every policy of the page, and with `data-evaluate="registered"` nothing else does. Apple has no such call.
  ///
  /// - Parameters:
  ///   - name: the name that the page registered.
  ///   - arguments: values of the types that ``callAsyncJavaScript(_:arguments:in:contentWorld:)`` takes; nil is `undefined`.
  /// - Throws: ``EvaluationError`` `notRegistered` or `scriptsRefused`; ``WKError`` code 4 when the function throws, its
  ///   promise is rejected or an argument does not cross, code 5 when its result does not.
  @discardableResult
  public func callRegisteredFunction(_ name: String, arguments: [Any?] = []) async throws -> sending Any? {
    try await answer { self.callRegistered(name, arguments, $0) }
  }

  /// Calls a function that the page has registered with `pagebridge.register(name, function)`.
  ///
  /// The completion handler runs once, later, on the main actor; `undefined` is `Optional<Any>.none` as `Any`.
  public func callRegisteredFunction(
    _ name: String, arguments: [Any?] = [],
    completionHandler: (@MainActor @Sendable (Result<Any, any Error>) -> Void)?
  ) {
    callRegistered(name, arguments) { result in
      completionHandler?(result.map { $0.object as Any })
    }
  }

  private func callRegistered(
    _ name: String, _ arguments: [Any?], _ completion: @escaping WebViewSession.Completion
  ) {
    guard let values = WireValue(foundationObject: arguments as [Any]) else {
      return refuseArguments(completion)
    }
    call(
      "callRegistered", [.init("name", .string(name)), .init("arguments", values)], nil, .page, completion)
  }

  /// Ends a call whose arguments do not cross, as WebKit does.
  private func refuseArguments(_ completion: @escaping WebViewSession.Completion) {
    let failure = ScriptFailure(
      code: WKError.Code.javaScriptExceptionOccurred.rawValue,
      message: "Function argument values must be one of the following types, or contain only the following "
        + "types: NSNumber, NSNull, NSDate, NSString, NSArray, and NSDictionary",
      line: nil, column: nil, sourceURL: nil, detail: nil)
    host.later { completion(.failure(WKError(failure))) }
  }

  private func evaluate(
    _ source: String, _ frame: WKFrameInfo?, _ world: WKContentWorld,
    _ completion: @escaping WebViewSession.Completion
  ) {
    call("evaluate", [.init("source", .string(source))], frame, world, completion)
  }

  private func callAsync(
    _ body: String, _ arguments: [String: Any], _ frame: WKFrameInfo?, _ world: WKContentWorld,
    _ completion: @escaping WebViewSession.Completion
  ) {
    guard let values = WireValue(foundationObject: arguments) else { return refuseArguments(completion) }
    call(
      "callAsync", [.init("source", .string(body)), .init("arguments", values)], frame, world, completion)
  }

  private func call(
    _ method: String, _ members: [WireValue.Member], _ frame: WKFrameInfo?, _ world: WKContentWorld,
    _ completion: @escaping WebViewSession.Completion
  ) {
    var members = members
    if let frame {
      guard frame.webView === self, frame.isMainFrame || frame.frameID != nil else {
        return host.later { completion(.failure(WKError(.javaScriptInvalidFrameTarget))) }
      }
      if let id = frame.frameID { members.append(.init("frame", .string(id))) }
    }
    if let name = world.wireName { members.append(.init("world", .string(name))) }
    guard !session.isEnded else {
      return host.later { completion(.failure(WKError(.webContentProcessTerminated))) }
    }
    session.call(method, .object(members), timeout: callTimeout, completion)
  }

  private func answer(_ call: (@escaping WebViewSession.Completion) -> Void) async throws -> sending Any? {
    let value = try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<HandedValue, any Error>) in
      call { result in
        continuation.resume(with: result.map { HandedValue(value: $0.object) })
      }
    }
    // Nobody else holds the graph: it was made for this answer.
    nonisolated(unsafe) let object = value.value
    return object
  }
}

/// A value on its way out of a continuation.
///
/// Sendable unchecked: it is handed over once, on the main actor.
private struct HandedValue: @unchecked Sendable {
  let value: Any?
}
