import Foundation
import Testing

@testable import PlayerHost

struct PlayerPageMessageTests {
  private func read(_ json: String) throws -> PlayerPageMessage {
    try PlayerPageMessage(GeniusEnvelope(body: body(json)))
  }

  @Test func playerReadyIsHeardWhateverTheFixtureIdsType() throws {
    for id in ["31", "\"31\""] {
      let ready = #"{"type":"player_ready","payload":{"streamId":"s","geniusSportsFixtureId":\#(id)}}"#
      #expect(try read(ready) == .playerReady)
    }
    #expect(try read(#"{"type":"player_ready","payload":null}"#) == .playerReady)
  }

  @Test(arguments: [1001, 1002, 1003, 1004])
  func playerNotReadyGivesCodeMessageAndDetails(code: Int) throws {
    let message = try read(
      #"{"type":"player_not_ready","payload":{"error":[{"code":\#(code),"message":"not here","details":"fixture 31"}]}}"#
    )
    #expect(message == .playerNotReady([PlayerError(code: code, message: "not here", details: "fixture 31")]))
  }

  @Test func severalErrorsKeepTheirOrder() throws {
    let message = try read(
      #"{"type":"player_not_ready","payload":{"error":[{"code":1004,"message":"a","details":""},{"code":1002,"message":"b"}]}}"#
    )
    #expect(
      message
        == .playerNotReady([
          PlayerError(code: 1004, message: "a", details: ""),
          PlayerError(code: 1002, message: "b", details: ""),
        ]))
  }

  @Test(arguments: [
    (#"{"type":"player_not_ready"}"#, Refusal.Reason.payloadMissing),
    (#"{"type":"player_not_ready","payload":{"error":"1003"}}"#, .notAnArray),
    (#"{"type":"player_not_ready","payload":{}}"#, .notAnArray),
    (#"{"type":"player_not_ready","payload":{"error":["1003"]}}"#, .payloadNotAnObject),
    (#"{"type":"player_not_ready","payload":{"error":[{"message":"x"}]}}"#, .notANumber),
    (#"{"type":"player_not_ready","payload":{"error":[{"code":1001.5}]}}"#, .notANumber),
    (#"{"type":"player_not_ready","payload":{"error":[{"code":1e300}]}}"#, .notANumber),
    (#"{"type":"streamData","payload":{"result":1}}"#, .notText),
    (#"{"type":"else"}"#, .unknownType),
  ])
  func malformedMessageIsRefused(json: String, reason: Refusal.Reason) throws {
    let refusal = #expect(throws: Refusal.self) { try read(json) }
    #expect(refusal?.reason == reason)
  }

  @Test func requestForBetsAndStreamDataAreHeard() throws {
    #expect(try read(#"{"type":"requestUserBets","payload":null}"#) == .requestUserBets)
    #expect(
      try read(#"{"type":"streamData","payload":{"result":"error","message":"no rights"}}"#)
        == .streamData(result: "error", message: "no rights"))
    #expect(
      try read(#"{"type":"streamData","payload":{"result":"started"}}"#)
        == .streamData(result: "started", message: nil))
  }
}
