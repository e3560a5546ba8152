import BridgeProtocol
import Foundation

/// ``WireValue`` against Foundation's reader of JSON, and against its own writer.
enum ValueFuzz {
  static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
    let text = Array(bytes)
    do throws(WireError) {
      let value = try WireValue(json: text)
      try roundTrip(value)
      if isComparable(text) {
        expect(JSONReading.accepts(text), "WireValue reads what is not JSON")
      }
    } catch {
      // Tags and depth are the bridge's own; what is no JSON must be none for Foundation either.
      if error.code == .malformed, isComparable(text) {
        expect(!JSONReading.accepts(text), "WireValue refuses JSON: \(error)")
      }
    }
  }

  private static func roundTrip(_ value: WireValue) throws(WireError) {
    var writer = JSONWriter()
    do throws(WireError) {
      try writer.value(value)
    } catch {
      expect(error.code == .tooDeep, "what was read cannot be written: \(error)")
      return
    }
    var second = JSONWriter()
    do throws(WireError) {
      try second.value(try WireValue(json: writer.bytes))
    } catch {
      expect(false, "what was written cannot be read: \(error)")
    }
    expect(second.bytes == writer.bytes, "a value changes when it is written and read")
  }

  /// Whether Foundation and the bridge must agree: no other encoding, no half of a surrogate pair, no number out of range,
  /// no depth that Foundation refuses, no comma before an end, which it takes and JSON does not.
  private static func isComparable(_ text: [UInt8]) -> Bool {
    guard !text.starts(with: [0xEF, 0xBB, 0xBF]), !text.contains(0) else { return false }
    var depth = 0
    var digits = 0
    var last: UInt8 = 0
    for (index, byte) in text.enumerated() {
      switch byte {
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        depth += 1
        if depth > 400 { return false }
      case UInt8(ascii: "e"), UInt8(ascii: "E"):
        // Only an exponent follows a digit, and one may be out of range.
        if index > 0, isDigit(text[index - 1]) { return false }
      case UInt8(ascii: "]"), UInt8(ascii: "}"): if last == UInt8(ascii: ",") { return false }
      case UInt8(ascii: "\\"):
        if index + 1 < text.count, text[index + 1] == UInt8(ascii: "u") { return false }
      default: break
      }
      if ![0x20, 0x09, 0x0A, 0x0D].contains(byte) { last = byte }
      digits = isDigit(byte) ? digits + 1 : 0
      if digits > 200 { return false }
    }
    return true
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
}

/// Foundation's opinion of texts.
enum JSONReading {
  /// Whether the text is JSON of any kind.
  static func accepts(_ text: some Sequence<UInt8>) -> Bool {
    (try? JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)) != nil
  }
}
