import Foundation

/// A JSON value (RFC 8259), typed: a number is never a boolean.
public enum JSONValue: Hashable, Sendable {
  /// JSON's null, which is not an absent member.
  case null
  /// True or false.
  case bool(Bool)
  /// Numbers are doubles, since those of a page are.
  case number(Double)
  /// A text.
  case string(String)
  /// Elements in their order.
  case array([JSONValue])
  /// Members by their names, without an order.
  case object([String: JSONValue])

  /// The member of that name, if this is an object that has it.
  public subscript(name: String) -> JSONValue? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  /// The boolean, if this is one; numbers are none.
  public var bool: Bool? {
    if case .bool(let flag) = self { flag } else { nil }
  }

  /// The number, if this is one; booleans are none.
  public var number: Double? {
    if case .number(let number) = self { number } else { nil }
  }

  /// The text, if this is a string.
  public var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The elements, if this is an array.
  public var array: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The members, if this is an object.
  public var object: [String: JSONValue]? {
    if case .object(let members) = self { members } else { nil }
  }

  /// About how many bytes the value takes as text: those of its strings and names, and eight for everything else.
  var byteCount: Int {
    switch self {
    case .null, .bool, .number: 8
    case .string(let text): text.utf8.count + 8
    case .array(let elements): elements.reduce(8) { $0 + $1.byteCount }
    case .object(let members): members.reduce(8) { $0 + $1.key.utf8.count + $1.value.byteCount }
    }
  }
}

extension JSONValue: Codable {
  /// Decodes typed: null, then boolean, then number, so that neither passes for another.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let flag = try? container.decode(Bool.self) {
      self = .bool(flag)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let text = try? container.decode(String.self) {
      self = .string(text)
    } else if let elements = try? container.decode([JSONValue].self) {
      self = .array(elements)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let flag): try container.encode(flag)
    case .number(let number): try container.encode(number)
    case .string(let text): try container.encode(text)
    case .array(let elements): try container.encode(elements)
    case .object(let members): try container.encode(members)
    }
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral,
  ExpressibleByNilLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(floatLiteral value: Double) { self = .number(value) }
  public init(integerLiteral value: Int) { self = .number(Double(value)) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  public init(nilLiteral: ()) { self = .null }

  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }
}
