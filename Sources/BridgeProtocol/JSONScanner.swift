/// A reader of JSON text (RFC 8259) that walks by position, so that an envelope is read without its payload.
///
/// Foundation's readers stop at 512 levels, take `true` for 1 in untyped values and build every member; a bridge needs
/// thousands of levels, typed values and members left alone. The scanner is iterative throughout and never reads past the end.
struct JSONScanner {
  let bytes: UnsafeBufferPointer<UInt8>
  var position = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { position >= bytes.count }

  @inline(__always)
  mutating func skipWhitespace() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      default: return
      }
    }
  }

  /// The next byte that is no white space, left unread.
  @inline(__always)
  mutating func peek() throws(WireError) -> UInt8 {
    skipWhitespace()
    guard position < bytes.count else { throw malformed("the text ends too early") }
    return bytes[position]
  }

  @inline(__always)
  mutating func consume(_ byte: UInt8) throws(WireError) {
    guard try peek() == byte else { throw malformed("expected '\(Character(UnicodeScalar(byte)))'") }
    position += 1
  }

  mutating func consumeLiteral(_ literal: StaticString) throws(WireError) {
    let count = literal.utf8CodeUnitCount
    guard position + count <= bytes.count else { throw malformed("the text ends too early") }
    for index in 0..<count where bytes[position + index] != literal.utf8Start[index] {
      throw malformed("unknown word")
    }
    position += count
  }

  func malformed(_ what: String) -> WireError {
    WireError(.malformed, "not JSON: \(what)", context: "at byte \(position) of \(bytes.count)")
  }

  /// Reads a string, its escapes undone; an unpaired surrogate becomes U+FFFD, which is all that a Swift string can hold.
  mutating func string() throws(WireError) -> String {
    try consume(UInt8(ascii: "\""))
    let start = position
    // Most strings hold no escape: one pass finds the end, one call checks and copies.
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") {
        defer { position += 1 }
        return try text(start..<position)
      }
      if byte == UInt8(ascii: "\\") { break }
      guard byte >= 0x20 else { throw malformed("control character in a string") }
      position += 1
    }
    return try escapedString(from: start)
  }

  private func text(_ range: Range<Int>) throws(WireError) -> String {
    guard let text = String(validating: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self) else {
      throw malformed("a string that is not UTF-8")
    }
    return text
  }

  private mutating func escapedString(from start: Int) throws(WireError) -> String {
    var buffer = [UInt8](bytes[start..<position])
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let text = String(validating: buffer, as: UTF8.self) else {
          throw malformed("a string that is not UTF-8")
        }
        return text
      case UInt8(ascii: "\\"):
        try appendEscape(to: &buffer)
      case 0..<0x20:
        throw malformed("control character in a string")
      default:
        buffer.append(byte)
      }
    }
    throw malformed("the text ends inside a string")
  }

  private mutating func appendEscape(to buffer: inout [UInt8]) throws(WireError) {
    guard position < bytes.count else { throw malformed("the text ends inside a string") }
    let escape = bytes[position]
    position += 1
    switch escape {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): buffer.append(escape)
    case UInt8(ascii: "b"): buffer.append(0x08)
    case UInt8(ascii: "f"): buffer.append(0x0C)
    case UInt8(ascii: "n"): buffer.append(0x0A)
    case UInt8(ascii: "r"): buffer.append(0x0D)
    case UInt8(ascii: "t"): buffer.append(0x09)
    case UInt8(ascii: "u"): appendScalar(try codeUnitEscape(), to: &buffer)
    default: throw malformed("unknown escape")
    }
  }

  private mutating func codeUnitEscape() throws(WireError) -> UnicodeScalar {
    let replacement = UnicodeScalar(0xFFFD as UInt16)!
    let first = try hexadecimal()
    if UTF16.isTrailSurrogate(first) { return replacement }
    guard UTF16.isLeadSurrogate(first) else { return UnicodeScalar(first) ?? replacement }
    guard position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
      bytes[position + 1] == UInt8(ascii: "u")
    else { return replacement }
    let restart = position
    position += 2
    let second = try hexadecimal()
    guard UTF16.isTrailSurrogate(second) else {
      position = restart
      return replacement
    }
    let value = 0x10000 + (UInt32(first & 0x3FF) << 10 | UInt32(second & 0x3FF))
    return UnicodeScalar(value) ?? replacement
  }

  private mutating func hexadecimal() throws(WireError) -> UInt16 {
    guard position + 4 <= bytes.count else { throw malformed("the text ends inside an escape") }
    var value: UInt16 = 0
    for _ in 0..<4 {
      let digit: UInt8
      switch bytes[position] {
      case let byte where byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"):
        digit = byte - UInt8(ascii: "0")
      case let byte where byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "f"):
        digit = (byte | 0x20) - UInt8(ascii: "a") + 10
      default: throw malformed("a \\u escape without four hexadecimal digits")
      }
      value = value << 4 | UInt16(digit)
      position += 1
    }
    return value
  }

  private func appendScalar(_ scalar: UnicodeScalar, to buffer: inout [UInt8]) {
    for unit in UTF8.encode(scalar)! { buffer.append(unit) }
  }

  /// Reads a number; one beyond the range of a double becomes infinite, as in JavaScript.
  mutating func number() throws(WireError) -> Double {
    let start = position
    var magnitude: Int64 = 0
    let isNegative = bytes[position] == UInt8(ascii: "-")
    if isNegative { position += 1 }
    let digits = position
    while position < bytes.count, let digit = digitValue(bytes[position]) {
      if position - digits < 15 { magnitude = magnitude * 10 + Int64(digit) }
      position += 1
    }
    let digitCount = position - digits
    guard digitCount > 0 else { throw malformed("expected a value") }
    guard digitCount == 1 || bytes[digits] != UInt8(ascii: "0") else {
      throw malformed("a number with a leading 0")
    }
    let hasFraction = position < bytes.count && bytes[position] == UInt8(ascii: ".")
    if hasFraction {
      position += 1
      try consumeDigits()
    }
    let hasExponent = position < bytes.count && bytes[position] | 0x20 == UInt8(ascii: "e")
    if hasExponent {
      position += 1
      if position < bytes.count, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-")
      {
        position += 1
      }
      try consumeDigits()
    }
    if !hasFraction, !hasExponent, digitCount <= 15 {
      return isNegative ? -Double(magnitude) : Double(magnitude)
    }
    guard let value = Double(try text(start..<position)) else { throw malformed("a number out of form") }
    return value
  }

  private mutating func consumeDigits() throws(WireError) {
    let start = position
    while position < bytes.count, digitValue(bytes[position]) != nil { position += 1 }
    guard position > start else { throw malformed("a number without digits") }
  }

  @inline(__always)
  private func digitValue(_ byte: UInt8) -> UInt8? {
    let value = byte &- UInt8(ascii: "0")
    return value < 10 ? value : nil
  }

  /// Skips one value of any depth and answers the bytes that it covers; what it holds is checked when it is read.
  mutating func skipValue() throws(WireError) -> Range<Int> {
    skipWhitespace()
    let start = position
    var depth = 0
    repeat {
      switch try peek() {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        position += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard depth > 0 else { throw malformed("expected a value") }
        depth -= 1
        position += 1
      case UInt8(ascii: ","), UInt8(ascii: ":"):
        guard depth > 0 else { throw malformed("expected a value") }
        position += 1
      case UInt8(ascii: "\""):
        try skipString()
      case UInt8(ascii: "t"): try consumeLiteral("true")
      case UInt8(ascii: "f"): try consumeLiteral("false")
      case UInt8(ascii: "n"): try consumeLiteral("null")
      default: _ = try number()
      }
    } while depth > 0
    return start..<position
  }

  private mutating func skipString() throws(WireError) {
    position += 1
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position += 1
        return
      case UInt8(ascii: "\\"): position += 2
      default: position += 1
      }
    }
    throw malformed("the text ends inside a string")
  }
}
