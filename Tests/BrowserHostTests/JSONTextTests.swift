import PageBridgeWebKit
import Testing

@testable import BrowserHost

struct JSONTextTests {
  @Test func valuesReadLikeJSON() {
    let value: WireValue = [
      "name": "Ana", "score": 7, "share": 2.5, "note": nil, "ok": true, "list": [1, "x", [:], []],
      "quote": "a\"b\\c\nd", "gone": .undefined, "nan": .number(.nan), "at": .date(milliseconds: 0),
    ]
    #expect(
      JSONText(value).text
        == #"{"name": "Ana", "score": 7, "share": 2.5, "note": null, "ok": true, "list": [1, "x", {}, []], "#
        + #""quote": "a\"b\\c\nd", "gone": undefined, "nan": nan, "at": 1970-01-01T00:00:00Z}"#)
  }

  @Test func longAndDeepValuesAreCut() {
    #expect(JSONText(.string(String(repeating: "a", count: 10_000))).text.utf8.count < 450)
    #expect(JSONText(.array(Array(repeating: 1, count: 10_000))).text.utf8.count < 450)
    let deep = (0..<5_000).reduce(WireValue.number(1)) { value, _ in [value] }
    #expect(
      JSONText(deep).text == String(repeating: "[", count: 13) + "…" + String(repeating: "]", count: 13))
  }
}
