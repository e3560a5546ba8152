import Foundation
import PageBridgeWebKit

extension JSONValue {
  /// Makes JSON of a page's value as `JSON.stringify` does: `undefined` members vanish and such elements are null, dates are
  /// ISO texts, and what is not finite is null. Nil for `undefined` itself.
  ///
  /// - Throws: ``BridgeDecodingError`` if it nests deeper than ``BridgeLimits/depth``.
  init?(_ value: WireValue, depth: Int = 0) throws(BridgeDecodingError) {
    guard depth <= BridgeLimits.depth else {
      throw BridgeDecodingError("it nests deeper than \(BridgeLimits.depth) levels")
    }
    switch value {
    case .undefined: return nil
    case .null: self = .null
    case .bool(let flag): self = .bool(flag)
    case .number(let number): self = number.isFinite ? .number(number) : .null
    case .string(let text): self = .string(text)
    case .date(let milliseconds):
      self = milliseconds.isFinite ? .string(Self.isoText(milliseconds)) : .null
    case .array(let elements):
      var converted: [JSONValue] = []
      converted.reserveCapacity(elements.count)
      for element in elements { converted.append(try JSONValue(element, depth: depth + 1) ?? .null) }
      self = .array(converted)
    case .object(let members):
      var converted: [String: JSONValue] = [:]
      for member in members {
        if let value = try JSONValue(member.value, depth: depth + 1) { converted[member.name] = value }
      }
      self = .object(converted)
    }
  }

  /// The value as the bridge carries it; members in the order of their names, so that the same value is the same text.
  var wireValue: WireValue {
    switch self {
    case .null: .null
    case .bool(let flag): .bool(flag)
    case .number(let number): .number(number)
    case .string(let text): .string(text)
    case .array(let elements): .array(elements.map(\.wireValue))
    case .object(let members):
      .object(members.sorted { $0.key < $1.key }.map { WireValue.Member($0.key, $0.value.wireValue) })
    }
  }

  private static func isoText(_ milliseconds: Double) -> String {
    Date(timeIntervalSince1970: milliseconds / 1_000).ISO8601Format(
      .init(includingFractionalSeconds: true))
  }
}
