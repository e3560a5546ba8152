/// What becomes of a request.
public enum BridgeResponse: Hashable, Sendable {
  /// It has a result.
  case success([String: JSONValue])
  /// It failed.
  case failure(BridgeError)
  /// The user, or whatever ended it, did not want it; the page sees `CANCELLED` with the reason.
  case cancelled(reason: String)
  /// The host cannot do it; the page sees `UNSUPPORTED` with the message.
  case unsupported(message: String)

  /// The payload of the response.
  func payload(for action: String) -> BridgeMessage.Payload {
    switch self {
    case .success(let data):
      BridgeMessage.Payload(action: action, data: data, status: .success)
    case .failure(let error):
      BridgeMessage.Payload(action: action, status: .error, error: error)
    case .cancelled(let reason):
      BridgeMessage.Payload(action: action, data: ["reason": .string(reason)], status: .cancelled)
    case .unsupported(let message):
      BridgeMessage.Payload(
        action: action, status: .unsupported, error: BridgeError(.unsupported, message))
    }
  }
}

/// Answers one request of a custom capability, now or later. The first answer counts.
///
/// Let go of without an answer, it answers `INTERNAL_ERROR`: nobody could do so any more.
@MainActor
public final class BridgeResponder {
  /// What is asked for.
  public let request: BridgeMessage
  private weak var host: BridgeHost?
  private var hasAnswered = false

  init(_ request: BridgeMessage, host: BridgeHost) {
    self.request = request
    self.host = host
  }

  isolated deinit {
    respond(.failure(BridgeError(.internalError, "The host gave no answer")))
  }

  /// Answers; says whether this answer is the one that counts.
  @discardableResult
  public func respond(_ response: BridgeResponse) -> Bool {
    guard !hasAnswered else { return false }
    hasAnswered = true
    return host?.respond(to: request, with: response) ?? false
  }

  /// Answers with a result.
  @discardableResult
  public func success(_ data: [String: JSONValue] = [:]) -> Bool { respond(.success(data)) }

  /// Answers with an error.
  @discardableResult
  public func failure(_ code: BridgeErrorCode, _ message: String) -> Bool {
    respond(.failure(BridgeError(code, message)))
  }

  /// Answers that it was cancelled.
  @discardableResult
  public func cancelled(reason: String) -> Bool { respond(.cancelled(reason: reason)) }

  /// Answers that the host cannot do it.
  @discardableResult
  public func unsupported(_ message: String) -> Bool { respond(.unsupported(message: message)) }
}
