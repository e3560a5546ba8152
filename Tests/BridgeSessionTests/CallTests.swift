import BridgeProtocol
import BridgeSession
import Testing

@Suite struct CallTests {
  @Test func anAnswerEndsItsCallOnce() throws {
    var link = Link()
    link.connect()
    let id = link.evaluate(#"{"source":"1"}"#)
    try link.carry()
    try link.answer(id, "1")
    try link.answer(id, "2")
    try link.carry()
    #expect(link.ended.count == 1)
    guard case .result(let bytes)? = link.ended.first?.end else { return #expect(Bool(false)) }
    #expect(String(decoding: bytes, as: UTF8.self) == "1")
    #expect(link.host.unknownAnswers == 1)
    #expect(link.host.pendingCalls == 0)
  }

  @Test func callsMadeWhileNobodyIsThereWaitForTheNextDocument() throws {
    var link = Link()
    let first = link.evaluate("1")
    link.connect()
    try link.carry()
    link.cut()
    let second = link.evaluate("2")
    link.navigate(to: "another-")
    link.connect()
    try link.carry()
    #expect(link.pageReceived.compactMap(\.id) == [first, second])
  }

  @Test func callsOfAReplacedDocumentEndAndTheNextOnesWork() throws {
    var link = Link()
    link.connect()
    let lost = link.evaluate("1")
    try link.carry()
    link.navigate(to: "another-")
    link.connect()
    try link.carry()
    #expect(link.ended.map(\.call) == [lost])
    guard case .pageReplaced? = link.ended.first?.end else { return #expect(Bool(false)) }
    let next = link.evaluate("2")
    try link.carry()
    try link.answer(next, "true")
    try link.carry()
    #expect(link.ended.map(\.call) == [lost, next])
  }

  @Test func aCutAloneEndsNoCall() throws {
    var link = Link()
    link.connect()
    let id = link.evaluate("1")
    try link.carry()
    link.cut()
    link.connect()
    try link.carry()
    #expect(link.ended.isEmpty)
    try link.answer(id, "1")
    try link.carry()
    #expect(link.ended.map(\.call) == [id])
  }

  @Test func theSessionsEndEndsEveryCallInOrder() throws {
    var link = Link()
    link.connect()
    let calls = (1...12).map { link.evaluate("\($0)") }
    link.endSession()
    #expect(link.ended.map(\.call) == calls)
    #expect(link.ended.allSatisfy { if case .pageGone = $0.end { true } else { false } })
  }

  @Test func aForgottenCallsAnswerIsDropped() throws {
    var link = Link()
    link.connect()
    let id = link.evaluate("1")
    try link.carry()
    link.host.forget(call: id)
    try link.answer(id, "1")
    try link.carry()
    #expect(link.ended.isEmpty)
    #expect(link.host.unknownAnswers == 1)
  }

  @Test func aForgottenCallThatWaitsForAPageIsNeverSent() throws {
    var link = Link()
    let id = link.evaluate("1")
    let other = link.evaluate("2")
    link.host.forget(call: id)
    link.connect()
    try link.carry()
    try link.answer(other, "2")
    try link.carry()
    #expect(link.ended.map(\.call) == [other])
    #expect(link.pageReceived.compactMap(\.id) == [other])
  }

  @Test func aCallThatIsTooLargeIsRefusedAndOthersGoOn() throws {
    var link = Link()
    link.connect()
    try link.carry()
    let other = link.evaluate("1")
    let id = link.evaluate("\"" + String(repeating: "x", count: Limits.maxMessageBytes) + "\"")
    guard case .refused(let error)? = link.ended.first?.end else { return #expect(Bool(false)) }
    #expect(link.ended.map(\.call) == [id])
    #expect(error.code == .messageTooBig)
    try link.carry()
    try link.answer(other, "1")
    try link.carry()
    #expect(link.ended.map(\.call) == [id, other])
  }
}
