import BridgeProtocol

/// Bridge messages and the wrapper around them.
enum EnvelopeFuzz {
  private static let session = String(repeating: "s", count: Identifiers.sessionLength)
  private static let document = "document"

  static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
    let text = Array(bytes)
    wrapper(text)
    guard let envelope = try? Envelope(text) else { return }
    expect(envelope.text == text, "the envelope has another text")
    for slice in [envelope.params, envelope.result, envelope.error] {
      guard let slice else { continue }
      expect(slice.startIndex >= 0 && slice.endIndex <= text.count, "a range outside the text")
      _ = try? WireValue(json: slice)
    }
    if let part = envelope.part { expect(part.index >= 1 && part.index <= part.count, "a part out of range") }
    if let sync = envelope.sync {
      let again = try? Envelope(sync.bytes)
      expect(again?.sync == sync, "a sync changes when it is written and read")
    }
    compare(envelope, text)
  }

  /// Where the whole text is a value, the envelope says of it what the value says.
  private static func compare(_ envelope: Envelope, _ text: [UInt8]) {
    guard let value = try? WireValue(json: text), value.object != nil else { return }
    for (name, count) in [("n", envelope.number), ("a", envelope.received), ("d", envelope.done)] {
      expect(value[name]?.number.flatMap { Int(whole: $0) } == count, "'\(name)' differs")
    }
    expect(value["id"]?.string == envelope.id, "'id' differs")
    expect(value["method"]?.string == envelope.method, "'method' differs")
    for (name, slice) in [
      ("params", envelope.params), ("result", envelope.result), ("error", envelope.error),
    ] {
      expect((value[name] == nil) == (slice == nil), "'\(name)' differs")
      guard let slice, let member = value[name] else { continue }
      guard let read = try? WireValue(json: slice) else {
        expect(false, "'\(name)' is no value by itself")
        return
      }
      expect(Self.text(read) == Self.text(member), "'\(name)' is another value by itself")
    }
  }

  /// NaN is no equal of itself; its text is.
  private static func text(_ value: WireValue) -> [UInt8] {
    var writer = JSONWriter()
    try? writer.value(value)
    return writer.bytes
  }

  private static func wrapper(_ text: [UInt8]) {
    text.withUnsafeBytes { raw in
      if Wrapper.matches(raw) {
        expect(raw.count - Wrapper.overhead >= 1, "a wrapper around nothing")
        expect(raw[Wrapper.prefixLength] == UInt8(ascii: "{"), "a wrapper around no object")
      }
    }
    let prefix = Wrapper.prefix(session: session, document: document)
    expect(prefix.count == Wrapper.prefixLength, "the wrapper's prefix has another length")
    let wrapped = prefix + text + [UInt8(ascii: "]")]
    let isMatch = wrapped.withUnsafeBytes { Wrapper.matches($0) }
    expect(
      isMatch == (text.first == UInt8(ascii: "{")), "the wrapper's shape depends on more than its places")
  }
}
