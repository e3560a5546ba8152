import BridgeProtocol

/// What the bodies of a run hold: filler of given sizes, or given values, in turn.
struct MessageBodies: Sendable {
  private let sizes: [Int]
  private let values: [[UInt8]]
  private let isMix: Bool

  /// What a player's page posts in turn: a toggle, its start, two changes of size, a choice; the toggle is answered.
  private static let mixedBytes = [24, 180, 48, 48, 900]

  init(_ options: LoadOptions) {
    isMix = options.mode == .mix
    sizes = isMix ? Self.mixedBytes : options.bodyBytes
    values = options.bodyValues.map { Array($0.utf8) }
  }

  /// Whether the host answers that message with a script.
  func wantsScript(_ number: Int) -> Bool { isMix && number % Self.mixedBytes.count == 0 }

  /// The body's text on the wire; the same page and number always give the same bytes.
  func bytes(page: Int, number: Int) -> [UInt8] {
    let size = sizes[number % sizes.count]
    var writer = JSONWriter(capacity: (values.isEmpty ? size : values[number % values.count].count) + 64)
    writer.raw(#"{"page":"#)
    writer.integer(page)
    writer.raw(#","number":"#)
    writer.integer(number)
    if wantsScript(number) { writer.raw(#","wants":"script""#) }
    if values.isEmpty {
      writer.raw(#","text":""#)
      writer.raw(Self.filler(page: page, number: number, count: size))
      writer.raw(#""}"#)
    } else {
      writer.raw(#","value":"#)
      writer.raw(values[number % values.count])
      writer.raw("}")
    }
    return writer.bytes
  }

  /// Letters from a small generator, so that bytes of another message are noticed.
  private static func filler(page: Int, number: Int, count: Int) -> [UInt8] {
    var state =
      UInt64(truncatingIfNeeded: page) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(truncatingIfNeeded: number)
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
      for index in 0..<count {
        if index & 7 == 0 { state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407 }
        buffer[index] = UInt8(ascii: "a") + UInt8((state >> UInt64(8 * (index & 7))) & 0x0F)
      }
      written = count
    }
  }
}

/// Who posted a body and its number, read from the body's front.
struct MessageMark: Equatable {
  let page: Int
  let number: Int
  let wantsScript: Bool

  /// Nil for a body that no simulated end made.
  init?(_ body: ArraySlice<UInt8>) {
    var at = body.startIndex
    func skip(_ text: StaticString) -> Bool {
      let count = text.utf8CodeUnitCount
      guard body.endIndex - at >= count else { return false }
      for offset in 0..<count where body[at + offset] != text.utf8Start[offset] { return false }
      at += count
      return true
    }
    func integer() -> Int? {
      var value = 0
      let start = at
      while at < body.endIndex, at - start < 18, case let digit = body[at] &- UInt8(ascii: "0"), digit < 10 {
        value = value * 10 + Int(digit)
        at += 1
      }
      return at > start ? value : nil
    }
    guard skip(#"{"page":"#), let page = integer(), skip(#","number":"#), let number = integer() else {
      return nil
    }
    self.page = page
    self.number = number
    wantsScript = skip(#","wants":"script""#)
  }
}
