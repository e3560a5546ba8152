import PageBridgeWebKit
import Testing

@testable import JourneyHost

/// Each limit just below it, at it and above it.
struct LimitTests {
  private func request(_ id: String, action: String = "x", data: WireValue? = nil) -> WireValue {
    var payload: [WireValue.Member] = [.init("action", .string(action))]
    if let data { payload.append(.init("data", data)) }
    return ["type": "request", "correlationId": .string(id), "payload": .object(payload)]
  }

  private func reads(_ body: WireValue) -> Bool {
    (try? BridgeMessage(body: body)) != nil
  }

  @Test(arguments: [-1, 0, 1])
  func textsAreAsLongAsTheyMayBe(offset: Int) {
    let isRead = offset <= 0
    #expect(reads(request(String(repeating: "i", count: BridgeLimits.correlationIDBytes + offset))) == isRead)
    #expect(
      reads(request("i", action: String(repeating: "a", count: BridgeLimits.actionBytes + offset))) == isRead)
  }

  @Test(arguments: [-1, 0, 1], [false, true])
  func valuesNestAsDeepAsTheyMay(offset: Int, isText: Bool) {
    // Envelope, payload and data are three levels, the innermost value is one more.
    var nest: WireValue = 1
    for _ in 0..<(BridgeLimits.depth - 3 + offset) { nest = [nest] }
    let body = request("i", data: ["nest": nest])
    let text =
      "{\"type\":\"request\",\"correlationId\":\"i\",\"payload\":{\"action\":\"x\",\"data\":{\"nest\":"
      + String(repeating: "[", count: BridgeLimits.depth - 3 + offset) + "1"
      + String(repeating: "]", count: BridgeLimits.depth - 3 + offset) + "}}}"
    #expect(reads(isText ? .string(text) : body) == (offset <= 0))
  }

  private func message(_ id: Int, bytes: Int = 0) -> BridgeMessage {
    BridgeMessage(
      type: .request, correlationId: "\(id)",
      payload: .init(action: "x", data: ["t": .string(String(repeating: "a", count: bytes))]))
  }

  @Test func openRequestsAreCounted() {
    var open = OpenRequests()
    for number in 1..<BridgeLimits.openRequests { #expect(open.add(message(number)) == .accept) }
    #expect(open.add(message(BridgeLimits.openRequests)) == .accept)
    #expect(open.add(message(0)) == .refuseBusy)
    #expect(open.add(message(1)) == .refuseDouble)
    #expect(open.remove("1") && !open.remove("1"))
    #expect(open.add(message(0)) == .accept)
  }

  @Test(arguments: [-1, 0, 1])
  func openRequestsAreWeighed(offset: Int) {
    var open = OpenRequests()
    let rest = message(1).byteCount + message(2).byteCount
    #expect(open.add(message(1)) == .accept)
    let last = message(2, bytes: BridgeLimits.openBytes - rest + offset)
    #expect(open.add(last) == (offset <= 0 ? .accept : .refuseBusy))
  }

  @Test func logIsWeighedAndKeepsTheNewest() {
    var log = MessageLog()
    log.add(message(1, bytes: BridgeLimits.receivedBytes / 2))
    log.add(message(2, bytes: BridgeLimits.receivedBytes / 4))
    #expect(log.messages.map(\.correlationId) == ["1", "2"])
    log.add(message(3, bytes: BridgeLimits.receivedBytes / 2))
    #expect(log.messages.map(\.correlationId) == ["2", "3"])
    log.add(message(4, bytes: BridgeLimits.receivedBytes + 1))
    #expect(log.messages.map(\.correlationId) == ["4"])
  }

  @Test func valuesAreThoseOfJSON() throws {
    let body: WireValue = [
      "u": .undefined, "n": nil, "a": [.undefined, true, 1], "d": .date(milliseconds: 0),
      "nan": .number(.nan),
    ]
    #expect(
      try JSONValue(body) == [
        "n": nil, "a": [nil, true, 1], "d": "1970-01-01T00:00:00.000Z", "nan": nil,
      ])
  }
}
