import Foundation

/// Foundation objects as commands name them: JSON, and one-member objects for what JSON lacks or what is long.
///
/// `{"$date": seconds}`, `{"$num": "NaN"}`, `{"$int64": text}`, `{"$data": hex}`, `{"$native": any}`, `{"$nil": true}`,
/// `{"$dict": pairs}`, `{"$repeat": [text, count]}`, `{"$seq": [from, to]}`, `{"$keys": [prefix, from, to]}`,
/// `{"$times": [value, count]}`, `{"$utf16": units}`, `{"$nest": ["array", depth, leaf]}`, `{"$deep": levels}`,
/// `{"$text": bytes}` and `{"$file": path}`.
enum Notation {
  static func object(_ value: JSONValue) -> Any? {
    switch value {
    case .null: NSNull()
    case .bool(let flag): flag
    case .number(let number): number
    case .string(let text): text
    case .array(let elements): elements.map { object($0) ?? NSNull() }
    case .object(let members): members.count == 1 ? special(members) : plain(members)
    }
  }

  private static func special(_ members: [String: JSONValue]) -> Any? {
    let (key, value) = members.first!
    let parts = value.array ?? []
    switch key {
    case "$nil": return nil
    case "$date": return Date(timeIntervalSince1970: value.number ?? .nan)
    case "$num":
      return ["-0": -0.0, "NaN": .nan, "Infinity": .infinity][value.string ?? ""] ?? -Double.infinity
    case "$int64": return value.string.flatMap(Int64.init)
    case "$data": return data(value.string ?? "")
    case "$native": return URL(string: "http://native.test/")
    case "$dict":
      return plain(
        Dictionary(parts.map { ($0.array?[0].string ?? "", $0.array?[1] ?? .null) }) { _, last in last })
    case "$deep":
      // That many arrays, one in another.
      var nested: Any = 0
      for _ in 0..<(value.int ?? 0) { nested = [nested] }
      return nested
    case "$text":
      // A text of that many bytes, each a letter by its place.
      return String(
        decoding: (0..<(value.int ?? 0)).map { UInt8(ascii: "a") + UInt8($0 % 26) }, as: UTF8.self)
    case "$file":
      // A file's text: commands are lines, and some texts have millions of characters.
      return FileManager.default.contents(atPath: value.string ?? "").map {
        String(decoding: $0, as: UTF8.self)
      }
    case "$repeat": return String(repeating: parts[0].string ?? "", count: parts[1].int ?? 0)
    case "$seq": return range(parts[0], parts[1]).map(Double.init)
    case "$keys":
      return Dictionary(
        uniqueKeysWithValues: range(parts[1], parts[2]).map { ("\(parts[0].string ?? "")\($0)", Double($0)) })
    case "$times": return Array(repeating: object(parts[0]) ?? NSNull(), count: parts[1].int ?? 0)
    case "$utf16": return String(decoding: parts.map { UInt16($0.int ?? 0) }, as: UTF16.self)
    case "$nest":
      var nested = object(parts[2]) ?? NSNull()
      for _ in 0..<(parts[1].int ?? 0) { nested = [nested] }
      return nested
    default: return plain(members)
    }
  }

  private static func plain(_ members: [String: JSONValue]) -> Any {
    members.compactMapValues(object)
  }

  private static func range(_ first: JSONValue, _ last: JSONValue) -> ClosedRange<Int> {
    (first.int ?? 0)...(last.int ?? 0)
  }

  private static func data(_ hex: String) -> Data {
    let digits = hex.compactMap(\.hexDigitValue)
    return Data(stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) })
  }
}
