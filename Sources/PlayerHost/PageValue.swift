import Foundation

/// Reads what a page posted (`WKScriptMessage.body`) without mixing up types: on Linux an untyped `true` also casts to
/// `1`, and `1` to `true`.
enum PageValue {
  /// The members, if the value is an object.
  static func object(_ value: Any?) -> [String: Any]? {
    value as? [String: Any]
  }

  /// The elements, if the value is an array.
  static func array(_ value: Any?) -> [Any]? {
    value as? [Any]
  }

  static func text(_ value: Any?) -> String? {
    value as? String
  }

  /// The finite number, if the value is one; a boolean is none.
  static func number(_ value: Any?) -> Double? {
    guard let value, !isBoolean(value), let number = value as? Double, number.isFinite else { return nil }
    return number
  }

  /// The truth value, if the value is one; a number is none.
  static func boolean(_ value: Any?) -> Bool? {
    guard let value, isBoolean(value) else { return nil }
    return value as? Bool
  }

  /// The value, unless it is absent or null.
  static func present(_ value: Any?) -> Any? {
    guard let value, !(value is NSNull) else { return nil }
    return value
  }

  private static func isBoolean(_ value: Any) -> Bool {
    if type(of: value) == Bool.self { return true }
    // Foundation marks its booleans by the C type of a char, which no number from a page has.
    guard let number = value as? NSNumber else { return false }
    return number.objCType.pointee == 0x63
  }
}
