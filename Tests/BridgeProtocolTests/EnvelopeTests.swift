import BridgeProtocol
import Testing

@Suite struct EnvelopeTests {
  private func envelope(_ text: String) throws -> Envelope {
    try Envelope(Array(text.utf8))
  }

  @Test func countersAndPayloadRangesAreRead() throws {
    let envelope = try envelope(
      #"{"n":12,"a":7,"d":6,"again":true,"id":"e-3","method":"message","params":{"x":["}",{}]},"later":[1]}"#)
    #expect(envelope.number == 12)
    #expect(envelope.received == 7)
    #expect(envelope.done == 6)
    #expect(envelope.isAgain)
    #expect(envelope.id == "e-3")
    #expect(envelope.method == "message")
    #expect(envelope.params.map { String(decoding: $0, as: UTF8.self) } == #"{"x":["}",{}]}"#)
    #expect(envelope.result == nil)
  }

  @Test func acknowledgementHoldsCountersOnly() throws {
    let envelope = try envelope(#"{"a":9,"d":8}"#)
    #expect(envelope.number == nil)
    #expect(envelope.received == 9)
    #expect(envelope.done == 8)
  }

  @Test func syncSurvivesWritingAndReading() throws {
    let sync = Envelope.Sync(
      attach: 5, document: "abcdefgh", epoch: "ABCDEFGH", base: 3, received: 2, carried: 1)
    #expect(try Envelope(sync.bytes).sync == sync)
  }

  @Test func partKeepsItsText() throws {
    let envelope = try envelope(#"{"n":1,"a":0,"d":0,"part":[2,9],"text":"a\"é"}"#)
    #expect(envelope.part == Envelope.Part(index: 2, count: 9))
    #expect(envelope.partText == Array("a\"é".utf8))
  }

  @Test(arguments: [
    "", "[]", "{", #"{"n":-1}"#, #"{"n":1.5}"#, #"{"n":"1"}"#, #"{"id":3}"#, #"{"part":[0,1]}"#,
    #"{"part":[3,2]}"#,
    #"{"sync":{}}"#, #"{"sync":5}"#, #"{"a":1} "x""#, #"{"method":null}"#, #"{"params":}"#,
    #"{"again":false}"#,
  ])
  func malformedEnvelopeIsRefused(_ text: String) {
    #expect(throws: WireError.self) { try envelope(text) }
  }
}
