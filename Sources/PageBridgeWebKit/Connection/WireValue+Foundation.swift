import BridgeProtocol
import Foundation

extension WireValue {
  /// The value as WebKit hands JavaScript values to Swift.
  ///
  /// Numbers are double-backed `NSNumber`s, booleans boolean-backed ones, so that `as? Int`, `as? Double` and `as? Bool`
  /// behave as on Apple's systems; texts are `String`, dates `Date`, arrays `[Any]`, objects `[String: Any]`, null is
  /// `NSNull`. `undefined` is nil, left out of objects and `NSNull` inside arrays.
  var foundationObject: Any? {
    switch self {
    case .undefined: nil
    case .null: NSNull()
    case .bool(let flag): NSNumber(value: flag)
    case .number(let number): NSNumber(value: number)
    case .string(let text): text
    case .date(let milliseconds): Date(timeIntervalSince1970: milliseconds / 1_000)
    case .array(let elements): elements.map { $0.foundationObject ?? NSNull() }
    case .object(let members):
      members.reduce(into: [String: Any](minimumCapacity: members.count)) { dictionary, member in
        // An undefined member is absent, and so is an earlier one of its name.
        dictionary[member.name] = member.value.foundationObject
      }
    }
  }

  /// Makes a value of the types that may cross to a page: numbers, text, dates, `NSNull`, arrays and dictionaries with
  /// text keys, nested as they like. Nil for anything else.
  init?(foundationObject object: Any?) {
    guard let object else {
      self = .undefined
      return
    }
    switch object {
    case let value as WireValue: self = value
    case let text as String: self = .string(text)
    case let number as NSNumber:
      self = number.isBoolean ? .bool(number.boolValue) : .number(number.doubleValue)
    case is NSNull: self = .null
    case let date as Date: self = .date(milliseconds: date.timeIntervalSince1970 * 1_000)
    case let elements as [Any]:
      var values: [WireValue] = []
      values.reserveCapacity(elements.count)
      for element in elements {
        guard let value = WireValue(foundationObject: element) else { return nil }
        values.append(value)
      }
      self = .array(values)
    case let dictionary as [String: Any]:
      var members: [Member] = []
      members.reserveCapacity(dictionary.count)
      for (name, element) in dictionary {
        guard let value = WireValue(foundationObject: element) else { return nil }
        members.append(Member(name, value))
      }
      self = .object(members)
    default:
      // An optional without a value that was stored as Any.
      let mirror = Mirror(reflecting: object)
      guard mirror.displayStyle == .optional, mirror.children.isEmpty else { return nil }
      self = .undefined
    }
  }
}

extension NSNumber {
  /// Whether the number was made from a truth value and not from a count.
  var isBoolean: Bool { type(of: self) == type(of: NSNumber(value: true)) }
}
