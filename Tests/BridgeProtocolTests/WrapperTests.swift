import BridgeProtocol
import Testing

@Suite struct WrapperTests {
  private let session = String(repeating: "s", count: Identifiers.sessionLength)
  private let document = "docdocdo"

  private func matches(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { Wrapper.matches($0) }
  }

  @Test func prefixHasItsFixedLengthAndPlaces() {
    let prefix = Wrapper.prefix(session: session, document: document)
    #expect(prefix.count == Wrapper.prefixLength)
    #expect(String(decoding: prefix, as: UTF8.self) == #"["\#(session).\#(document)","#)
    #expect(Wrapper.overhead == 47)
    #expect(matches(prefix + Array("{}]".utf8)))
  }

  @Test(arguments: [#"{"a":1}"#, "[]", #"["x",{}]"#, ""])
  func otherShapesDoNotMatch(_ text: String) {
    #expect(!matches(Array(text.utf8)))
  }

  @Test func messageMustBeginLikeAnObject() {
    let prefix = Wrapper.prefix(session: session, document: document)
    #expect(!matches(prefix + Array("[]]".utf8)))
    #expect(!matches(prefix + Array("{}".utf8)))
    #expect(!matches(prefix))
  }

  @Test(arguments: ["a", "Player-1.x_y", String(repeating: "a", count: 64)])
  func appNamesAreAccepted(_ name: String) {
    #expect(Identifiers.isApp(name))
  }

  @Test(arguments: ["", ".a", "-a", "a b", "a/b", "é", String(repeating: "a", count: 65)])
  func otherAppNamesAreRefused(_ name: String) {
    #expect(!Identifiers.isApp(name))
  }
}
