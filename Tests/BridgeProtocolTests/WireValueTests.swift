import BridgeProtocol
import Foundation
import Synchronization
import Testing

@Suite struct WireValueTests {
  private func written(_ value: WireValue) throws -> String {
    var writer = JSONWriter()
    try writer.value(value)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private func read(_ text: String) throws -> WireValue {
    try WireValue(json: text.utf8)
  }

  @Test(
    arguments: [
      .undefined, .null, true, false, 0, 1, -1, 2.5, 1e308, .number(.leastNonzeroMagnitude),
      9_007_199_254_740_993, "",
      "a\"b\\c\n\u{0}\u{2028}é😀",
      .number(.infinity), .number(-.infinity), .date(milliseconds: 1_764_471_720_123),
      .date(milliseconds: -1), [],
      [:], [1, [2, [3, .undefined]], ["a": [], "b": ["c": .null]]], ["$": 5],
      ["$": "x", "$$": 1, "": 2, "__proto__": 3],
      ["$": ["undefined"]], ["$": ["date", 4]],
    ] as [WireValue])
  func valueSurvivesWritingAndReading(_ value: WireValue) throws {
    #expect(try read(try written(value)) == value)
  }

  @Test func notANumberAndNegativeZeroKeepTheirKind() throws {
    let values = try read(try written([.number(.nan), .number(-0.0), .date(milliseconds: .nan)])).array
    #expect(values?[0].number?.isNaN == true)
    #expect(values?[1].number?.sign == .minus)
    guard case .date(let milliseconds)? = values?[2] else { return #expect(Bool(false)) }
    #expect(milliseconds.isNaN)
  }

  @Test func notationIsTheOneOfTheProtocol() throws {
    #expect(
      try written(["a": 1, "b": [true, .null, .undefined], "$": "x"])
        == #"{"a":1,"b":[true,null,{"$":["undefined"]}],"$$":"x"}"#)
    #expect(
      try written([.number(-0.0), .number(.nan), .date(milliseconds: 12)])
        == #"[{"$":["number","-0"]},{"$":["number","NaN"]},{"$":["date",12]}]"#)
    #expect(try written("\u{1}\u{1f}/\u{7f}") == "\"\\u0001\\u001f/\u{7f}\"")
  }

  @Test func escapesAreUndone() throws {
    #expect(try read(#""\u0041\n\t\b\f\r\/\\\"""#) == "A\n\t\u{8}\u{c}\r/\\\"")
    #expect(try read(#""\ud83d\ude00""#) == "😀")
    #expect(try read(#""a\ud800b\udc00c\ud800\u0041""#) == "a\u{fffd}b\u{fffd}c\u{fffd}A")
  }

  @Test(arguments: [
    "", " ", "{", "[", "[1", "[1,", "[1 2]", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,}", "{a:1}", "[,]",
    "1 2", "01", "-", "1.",
    "1e", "tru", "nul", "\"", "\"\\x\"", "\"\\u12\"", "\"\n\"", "]", "}", "+1", ".5", "{\"$\":[\"what\"]}",
    "{\"$\":1}",
  ])
  func malformedTextIsRefused(_ text: String) {
    #expect(throws: WireError.self) { try read(text) }
  }

  @Test func textThatIsNotUTF8IsRefused() {
    #expect(throws: WireError.self) { try WireValue(json: [0x22, 0xFF, 0x22]) }
    #expect(throws: WireError.self) { try WireValue(json: [0x22, 0x5C, 0x6E, 0xC3, 0x22]) }
  }

  @Test func depthIsLimitedAndCostsNoStack() throws {
    let limit = Limits.maxValueDepth
    let nested = String(repeating: "[", count: limit) + String(repeating: "]", count: limit)
    // On the smallest stack that Foundation gives a thread: the closures answer nothing, so that nothing prints the levels.
    try onSmallStack {
      var value = try read(nested)
      let text = try written(value)
      #expect(text == nested)
      value = [value]
      let isRefused = (try? written(value)) == nil
      #expect(isRefused)
      value.takeApart()
      #expect(throws: WireError.self) { _ = try read("[" + nested + "]") }
      var objects = try read(
        String(repeating: #"{"a":"#, count: limit) + "1" + String(repeating: "}", count: limit))
      guard case .object = objects else { throw WireError(.wrongShape, "no object") }
      objects.takeApart()
    }
  }

  /// Runs work on a thread with a stack of 256 KiB, far too small for recursion into such values.
  private func onSmallStack(_ work: @escaping () throws -> Void) throws {
    nonisolated(unsafe) let unsafeWork = work
    let outcome = Mutex<Result<Void, any Error>?>(nil)
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      let result = Result { try unsafeWork() }
      outcome.withLock { $0 = result }
      done.signal()
    }
    thread.stackSize = 262_144
    thread.start()
    done.wait()
    try outcome.withLock { $0 }?.get()
  }

  @Test func longArraysAreReadInLinearTime() throws {
    let count = 100_000
    let value = try read("[" + String(repeating: "{\"a\":1},", count: count) + "1]")
    #expect(value.array?.count == count + 1)
  }
}
