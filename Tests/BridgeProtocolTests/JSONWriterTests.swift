import BridgeProtocol
import Testing

@Suite struct JSONWriterTests {
  /// Bytes are looked at eight at a time, so each place among them is tried.
  @Test(arguments: [
    "\"", "\\", "\n", "\u{1}", "\u{1F}", " ", "!", "#", "[", "]", "\u{7F}", "é", "😀", "\u{2028}",
  ])
  func eachCharacterIsEscapedAtEachPlace(_ character: String) throws {
    let escapes = ["\"": #"\""#, "\\": #"\\"#, "\n": #"\n"#, "\u{1}": #"\u0001"#, "\u{1F}": #"\u001f"#]
    for before in 0..<18 {
      for after in [0, 1, 7, 8, 9] {
        let text = String(repeating: "a", count: before) + character + String(repeating: "z", count: after)
        var writer = JSONWriter()
        writer.string(text)
        let expected =
          "\"" + String(repeating: "a", count: before) + (escapes[character] ?? character)
          + String(repeating: "z", count: after) + "\""
        #expect(String(decoding: writer.bytes, as: UTF8.self) == expected)
        #expect(try WireValue(json: writer.bytes) == .string(text))
      }
    }
  }

  @Test func plainLengthEndsAtTheFirstEscapedByteAndAtTheLimit() {
    for place in 0..<20 {
      var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 30)
      bytes[place] = UInt8(ascii: "\"")
      bytes.withUnsafeBufferPointer { buffer in
        for start in 0...place {
          #expect(JSONWriter.plainLength(of: buffer, from: start) == place - start)
          #expect(JSONWriter.plainLength(of: buffer, from: start, limit: 5) == min(5, place - start))
        }
      }
    }
  }
}
