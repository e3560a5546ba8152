import Foundation
import PageBridgeWebKit

/// Why what a page posted is no envelope.
struct BridgeDecodingError: Error, Hashable, Sendable {
  /// What the page is told, if it can be.
  var code: BridgeErrorCode
  /// What is wrong with which member.
  var reason: String
  /// Whom an answer would be for; nil if none can be given: the id is unreadable, or nothing waits for an answer.
  var correlationId: String?
  /// What was asked for, as far as that is readable.
  var action: String?

  init(_ reason: String, code: BridgeErrorCode = .invalidRequest) {
    self.code = code
    self.reason = reason
  }
}

extension BridgeMessage {
  /// Reads what a page posted: an object, or the same as JSON text.
  ///
  /// Further members are passed over. A missing or null `version` is the current one.
  init(body: WireValue) throws(BridgeDecodingError) {
    let value: JSONValue?
    if case .string(let text) = body {
      value = try Self.parsed(text)
    } else {
      value = try JSONValue(body)
    }
    guard case .object(let members)? = value else {
      throw BridgeDecodingError("it is no object")
    }
    do throws(BridgeDecodingError) {
      try self.init(members: members)
    } catch {
      throw Self.addressed(error, members)
    }
  }

  private init(members: [String: JSONValue]) throws(BridgeDecodingError) {
    correlationId = try Self.text(
      "correlationId", of: members, limit: BridgeLimits.correlationIDBytes)
    version = try Self.version(members["version"])
    let name = try Self.text("type", of: members, limit: BridgeLimits.actionBytes)
    guard let kind = Kind(rawValue: name) else { throw BridgeDecodingError("type '\(name)' is unknown") }
    type = kind
    guard let payload = members["payload"] else { throw BridgeDecodingError("payload is missing") }
    guard let inner = payload.object else { throw BridgeDecodingError("payload is no object") }
    let action = try Self.text("action", of: inner, in: "payload.", limit: BridgeLimits.actionBytes)
    let data: [String: JSONValue]?
    switch inner["data"] {
    case nil, .null?: data = nil
    case .object(let members)?: data = members
    default: throw BridgeDecodingError("payload.data is no object")
    }
    self.payload = Payload(action: action, data: data, status: inner["status"]?.string.flatMap(Status.init))
  }

  private static func parsed(_ text: String) throws(BridgeDecodingError) -> JSONValue {
    do {
      let value = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
      guard value.isNested(within: BridgeLimits.depth) else {
        throw BridgeDecodingError("it nests deeper than \(BridgeLimits.depth) levels")
      }
      return value
    } catch let error as BridgeDecodingError {
      throw error
    } catch {
      throw BridgeDecodingError("the text is no JSON")
    }
  }

  private static func version(_ value: JSONValue?) throws(BridgeDecodingError) -> String? {
    switch value {
    case nil, .null?: return nil
    case .string(let text)?:
      guard let major = text.split(separator: ".", omittingEmptySubsequences: false).first, Int(major) != nil
      else { throw BridgeDecodingError("version is no version") }
      guard major == currentVersion.split(separator: ".").first else {
        throw BridgeDecodingError(
          "the page speaks version \(text.prefix(16)), the host \(currentVersion)", code: .versionMismatch)
      }
      return text
    default: throw BridgeDecodingError("version is no text")
    }
  }

  private static func text(
    _ name: String, of members: [String: JSONValue], in path: String = "", limit: Int
  ) throws(BridgeDecodingError) -> String {
    guard let value = members[name] else { throw BridgeDecodingError("\(path)\(name) is missing") }
    guard let text = value.string else { throw BridgeDecodingError("\(path)\(name) is no text") }
    guard !text.isEmpty else { throw BridgeDecodingError("\(path)\(name) is empty") }
    guard text.utf8.count <= limit else {
      throw BridgeDecodingError("\(path)\(name) is longer than \(limit) bytes")
    }
    return text
  }

  /// Names whom an answer would be for: whoever can be reached and may wait, so neither events nor responses.
  private static func addressed(
    _ error: BridgeDecodingError, _ members: [String: JSONValue]
  ) -> BridgeDecodingError {
    guard let id = members["correlationId"]?.string, !id.isEmpty,
      id.utf8.count <= BridgeLimits.correlationIDBytes,
      members["type"]?.string.flatMap(Kind.init) ?? .request == .request
    else { return error }
    var addressed = error
    addressed.correlationId = id
    addressed.action = members["payload"]?["action"]?.string
    return addressed
  }
}

extension JSONValue {
  fileprivate func isNested(within depth: Int) -> Bool {
    guard depth >= 0 else { return false }
    switch self {
    case .null, .bool, .number, .string: return true
    case .array(let elements): return elements.allSatisfy { $0.isNested(within: depth - 1) }
    case .object(let members): return members.values.allSatisfy { $0.isNested(within: depth - 1) }
    }
  }
}
