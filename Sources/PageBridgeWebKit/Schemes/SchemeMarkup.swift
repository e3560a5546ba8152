/// Puts the served addresses in the place of an app's own (`scheme://host/path`) in text that a browser reads.
///
/// In HTML it is done inside tags and style elements, in style sheets everywhere; scripts stay as they are.
struct SchemeMarkup: Sendable {
  /// What each scheme's `scheme://` becomes.
  let replacements: [(from: [UInt8], to: [UInt8])]

  init(schemes: [String], session: String) {
    replacements = schemes.map { scheme in
      (Array("\(scheme)://".utf8), Array("/s/\(session)\(SchemeAddress.prefix)\(scheme)/".utf8))
    }
  }

  func styleSheet(_ text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count + 256)
    append(text[...], to: &result)
    return result
  }

  func html(_ text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count + 1_024)
    var position = 0
    while position < text.count {
      let open = text[position...].firstIndex(of: UInt8(ascii: "<")) ?? text.count
      result.append(contentsOf: text[position..<open])
      guard open < text.count else { break }
      let end = endOfTag(text, open)
      append(text[open..<end], to: &result)
      position = end
      if starts(text, open, "<script") {
        let close = find(text, end, "</script") ?? text.count
        result.append(contentsOf: text[end..<close])
        position = close
      } else if starts(text, open, "<style") {
        let close = find(text, end, "</style") ?? text.count
        append(text[end..<close], to: &result)
        position = close
      }
    }
    return result
  }

  /// Behind the tag or comment that begins there.
  private func endOfTag(_ text: [UInt8], _ open: Int) -> Int {
    if starts(text, open, "<!--") { return find(text, open + 4, "-->").map { $0 + 3 } ?? text.count }
    var quote: UInt8?
    var index = open + 1
    while index < text.count {
      let byte = text[index]
      index += 1
      if let mark = quote {
        if byte == mark { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: ">") {
        return index
      }
    }
    return text.count
  }

  /// Addresses begin behind a quote, a bracket, a comma, a space or an equals sign.
  private func append(_ text: ArraySlice<UInt8>, to result: inout [UInt8]) {
    var index = text.startIndex
    while index < text.endIndex {
      if index > text.startIndex, Self.isBorder(text[index - 1]),
        let found = replacements.first(where: { matches(text, index, $0.from) })
      {
        result.append(contentsOf: found.to)
        index += found.from.count
      } else {
        result.append(text[index])
        index += 1
      }
    }
  }

  private static func isBorder(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: "="), UInt8(ascii: ","),
      0x20, 0x09, 0x0A, 0x0D:
      true
    default: false
    }
  }

  private func matches(_ text: ArraySlice<UInt8>, _ index: Int, _ wanted: [UInt8]) -> Bool {
    guard index + wanted.count <= text.endIndex else { return false }
    return wanted.indices.allSatisfy { Self.lower(text[index + $0]) == wanted[$0] }
  }

  private func starts(_ text: [UInt8], _ index: Int, _ wanted: StaticString) -> Bool {
    guard index + wanted.utf8CodeUnitCount <= text.count else { return false }
    return (0..<wanted.utf8CodeUnitCount).allSatisfy { Self.lower(text[index + $0]) == wanted.utf8Start[$0] }
  }

  private func find(_ text: [UInt8], _ start: Int, _ wanted: StaticString) -> Int? {
    var index = start
    while index + wanted.utf8CodeUnitCount <= text.count {
      if starts(text, index, wanted) { return index }
      index += 1
    }
    return nil
  }

  private static func lower(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }
}
