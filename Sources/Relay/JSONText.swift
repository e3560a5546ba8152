import BridgeProtocol
import Foundation

/// Small JSON texts, written member by member in a fixed order.
struct JSONText {
  private(set) var text = "{"

  /// Adds a text.
  consuming func adding(_ name: StaticString, _ value: String?) -> JSONText {
    guard let value else { return self }
    return adding(name, raw: Self.quoted(value))
  }

  /// Adds an integer.
  consuming func adding(_ name: StaticString, _ value: Int?) -> JSONText {
    guard let value else { return self }
    return adding(name, raw: String(value))
  }

  /// Adds a boolean.
  consuming func adding(_ name: StaticString, _ value: Bool?) -> JSONText {
    guard let value else { return self }
    return adding(name, raw: value ? "true" : "false")
  }

  /// Adds a value that is JSON already.
  consuming func adding(_ name: StaticString, raw: String?) -> JSONText {
    guard let raw else { return self }
    text += text.utf8.count > 1 ? ",\"" : "\""
    text += String(describing: name)
    text += "\":"
    text += raw
    return self
  }

  /// The object.
  var object: String { text + "}" }

  /// The object as the only member of another.
  func wrapped(in name: StaticString) -> String { "{\"\(name)\":\(object)}" }

  /// The text as JSON writes it.
  static func quoted(_ value: String) -> String {
    if value.utf8.allSatisfy(isPlain) { return "\"" + value + "\"" }
    var result = "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      // The last two end a line in old JavaScript.
      case "\u{0}"..."\u{1F}", "\u{7F}", "\u{2028}", "\u{2029}":
        let hex = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// Whether the byte is ASCII that stands for itself.
  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  /// A list of values that are JSON already.
  static func array(_ items: [String]) -> String { "[" + items.joined(separator: ",") + "]" }
}

/// Cuts the text of a member out of a JSON object, so that it can be passed on as it came.
enum JSONSlice {
  /// Whether the text is one value as every reader of the bridge takes it.
  static func isStrict(_ text: [UInt8]) -> Bool {
    (try? WireValue(json: text)) != nil
  }

  /// Whether a name in quotation marks is that one; most hold no escapes.
  private static func isName(_ quoted: ArraySlice<UInt8>, _ name: String) -> Bool {
    guard quoted.contains(UInt8(ascii: "\\")) else {
      return quoted.dropFirst().dropLast().elementsEqual(name.utf8)
    }
    return (try? JSONDecoder().decode(String.self, from: Data(quoted))) == name
  }

  /// The bytes of a member's value; nil if the object has no such member. The text must be valid JSON.
  static func member(_ name: String, of object: some Collection<UInt8>) -> [UInt8]? {
    let bytes = Array(object)
    var position = 0
    func skipSpace() {
      while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
    }
    func skipString() {
      position += 1
      while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
        position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
      }
      position += 1
    }
    func skipValue() {
      var depth = 0
      while position < bytes.count {
        switch bytes[position] {
        case UInt8(ascii: "\""):
          skipString()
          if depth == 0 { return }
          continue
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          if depth == 0 { return }
          depth -= 1
          if depth == 0 {
            position += 1
            return
          }
        case UInt8(ascii: ",") where depth == 0: return
        default: break
        }
        position += 1
      }
    }
    skipSpace()
    guard position < bytes.count, bytes[position] == UInt8(ascii: "{") else { return nil }
    position += 1
    while position < bytes.count {
      skipSpace()
      guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return nil }
      let nameStart = position
      skipString()
      let nameBytes = bytes[nameStart..<min(position, bytes.count)]
      skipSpace()
      position += 1
      skipSpace()
      let start = position
      skipValue()
      var end = min(position, bytes.count)
      while end > start, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[end - 1]) { end -= 1 }
      if isName(nameBytes, name) { return Array(bytes[start..<end]) }
      skipSpace()
      guard position < bytes.count, bytes[position] == UInt8(ascii: ",") else { return nil }
      position += 1
    }
    return nil
  }
}
