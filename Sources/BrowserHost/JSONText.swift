import PageBridgeWebKit

/// A value as people write JSON, cut where it gets long or deep. What JSON has no form for stands by its name.
struct JSONText {
  private static let longest = 400
  private static let deepest = 12

  private(set) var text = ""

  init(_ value: WireValue) {
    write(value, depth: 0)
  }

  /// Whether there is room for more.
  private var isFull: Bool { text.utf8.count > Self.longest }

  private mutating func write(_ value: WireValue, depth: Int) {
    guard !isFull else { return }
    switch value {
    case .undefined: text += "undefined"
    case .null: text += "null"
    case .bool(let flag): text += flag ? "true" : "false"
    case .number(let number): write(number)
    case .string(let string): write(string)
    case .date(let milliseconds):
      text +=
        milliseconds.isFinite
        ? Date(timeIntervalSince1970: milliseconds / 1_000).ISO8601Format() : "invalid date"
    case .array(let elements): write(elements, "[", "]", depth) { $0.write($1, depth: depth + 1) }
    case .object(let members):
      write(members, "{", "}", depth) {
        $0.write($1.name)
        $0.text += ": "
        $0.write($1.value, depth: depth + 1)
      }
    }
  }

  private mutating func write<Element>(
    _ elements: [Element], _ start: String, _ end: String, _ depth: Int,
    each: (inout JSONText, Element) -> Void
  ) {
    text += start
    if depth >= Self.deepest, !elements.isEmpty {
      text += "…"
    } else {
      for (index, element) in elements.enumerated() {
        if index > 0 { text += ", " }
        guard !isFull else {
          text += "…"
          break
        }
        each(&self, element)
      }
    }
    text += end
  }

  private mutating func write(_ number: Double) {
    text += number == number.rounded() && abs(number) < 1e15 ? String(Int64(number)) : "\(number)"
  }

  private mutating func write(_ string: String) {
    text += "\""
    let room = max(0, Self.longest - text.utf8.count)
    for character in string.unicodeScalars.prefix(room) {
      switch character {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      default: text.unicodeScalars.append(character)
      }
    }
    if string.unicodeScalars.count > room { text += "…" }
    text += "\""
  }
}
