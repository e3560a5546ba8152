import BridgeProtocol
import Foundation
import Testing

@testable import Relay

/// Decisions that need no socket.
struct DecisionTests {
  @Test(
    arguments: [
      ("doc00000", "doc00000", nil, Takes?.none, Takeover.granted),
      ("doc00000", "doc00000", nil, .claim, .granted),
      ("doc11111", "doc00000", nil, .replaces, .granted),
      ("doc11111", "doc00000", nil, .returns, .granted),
      ("doc11111", "doc00000", nil, .claim, .ifDead),
      ("doc11111", "doc00000", nil, nil, .ifDead),
      ("doc11111", "doc00000", "doc11111", nil, .granted),
      ("doc11111", "doc00000", "doc22222", .claim, .ifDead),
    ] as [(String, String, String?, Takes?, Takeover)])
  func takeoverFollowsTheRight(
    newcomer: String, holder: String, heir: String?, takes: Takes?, expected: Takeover
  ) {
    #expect(Takeover(newcomer: newcomer, holder: holder, heir: heir, takes: takes) == expected)
  }

  @Test(
    arguments: [
      (nil, ByteRange.whole), ("bytes=0-0", .part(first: 0, last: 0)), ("bytes=0-", .part(first: 0, last: 9)),
      ("bytes=9-9", .part(first: 9, last: 9)), ("bytes=9-10", .part(first: 9, last: 9)),
      ("bytes=10-", .unsatisfiable), ("bytes=-1", .part(first: 9, last: 9)),
      ("bytes=-10", .part(first: 0, last: 9)),
      ("bytes=-11", .part(first: 0, last: 9)), ("bytes=-0", .unsatisfiable), ("bytes=5-4", .whole),
      ("bytes=", .whole), ("bytes=-", .whole), ("bytes=a-b", .whole), ("bytes=1-2,3-4", .whole),
      ("items=1-2", .whole),
      ("bytes=99999999999999999999-", .unsatisfiable),
      ("bytes=0-99999999999999999999", .part(first: 0, last: 9)),
      ("bytes=+1-2", .whole), ("bytes=1-2-3", .whole),
    ] as [(String?, ByteRange)])
  func rangesAreRead(header: String?, expected: ByteRange) {
    #expect(ByteRange(header: header, length: 10) == expected)
  }

  /// Foundation's decoder takes these; the reader of a browser, or of a host, does not.
  @Test(arguments: ["{\"handlers\":[\"a\tb\"]}", "{\"handlers\":[1,]}", "{\"handlers\":[],}"])
  func whatIsPassedOnIsJSONForEveryReader(config: String) {
    let session = String(repeating: "s", count: Identifiers.sessionLength)
    let text = #"{"opened":{"session":"\#(session)","document":"document","config":\#(config)}}"#
    #expect(throws: Refusal.self) {
      _ = try Array(text.utf8).withUnsafeBytes { bytes throws(Refusal) in try HostControl(bytes) }
    }
    let body =
      #"{"app":"a","session":"s","key":"k","document":"d","kind":"alert","text":"","frame":{"main":true},"after":0"#
    #expect(DialogBody(Array((body + "}").utf8)) != nil)
    #expect(DialogBody(Array((body + #","x":\#(config)}"#).utf8)) == nil)
  }

  @Test func rangeOfNothingCannotBeHad() {
    #expect(ByteRange(header: "bytes=0-", length: 0) == .unsatisfiable)
    #expect(ByteRange(header: "bytes=-1", length: 0) == .unsatisfiable)
  }

  @Test(arguments: [
    ("GET /ws/player HTTP/1.1", "player"), ("POST /attach?x=1&app=player HTTP/1.1", "player"),
    ("GET /ws/player?app=other HTTP/1.1", "player"),
  ])
  func requestsGoToTheThreadOfTheirApp(line: String, app: String) {
    for threads in 1...5 {
      let choice = ThreadChoice(threads: threads)
      #expect(choice.thread(ofRequestLine: line) { _ in nil } == choice.thread(ofApp: app))
    }
  }

  @Test(arguments: [
    "GET / HTTP/1.1", "GET /bridge.js HTTP/1.1", "GET /ws", "GET", "", "GET /s/short/x", "POST /attach",
  ])
  func otherRequestsGoAnywhere(line: String) {
    #expect(ThreadChoice(threads: 4).thread(ofRequestLine: line) { _ in nil } == nil)
  }

  @Test func mintedNamesLeadToTheirThread() {
    for threads in 1...8 {
      let choice = ThreadChoice(threads: threads)
      for thread in 0..<threads {
        let instance = choice.mintInstance(thread: thread)
        #expect(Identifiers.isInstance(instance))
        let session = instance + String(repeating: "s", count: 22)
        #expect(choice.thread(ofRequestLine: "GET /s/\(session)/a HTTP/1.1") { _ in nil } == thread)
        let script = choice.mintScript(thread: thread)
        #expect(script.count == 23)
        #expect(choice.thread(ofRequestLine: "GET /b/\(script).js HTTP/1.1") { _ in nil } == thread)
      }
    }
  }

  @Test func hashIsFNV1a() {
    #expect(ThreadChoice.hash("") == 0x811C_9DC5)
    #expect(ThreadChoice.hash("a") == 0xE40C_292C)
    #expect(ThreadChoice.hash("foobar") == 0xBF9C_F968)
  }

  @Test func sessionTableFindsWhatIsInIt() {
    var table = SessionTable()
    var keys: [String] = []
    for index in 0..<2_000 {
      let session = "instance-id" + String(Keys.random(bytes: 17).prefix(22))
      keys.append(session)
      let slot = table.insert(SessionKey(session))
      slot.pointee.document = UInt64(index)
    }
    #expect(table.count == 2_000)
    for (index, key) in keys.enumerated() {
      #expect(table.find(SessionKey(key))?.pointee.document == UInt64(index))
    }
    for key in keys.prefix(1_500) { table.remove(SessionKey(key)) }
    for key in keys.prefix(1_500) { #expect(table.find(SessionKey(key)) == nil) }
    for (index, key) in keys.enumerated().dropFirst(1_500) {
      #expect(table.find(SessionKey(key))?.pointee.document == UInt64(index))
    }
    table.remove(SessionKey(keys[0]))
    #expect(table.count == 500)
  }

  @Test func sessionTableStandsKeysOfOneHash() {
    var table = SessionTable()
    let keys = (0..<40).map { (index: UInt8) -> String in
      "instance-idAAAAAAAA\(UnicodeScalar(65 + index))BBBBBAAAAAAAA"
    }
    for key in keys { _ = table.insert(SessionKey(key)) }
    for key in keys where key != keys[3] {
      table.remove(SessionKey(key))
      #expect(table.find(SessionKey(key)) == nil && table.find(SessionKey(keys[3])) != nil)
    }
  }

  @Test func validTextIsAcceptedHoweverItIsCut() {
    let text = Array(
      "aé€😀\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}\u{D7FF}\u{E000} plain text of more than 32 bytes".utf8)
    for cut in 0...text.count {
      var utf8 = UTF8Validator()
      #expect(accepts(&utf8, Array(text[..<cut])) && accepts(&utf8, Array(text[cut...])) && utf8.isComplete)
    }
  }

  @Test(arguments: [
    [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
    [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF],
    [0xC2, 0x41],
    [0xE1, 0x80, 0x41], [0xF1, 0x80, 0x80, 0x41],
  ])
  func invalidTextIsRefusedHoweverItIsCut(bytes: [Int]) {
    for padding in [0, 7, 31, 40] {
      let text = [UInt8](repeating: 97, count: padding) + bytes.map { UInt8($0) }
      for cut in 0...text.count {
        var utf8 = UTF8Validator()
        #expect(!(accepts(&utf8, Array(text[..<cut])) && accepts(&utf8, Array(text[cut...]))))
      }
    }
  }

  private func accepts(_ utf8: inout UTF8Validator, _ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { $0.baseAddress.map { utf8.accepts($0, count: bytes.count) } ?? true }
  }

  @Test func membersAreCutOutAsTheyStand() {
    let text = Array(#" { "a" : [1, {"b":"}\""}] ,"c\u0064": -1.50 , "e":{} } "#.utf8)
    func member(_ name: String) -> String? {
      JSONSlice.member(name, of: text).map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(member("a") == #"[1, {"b":"}\""}]"#)
    #expect(member("cd") == "-1.50")
    #expect(member("e") == "{}")
    #expect(member("b") == nil)
    #expect(JSONSlice.member("a", of: Array("[]".utf8)) == nil)
    #expect(JSONSlice.member("a", of: Array("{".utf8)) == nil)
  }

  @Test func textsAreQuoted() {
    #expect(JSONText.quoted("a\"\\\n\u{1}\u{2028}ä") == #""a\"\\\n\u0001\u2028ä""#)
    #expect(
      JSONText().adding("a", "x").adding("b", 1).adding("c", true).adding("d", nil as String?).wrapped(
        in: "e")
        == #"{"e":{"a":"x","b":1,"c":true}}"#)
  }

  @Test func keysAreForOneAppAndOneName() {
    let keys = Keys(secret: [UInt8](repeating: 7, count: 32))
    let key = keys.sessionKey(app: "a", session: "s")
    #expect(key.count == 43 && key.utf8.allSatisfy(Identifiers.isBase64URL))
    #expect(keys.isSessionKey(key, app: "a", session: "s"))
    #expect(
      !keys.isSessionKey(key, app: "b", session: "s") && !keys.isSessionKey(key, app: "a", session: "t"))
    #expect(!keys.isInstanceKey(key, app: "a", instance: "s"))
    #expect(Keys.random(bytes: 8).count == 11 && Keys.random(bytes: 16).count == 22)
  }

  @Test func developmentSecretIsMadeOnceAndKept() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pagebridge-state-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try RelaySecret.development(in: folder.path)
    #expect(first.count >= RelaySecret.minBytes)
    #expect(try RelaySecret.development(in: folder.path) == first)
    let path = folder.path + "/pagebridge/dev-secret"
    #expect(try RelaySecret.load(file: path) == first)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    #expect(throws: RelayError.self) { try RelaySecret.load(file: path) }
    try Data(" short \n".utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    #expect(throws: RelayError.self) { try RelaySecret.load(file: path) }
    #expect(throws: RelayError.self) { try RelaySecret.load(file: folder.path + "/none") }
  }

  @Test func logLinesHaveFieldsAndNoLineBreaks() {
    let lines = Lines()
    let log = RelayLog(level: .info) { lines.add($0) }
    log(.debug, "quiet")
    log(.warning, "refused", ["app": "player", "reason": "two words\n\"x\"", "origin": ""])
    #expect(lines.all.count == 1)
    #expect(lines.all[0].hasSuffix("warning refused app=player reason=\"two words  x \""))
    #expect(RelayLog.Level(name: "warning") == .warning && RelayLog.Level(name: "loud") == nil)
  }
}

private final class Lines: @unchecked Sendable {
  // Sendable because the test is its only user.
  private(set) var all: [String] = []
  func add(_ line: String) { all.append(line) }
}

@Suite struct KeyTests {
  @Test func base64OfURLsIsThatOfFoundationWithItsOwnAlphabet() {
    for count in 0..<40 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 97 &+ count &* 31 ^ 0xF8) }
      let expected = Data(bytes).base64EncodedString().map { ["+": "-", "/": "_"][$0] ?? $0 }.filter {
        $0 != "="
      }
      #expect(Keys.base64URL(bytes) == String(expected))
    }
  }
}

@Suite struct JSONTextTests {
  @Test(arguments: ["plain", "", "\"", "\\", "\u{1F}", "\u{7F}", "\u{2028}", "ü", "a\nb", "👍🏽"])
  func quotedTextIsReadBack(text: String) throws {
    let quoted = JSONText.quoted(text)
    #expect(try JSONDecoder().decode(String.self, from: Data(quoted.utf8)) == text)
    #expect(!quoted.unicodeScalars.contains { $0.value < 0x20 || $0 == "\u{7F}" || $0 == "\u{2028}" })
  }

  @Test func membersKeepTheirOrder() {
    let first = JSONText().adding("a", 1)
    let second = first.adding("b", "x").adding("c", nil as String?).adding("d", true)
    #expect(first.object == #"{"a":1}"#)
    #expect(second.wrapped(in: "e") == #"{"e":{"a":1,"b":"x","d":true}}"#)
  }

  @Test func aMemberIsFoundByItsNameHoweverItIsWritten() {
    let object = Array(#"{"ab":1,"\u0061":[2,"}"],"a b":3}"#.utf8)
    #expect(JSONSlice.member("a", of: object).map { String(decoding: $0, as: UTF8.self) } == #"[2,"}"]"#)
    #expect(JSONSlice.member("ab", of: object).map { String(decoding: $0, as: UTF8.self) } == "1")
    #expect(JSONSlice.member("b", of: object) == nil)
  }
}
