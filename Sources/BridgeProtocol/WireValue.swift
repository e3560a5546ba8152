/// A JavaScript value as the bridge carries it, in either direction.
///
/// It is JSON with JavaScript's further values tagged: see ``WireValue/init(json:enclosing:)`` for the notation. Object members
/// keep their order; a later member of the same name wins when a host turns the object into a dictionary.
public enum WireValue: Hashable, Sendable {
  /// What a function without a result gives, and what a missing member reads as; a host has it as nil.
  case undefined
  /// JavaScript's null; a host has it as `NSNull`.
  case null
  /// True or false, never the numbers 1 and 0.
  case bool(Bool)
  /// Any of JavaScript's numbers; NaN, the infinities and -0 keep what they are.
  case number(Double)
  /// A text of Unicode scalars; what JavaScript holds as an unpaired surrogate is U+FFFD here.
  case string(String)
  /// Milliseconds since 1970 in UTC; NaN for an invalid date.
  case date(milliseconds: Double)
  /// Elements in their order; a hole of the page's array is ``undefined``.
  case array([WireValue])
  /// Members in the order in which the page or the host wrote them.
  case object([Member])

  /// One member of an object.
  public struct Member: Hashable, Sendable {
    /// The member's name.
    public var name: String
    /// What it holds.
    public var value: WireValue

    /// Makes a member.
    public init(_ name: String, _ value: WireValue) {
      self.name = name
      self.value = value
    }
  }

  /// The value of an object's last member of that name.
  public subscript(name: String) -> WireValue? {
    guard case .object(let members) = self else { return nil }
    return members.last { $0.name == name }?.value
  }

  /// The text, if this is a string.
  public var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The number, if this is one; booleans are none.
  public var number: Double? {
    if case .number(let number) = self { number } else { nil }
  }

  /// The boolean, if this is one; numbers are none.
  public var bool: Bool? {
    if case .bool(let flag) = self { flag } else { nil }
  }

  /// The elements, if this is an array.
  public var array: [WireValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The members, if this is an object.
  public var object: [Member]? {
    if case .object(let members) = self { members } else { nil }
  }
}

extension WireValue: ExpressibleByStringLiteral, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral,
  ExpressibleByNilLiteral
{
  /// Makes a text.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Makes a number.
  public init(floatLiteral value: Double) { self = .number(value) }
  /// Makes a number.
  public init(integerLiteral value: Int) { self = .number(Double(value)) }
  /// Makes a truth value.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Makes an array.
  public init(arrayLiteral elements: WireValue...) { self = .array(elements) }
  /// Makes null.
  public init(nilLiteral: ()) { self = .null }

  /// Makes an object, its members in the order given.
  public init(dictionaryLiteral elements: (String, WireValue)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }
}

extension Int {
  /// The number as an integer, if it is a whole one that JavaScript holds exactly (up to 2^53 - 1).
  public init?(whole number: Double) {
    guard number > -9_007_199_254_740_992, number < 9_007_199_254_740_992 else { return nil }
    self.init(number)
    guard Double(self) == number else { return nil }
  }
}
