import Foundation
import PageBridgeWebKit
import Testing

@testable import PlayerHost

/// Every kind of message that a page may post on `gsVideoPlayerBridge`, and what the app makes of it.
struct GeniusMessageTests {
  private func read(_ json: String) throws -> GeniusMessage.Reading {
    do throws(Refusal) {
      return GeniusMessage.read(try GeniusEnvelope(body: wire(json)))
    } catch {
      return GeniusMessage.Reading(message: nil, refusals: [error])
    }
  }

  private func wire(_ json: String) -> WireValue {
    do { return try body(json) } catch { return .undefined }
  }

  private func event(_ payload: String) throws -> (event: MultibetEvent, refusals: [Refusal]) {
    let reading = try read(#"{"type":"multibet-event","payload":\#(payload)}"#)
    guard case .multibetEvent(let event)? = reading.message else {
      throw Refusal(reason: .payloadMissing)
    }
    return (event, reading.refusals)
  }

  /// A whole bet, with one member replaced or added.
  private func bet(_ member: String? = nil, _ value: String = "") throws -> String {
    var members: [String: WireValue] = [
      "command": "addToBetslip", "sportsbookFixtureId": "FX-77", "sportsbookSelectionId": "SEL-4",
      "sportsbookMarketId": "MK-20", "sportsbookMarketContext": "half=2", "marketId": "G-15",
      "decimalPrice": 1.75,
      "stake": 4,
    ]
    if let member { members[member] = try body(value) }
    var writer = JSONWriter(capacity: 256)
    try writer.value(.object(members.map { WireValue.Member($0.key, $0.value) }))
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private let wholeBet = [
    "sportsbookFixtureId: FX-77", "sportsbookSelectionId: SEL-4", "sportsbookMarketId: MK-20",
    "sportsbookMarketContext: half=2", "marketId: G-15", "decimalPrice: 1.75", "stake: 4",
  ]

  // MARK: init and toggleFullscreen

  @Test(arguments: [
    #"{"type":"init"}"#, #"{"type":"init","payload":{}}"#, #"{"type":"init","payload":null}"#,
    #"{"type":"init","payload":[1]}"#, #"{"type":"init","payload":{"at":"2026-03-01T10:00:00.000Z"}}"#,
  ])
  func initNeedsNoPayloadAndIgnoresAny(json: String) throws {
    #expect(try read(json) == .init(message: .initialize, refusals: []))
  }

  @Test func dateInAPayloadIsHarmless() throws {
    let envelope = try GeniusEnvelope(body: [
      "type": "init", "payload": ["at": .date(milliseconds: 1_000)],
    ])
    #expect(GeniusMessage.read(envelope).message == .initialize)
  }

  @Test(arguments: [
    #"{"type":"toggleFullscreen"}"#, #"{"type":"toggleFullscreen","payload":null}"#,
    #"{"type":"toggleFullscreen","payload":{}}"#,
    #"{"type":"toggleFullscreen","payload":{"isFullscreen":null}}"#,
  ])
  func toggleWithoutFlagFlips(json: String) throws {
    #expect(try read(json) == .init(message: .toggleFullscreen(isFullscreen: nil), refusals: []))
  }

  @Test(arguments: [true, false])
  func toggleWithFlagSets(flag: Bool) throws {
    let reading = try read(#"{"type":"toggleFullscreen","payload":{"isFullscreen":\#(flag)}}"#)
    #expect(reading == .init(message: .toggleFullscreen(isFullscreen: flag), refusals: []))
  }

  @Test(arguments: [#""yes""#, "1", "0", "[]", "{}"])
  func toggleWithOtherFlagIsRefused(flag: String) throws {
    let reading = try read(#"{"type":"toggleFullscreen","payload":{"isFullscreen":\#(flag)}}"#)
    #expect(reading.message == nil)
    #expect(
      reading.refusals == [Refusal(reason: .notABoolean, field: "isFullscreen", type: "toggleFullscreen")])
  }

  // MARK: multibet-event

  @Test(arguments: [
    ("addToBetslip", false), ("placeBet", false), ("openBetslip", false), ("closeBetslip", true),
  ])
  func knownCommandsShowOrHide(name: String, hides: Bool) throws {
    let (event, refusals) = try event(bet("command", "\"\(name)\""))
    #expect(event.command?.rawValue == name)
    #expect(event.command?.hidesBetslip == hides)
    #expect(event.betslip?.lines.map(\.text) == wholeBet)
    #expect(refusals.isEmpty)
  }

  @Test func closeNeedsNoOtherField() throws {
    let (event, refusals) = try event(#"{"command":"closeBetslip"}"#)
    #expect(event == MultibetEvent(command: .closeBetslip, betslip: nil))
    #expect(refusals.isEmpty)
  }

  @Test func partialPayloadHasItsLinesOnly() throws {
    let (event, refusals) = try event(#"{"command":"openBetslip","marketId":"G-2"}"#)
    #expect(event.betslip?.lines.map(\.text) == ["marketId: G-2"])
    #expect(refusals.isEmpty)
  }

  @Test func unknownCommandIsRefusedAndTheTextUsed() throws {
    let (event, refusals) = try event(bet("command", #""emptyBetslip""#))
    #expect(event.command == nil)
    #expect(event.betslip?.lines.count == 7)
    #expect(refusals == [Refusal(reason: .unknownCommand, field: "command", type: "multibet-event")])
  }

  @Test func missingCommandIsNoFault() throws {
    for value in ["null"] {
      let (event, refusals) = try event(bet("command", value))
      #expect(event.command == nil)
      #expect(event.betslip?.lines.count == 7)
      #expect(refusals.isEmpty)
    }
  }

  @Test func commandThatIsNoTextIsRefused() throws {
    let (event, refusals) = try event(bet("command", "7"))
    #expect(event.command == nil)
    #expect(refusals.map(\.reason) == [.notText])
  }

  @Test(arguments: [
    ("4", "4"), ("4.5", "4.5"), ("0", "0"), (#""4""#, "4"), (#""07.50""#, "07.50"), ("1e21", "1e+21"),
    (#""0""#, "0"),
  ])
  func stakeIsNumberOrNumericText(value: String, shown: String) throws {
    let (event, refusals) = try event(bet("stake", value))
    #expect(event.betslip?.stake == shown)
    #expect(refusals.isEmpty)
  }

  @Test(arguments: [
    (#""four""#, Refusal.Reason.notANumber), (#""""#, .notANumber), (#"" 4""#, .notANumber),
    (#""4,5""#, .notANumber),
    (#""٤""#, .notANumber), ("true", .notANumber), ("false", .notANumber), ("[4]", .notANumber),
    ("{}", .notANumber),
    ("-1", .negative), (#""-1""#, .negative), (#""-0.5""#, .negative),
  ])
  func otherStakesAreRefusedAndTheRestUsed(value: String, reason: Refusal.Reason) throws {
    let (event, refusals) = try event(bet("stake", value))
    #expect(event.command == .addToBetslip)
    #expect(event.betslip?.lines.map(\.text) == Array(wholeBet.dropLast()))
    #expect(refusals == [Refusal(reason: reason, field: "stake", type: "multibet-event")])
  }

  @Test(arguments: [("2", 2.0, "2"), ("2.35", 2.35, "2.35"), ("1e308", 1e308, "1e+308"), ("0.1", 0.1, "0.1")])
  func priceIsANumber(value: String, expected: Double, shown: String) throws {
    let (event, refusals) = try event(bet("decimalPrice", value))
    #expect(event.betslip?.decimalPrice == expected)
    #expect(event.betslip?.lines[5].text == "decimalPrice: \(shown)")
    #expect(refusals.isEmpty)
  }

  @Test(arguments: [#""1.75""#, "true", "[1.75]"])
  func otherPricesAreRefusedAndTheRestUsed(value: String) throws {
    let (event, refusals) = try event(bet("decimalPrice", value))
    #expect(event.betslip?.lines.count == 6)
    #expect(refusals == [Refusal(reason: .notANumber, field: "decimalPrice", type: "multibet-event")])
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func numbersThatAreNotFiniteAreRefused(number: Double) throws {
    let payload: WireValue = ["decimalPrice": .number(number), "stake": .number(number), "marketId": "G-1"]
    let (event, refusals) = MultibetEvent.read(payload)
    #expect(event.betslip?.lines.map(\.text) == ["marketId: G-1"])
    #expect(refusals.map(\.field) == ["decimalPrice", "stake"])
  }

  @Test(arguments: ["stake", "decimalPrice", "marketId"])
  func nullCountsAsAbsent(field: String) throws {
    let (event, refusals) = try event(bet(field, "null"))
    #expect(event.betslip?.lines.contains { $0.field == field } == false)
    #expect(event.betslip?.lines.count == 6)
    #expect(refusals.isEmpty)
  }

  @Test(arguments: [
    "sportsbookFixtureId", "sportsbookSelectionId", "sportsbookMarketId", "sportsbookMarketContext",
    "marketId",
  ])
  func identifierThatIsNoTextIsRefusedAndTheRestUsed(field: String) throws {
    let (event, refusals) = try event(bet(field, "20"))
    #expect(event.betslip?.lines.count == 6)
    #expect(refusals == [Refusal(reason: .notText, field: field, type: "multibet-event")])
  }

  @Test func textIsKeptByteForByte() throws {
    let text = "2ª parte — 半場 🏉👩‍👩‍👦 e\u{301} \u{2028}"
    let (event, _) = MultibetEvent.read(["sportsbookMarketContext": .string(text)])
    #expect(event.betslip?.sportsbookMarketContext.map { Array($0.utf8) } == Array(text.utf8))
  }

  @Test func emptyTextHasALine() throws {
    let (event, _) = try event(bet("marketId", #""""#))
    #expect(event.betslip?.lines[4].text == "marketId: ")
  }

  @Test(arguments: [
    (#"{"type":"multibet-event"}"#, Refusal.Reason.payloadMissing),
    (#"{"type":"multibet-event","payload":null}"#, .payloadMissing),
    (#"{"type":"multibet-event","payload":[{"command":"openBetslip"}]}"#, .payloadNotAnObject),
    (#"{"type":"multibet-event","payload":"{\"command\":\"placeBet\"}"}"#, .payloadNotAnObject),
    (#"{"type":"multibet-event","payload":7}"#, .payloadNotAnObject),
    (#"{"type":"betslip-container-dimensions"}"#, .payloadMissing),
    (#"{"type":"betslip-container-dimensions","payload":[1,2,3,4]}"#, .payloadNotAnObject),
  ])
  func typesThatNeedAnObjectAreRefusedWithoutOne(json: String, reason: Refusal.Reason) throws {
    let reading = try read(json)
    #expect(reading.message == nil)
    #expect(reading.refusals.map(\.reason) == [reason])
    #expect(reading.refusals.map(\.field) == ["payload"])
  }

  // MARK: betslip-container-dimensions

  @Test(arguments: [
    (
      #"{"top":8,"left":500,"width":260,"height":300}"#,
      BetslipRectangle(top: 8, left: 500, width: 260, height: 300)
    ),
    (
      #"{"top":8.25,"left":500.5,"width":260.125,"height":300.75}"#,
      BetslipRectangle(top: 8.25, left: 500.5, width: 260.125, height: 300.75)
    ),
    (#"{"top":0,"left":0,"width":0,"height":0}"#, BetslipRectangle(top: 0, left: 0, width: 0, height: 0)),
    (#"{"top":-5,"left":-9,"width":1,"height":1}"#, BetslipRectangle(top: -5, left: -9, width: 1, height: 1)),
  ])
  func rectangleIsRead(payload: String, rectangle: BetslipRectangle) throws {
    let reading = try read(#"{"type":"betslip-container-dimensions","payload":\#(payload)}"#)
    #expect(reading == .init(message: .betslipDimensions(rectangle), refusals: []))
  }

  @Test(arguments: [
    (#"{"top":8,"left":500,"height":300}"#, "width", Refusal.Reason.notANumber),
    (#"{"top":8,"left":500,"width":"260","height":300}"#, "width", .notANumber),
    (#"{"top":null,"left":500,"width":260,"height":300}"#, "top", .notANumber),
    (#"{"top":8,"left":true,"width":260,"height":300}"#, "left", .notANumber),
    (#"{"top":8,"left":500,"width":-2,"height":300}"#, "width", .negative),
    (#"{"top":8,"left":500,"width":260,"height":-2}"#, "height", .negative),
    (#"{}"#, "top", .notANumber),
  ])
  func incompleteRectangleIsRefused(payload: String, field: String, reason: Refusal.Reason) throws {
    let reading = try read(#"{"type":"betslip-container-dimensions","payload":\#(payload)}"#)
    #expect(reading.message == nil)
    #expect(
      reading.refusals == [Refusal(reason: reason, field: field, type: "betslip-container-dimensions")])
  }

  // MARK: Everything else

  @Test(arguments: [
    (#""toggleFullscreen""#, Refusal.Reason.notAnObject), (#"["init"]"#, .notAnObject), ("3", .notAnObject),
    ("null", .notAnObject), ("true", .notAnObject),
    ("{}", .typeMissing), (#"{"payload":{"command":"placeBet"}}"#, .typeMissing),
    (#"{"type":null,"payload":{}}"#, .typeNotText), (#"{"type":9}"#, .typeNotText),
    (#"{"type":true}"#, .typeNotText),
    (#"{"type":["init"]}"#, .typeNotText),
  ])
  func bodyWithoutTextAsTypeIsRefused(json: String, reason: Refusal.Reason) throws {
    let reading = try read(json)
    #expect(reading.message == nil)
    #expect(reading.refusals.map(\.reason) == [reason])
  }

  @Test func absentBodyIsRefused() {
    #expect(throws: Refusal(reason: .notAnObject)) { try GeniusEnvelope(body: .undefined) }
  }

  @Test(arguments: [
    "", "INIT", "init ", "toggleFullscreen ", "togglefullscreen", "multibet_event", "newThing",
  ])
  func otherTypesAreUnknown(type: String) throws {
    let reading = try read(#"{"type":"\#(type)","payload":{"x":1}}"#)
    #expect(reading == .init(message: .unknown(type: type), refusals: []))
  }

  @Test func payloadThatIsNullCountsAsAbsent() throws {
    #expect(try GeniusEnvelope(body: body(#"{"type":"a","payload":null}"#)).payload == nil)
    #expect(try GeniusEnvelope(body: body(#"{"type":"a"}"#)).payload == nil)
    #expect(
      try GeniusEnvelope(body: body(#"{"type":"a","payload":{"b":1}}"#)).payload == ["b": 1]
    )
  }
}
