import PageBridgeWebKit

/// One envelope between page and host.
public struct BridgeMessage: Hashable, Sendable {
  /// What an envelope is.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// From the page; wants one response.
    case request
    /// From the host; the one answer to a request.
    case response
    /// Either way; wants no answer.
    case event
  }

  /// How a request ended.
  public enum Status: String, Hashable, Sendable, CaseIterable {
    /// It has a result: the payload's ``Payload/data``.
    case success
    /// It failed; the payload's ``Payload/error`` says why.
    case error
    /// The user did not want to; `reason` in the payload's data may say more.
    case cancelled
    /// The host does not offer the action.
    case unsupported
  }

  /// What an envelope holds.
  public struct Payload: Hashable, Sendable {
    /// What is asked for or told, dot-separated, such as `camera.document.capture`.
    public var action: String
    /// A request's arguments, a response's result or an event's data.
    public var data: [String: JSONValue]?
    /// How the request ended; responses only.
    public var status: Status?
    /// Why it failed; responses with the status `error` or `unsupported` only.
    public var error: BridgeError?

    /// Makes a payload.
    public init(
      action: String, data: [String: JSONValue]? = nil, status: Status? = nil, error: BridgeError? = nil
    ) {
      self.action = action
      self.data = data
      self.status = status
      self.error = error
    }
  }

  /// The version of the protocol that this host speaks.
  public static let currentVersion = "1.0"

  /// The protocol's version that the sender named; nil counts as the current one.
  public var version: String?
  /// Whether it is a request, a response or an event.
  public var type: Kind
  /// Pairs a response with its request; unique for events of the host.
  public var correlationId: String
  /// The action and what belongs to it.
  public var payload: Payload

  /// Makes an envelope of the current version.
  public init(
    version: String? = BridgeMessage.currentVersion, type: Kind, correlationId: String, payload: Payload
  ) {
    self.version = version
    self.type = type
    self.correlationId = correlationId
    self.payload = payload
  }

  /// About how many bytes of values the message holds.
  var byteCount: Int {
    (payload.data.map { JSONValue.object($0).byteCount } ?? 0) + correlationId.utf8.count
      + payload.action.utf8.count + (payload.error?.message.utf8.count ?? 0)
  }

  /// The envelope as the bridge carries it; what is nil is left out.
  var wireValue: WireValue {
    var payload: [WireValue.Member] = [.init("action", .string(self.payload.action))]
    if let status = self.payload.status { payload.append(.init("status", .string(status.rawValue))) }
    if let data = self.payload.data { payload.append(.init("data", JSONValue.object(data).wireValue)) }
    if let error = self.payload.error {
      payload.append(
        .init(
          "error",
          [
            "code": .string(error.code.rawValue), "message": .string(error.message),
            "recoverable": .bool(error.recoverable),
          ]))
    }
    var members: [WireValue.Member] = []
    if let version { members.append(.init("version", .string(version))) }
    members.append(.init("type", .string(type.rawValue)))
    members.append(.init("correlationId", .string(correlationId)))
    members.append(.init("payload", .object(payload)))
    return .object(members)
  }
}
