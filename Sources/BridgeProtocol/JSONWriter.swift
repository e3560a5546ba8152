/// Writes JSON text (RFC 8259) as UTF-8, member by member, in the order given.
public struct JSONWriter: Sendable {
  /// What was written so far.
  public private(set) var bytes: [UInt8] = []

  /// Makes an empty one.
  public init() {}

  /// Starts with room for that many bytes.
  public init(capacity: Int) {
    bytes.reserveCapacity(capacity)
  }

  /// Writes text as it is: punctuation, or JSON that is known to be valid.
  @inlinable
  public mutating func raw(_ text: some Sequence<UInt8>) {
    append(text)
  }

  /// Writes punctuation or literal JSON.
  public mutating func raw(_ text: StaticString) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  @usableFromInline
  mutating func append(_ text: some Sequence<UInt8>) {
    bytes.append(contentsOf: text)
  }

  /// Writes an integer.
  public mutating func integer(_ value: Int) {
    if value >= 0, value < 10 {
      bytes.append(UInt8(ascii: "0") + UInt8(value))
    } else {
      bytes.append(contentsOf: String(value).utf8)
    }
  }

  /// Writes a string with its quotation marks; control characters, `"` and `\` are escaped and nothing else.
  public mutating func string(_ text: some StringProtocol) {
    string(utf8: text.utf8)
  }

  /// Writes the bytes of UTF-8 text as a string.
  public mutating func string(utf8 text: some Sequence<UInt8>) {
    bytes.append(UInt8(ascii: "\""))
    if text.withContiguousStorageIfAvailable({ append(escaping: $0) }) == nil {
      for byte in text { Self.append(escaped: byte, to: &bytes) }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Copies what needs no escape in runs.
  private mutating func append(escaping text: UnsafeBufferPointer<UInt8>) {
    var index = 0
    while index < text.count {
      let end = index + Self.plainLength(of: text, from: index)
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[index..<end]))
      index = end
      if index < text.count {
        Self.append(escaped: text[index], to: &bytes)
        index += 1
      }
    }
  }

  /// How many bytes from there on, but not more than the limit, stand for themselves inside a JSON string.
  public static func plainLength(
    of text: UnsafeBufferPointer<UInt8>, from start: Int, limit: Int = .max
  ) -> Int {
    let end = limit < text.count - start ? start + limit : text.count
    var index = start
    // Eight bytes are looked at together.
    while index + 8 <= end {
      let eight = UnsafeRawPointer(text.baseAddress!).loadUnaligned(fromByteOffset: index, as: UInt64.self)
      if holdsEscaped(eight) { break }
      index += 8
    }
    while index < end, escapedLength(of: text[index]) == 1 { index += 1 }
    return index - start
  }

  /// Whether one of eight bytes is a control character, `"` or `\`; it may also say so of eight that hold none.
  @inline(__always)
  private static func holdsEscaped(_ eight: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotation = eight ^ (ones &* UInt64(UInt8(ascii: "\"")))
    let backslash = eight ^ (ones &* UInt64(UInt8(ascii: "\\")))
    // A byte below the subtracted one borrows into its highest bit; bytes above 0x7F do not count.
    let control = (eight &- ones &* 0x20) & ~eight
    let found = control | ((quotation &- ones) & ~quotation) | ((backslash &- ones) & ~backslash)
    return found & (ones &* 0x80) != 0
  }

  /// How many bytes the byte takes inside a JSON string.
  @inlinable
  public static func escapedLength(of byte: UInt8) -> Int {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x08, 0x09, 0x0A, 0x0C, 0x0D: 2
    case 0..<0x20: 6
    default: 1
    }
  }

  @inline(__always)
  private static func append(escaped byte: UInt8, to bytes: inout [UInt8]) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
      bytes.append(UInt8(ascii: "\\"))
      bytes.append(byte)
    case 0x08: bytes.append(contentsOf: #"\b"#.utf8)
    case 0x09: bytes.append(contentsOf: #"\t"#.utf8)
    case 0x0A: bytes.append(contentsOf: #"\n"#.utf8)
    case 0x0C: bytes.append(contentsOf: #"\f"#.utf8)
    case 0x0D: bytes.append(contentsOf: #"\r"#.utf8)
    case 0..<0x20:
      bytes.append(contentsOf: byte < 0x10 ? #"\u000"#.utf8 : #"\u001"#.utf8)
      let digit = byte & 0x0F
      bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    default: bytes.append(byte)
    }
  }

  /// Writes a value in its notation on the wire; ``WireValue/init(json:enclosing:)`` reads it back.
  ///
  /// - Parameters:
  ///   - value: what is to be written.
  ///   - enclosing: levels around the values that the limit is about, such as the members of a message.
  /// - Throws: ``WireError`` `tooDeep` beyond ``Limits/maxValueDepth``.
  public mutating func value(_ value: WireValue, enclosing: Int = 0) throws(WireError) {
    // An explicit stack of what is still to be written inside each open container.
    var open: [(elements: ArraySlice<WireValue>, members: ArraySlice<WireValue.Member>, isObject: Bool)] = []
    var next: WireValue? = value
    while true {
      if let value = next {
        next = nil
        switch value {
        case .array(let elements):
          try check(depth: open.count - enclosing)
          bytes.append(UInt8(ascii: "["))
          open.append((elements[...], [], false))
        case .object(let members):
          try check(depth: open.count - enclosing)
          bytes.append(UInt8(ascii: "{"))
          open.append(([], members[...], true))
        default: scalar(value)
        }
      } else {
        guard let last = open.indices.last else { return }
        let isFirst = bytes.last == UInt8(ascii: open[last].isObject ? "{" : "[")
        if let member = open[last].members.popFirst() {
          if !isFirst { bytes.append(UInt8(ascii: ",")) }
          name(member.name)
          next = member.value
        } else if let element = open[last].elements.popFirst() {
          if !isFirst { bytes.append(UInt8(ascii: ",")) }
          next = element
        } else {
          bytes.append(UInt8(ascii: open.removeLast().isObject ? "}" : "]"))
        }
        if open.isEmpty, next == nil { return }
        continue
      }
      if open.isEmpty { return }
    }
  }

  private func check(depth: Int) throws(WireError) {
    guard depth < Limits.maxValueDepth else {
      throw WireError(.tooDeep, "a value nests too deep", context: "limit \(Limits.maxValueDepth) levels")
    }
  }

  private mutating func name(_ name: String) {
    let isMark = !name.isEmpty && name.utf8.allSatisfy { $0 == UInt8(ascii: "$") }
    string(isMark ? "$" + name : name)
    bytes.append(UInt8(ascii: ":"))
  }

  private mutating func scalar(_ value: WireValue) {
    switch value {
    case .undefined: raw(#"{"$":["undefined"]}"#)
    case .null: raw("null")
    case .bool(let flag): raw(flag ? "true" : "false")
    case .number(let number): self.number(number)
    case .string(let text): string(text)
    case .date(let milliseconds):
      raw(#"{"$":["date","#)
      if milliseconds.isFinite {
        number(milliseconds == 0 ? 0 : milliseconds)
      } else {
        raw(#""NaN""#)
      }
      raw("]}")
    case .array, .object: break
    }
  }

  private mutating func number(_ number: Double) {
    if number.isNaN {
      raw(#"{"$":["number","NaN"]}"#)
    } else if number.isInfinite {
      number > 0 ? raw(#"{"$":["number","Infinity"]}"#) : raw(#"{"$":["number","-Infinity"]}"#)
    } else if number == 0 {
      number.sign == .minus ? raw(#"{"$":["number","-0"]}"#) : raw("0")
    } else if let whole = Int(whole: number) {
      integer(whole)
    } else {
      bytes.append(contentsOf: "\(number)".utf8)
    }
  }
}
