import BridgeProtocol

/// The body of one echo message: who posted it, its number, and text that follows from both.
struct EchoBody {
  let page: Int
  let number: Int
  let fillerBytes: Int

  /// The value's text on the wire; the same page and number always give the same bytes.
  var bytes: [UInt8] {
    var writer = JSONWriter(capacity: fillerBytes + 48)
    writer.raw(#"{"page":"#)
    writer.integer(page)
    writer.raw(#","number":"#)
    writer.integer(number)
    writer.raw(#","text":""#)
    // Letters from a small generator, so that bytes of another message are noticed.
    var state =
      UInt64(truncatingIfNeeded: page) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(truncatingIfNeeded: number)
    var filler = [UInt8](repeating: 0, count: fillerBytes)
    for index in filler.indices {
      if index & 7 == 0 { state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407 }
      filler[index] = UInt8(ascii: "a") + UInt8((state >> UInt64(8 * (index & 7))) & 0x0F)
    }
    writer.raw(filler)
    writer.raw(#""}"#)
    return writer.bytes
  }

  /// The number inside a body's text, if it is one of this form.
  static func number(in body: ArraySlice<UInt8>) -> Int? {
    let marker = Array(#","number":"#.utf8)
    var index = body.startIndex
    while index + marker.count < body.endIndex {
      if body[index] == marker[0], body[index..<index + marker.count].elementsEqual(marker) {
        var number = 0
        var digit = index + marker.count
        while digit < body.endIndex, case let value = body[digit] &- UInt8(ascii: "0"), value < 10 {
          number = number * 10 + Int(value)
          digit += 1
        }
        return number
      }
      index += 1
    }
    return nil
  }
}
