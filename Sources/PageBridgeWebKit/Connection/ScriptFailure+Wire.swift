import BridgeProtocol
import BridgeSession

extension ScriptFailure {
  /// Reads the `error` member of a page's answer.
  init(answer bytes: [UInt8]) throws(WireError) {
    let error = try WireValue(json: bytes)
    let code = error["code"]?.number.flatMap { Int(whole: $0) } ?? 1
    let data = error["data"]
    let message = error["message"]?.string
    switch code {
    case 4, 12:
      self.init(
        code: code, message: message, line: data?["line"]?.number.flatMap { Int(whole: $0) } ?? 0,
        column: data?["column"]?.number.flatMap { Int(whole: $0) } ?? 0,
        sourceURL: data?["sourceURL"]?.string)
    case 2: self.init(code: 2, detail: message)
    case 5: self.init(code: 5)
    case _ where EvaluationError.Code.all.contains { $0.rawValue == code }:
      self.init(code: code, detail: message)
    default: self.init(code: 1, detail: message)
    }
  }

  init(code: Int, detail: String? = nil) {
    self.init(code: code, message: nil, line: nil, column: nil, sourceURL: nil, detail: detail)
  }

  /// The error that the app gets; the context is told where WebKit has no such error.
  func error(context: String) -> any Error {
    guard let code = EvaluationError.Code.all.first(where: { $0.rawValue == code }) else {
      return WKError(self)
    }
    let error = EvaluationError(code, detail ?? "", context: context)
    // In WebKit too a script may meet a policy; that the view's own scripts do is told as an exception.
    return code == .blockedByPolicy ? WKError(blocked: error) : error
  }

  /// The page that was asked is no longer the session's.
  static let pageReplaced = ScriptFailure(
    code: 4, message: "Completion handler for function call is no longer reachable", line: 0, column: 0,
    sourceURL: nil, detail: nil)
}

extension CallOutcome {
  /// Reads how a call ended.
  ///
  /// - Throws: ``WireError`` when the page's answer has the wrong shape.
  init(_ end: HostSession.CallEnd) throws(WireError) {
    switch end {
    case .result(let bytes):
      self = .value(ForeignValue(try WireValue(json: bytes)))
    case .error(let bytes): self = .failure(try ScriptFailure(answer: bytes))
    case .pageReplaced: self = .failure(.pageReplaced)
    case .pageGone: self = .failure(ScriptFailure(code: 2))
    case .refused(let error): self = .failure(ScriptFailure(code: 1, detail: error.description))
    }
  }
}
