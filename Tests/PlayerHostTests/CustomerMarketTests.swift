import Foundation
import PageBridgeWebKit
import Testing

@testable import PlayerHost

struct CustomerMarketTests {
  private let selection = #"""
    {"sport":"Rugby","competitionName":"Cup","selectionId":"s","status":"Won","selectionName":"Home","marketId":"m",
     "marketType":"Winner","fixtureId":"31","fixtureName":"A v B","fixtureStartTime":1767225600000,
     "price":{"numerator":3,"denominator":4,"decimal":1.75,"american":"-133"}}
    """#

  private func market(_ member: String? = nil, _ value: String = "") throws -> Data {
    let json =
      #"{"id":"b","type":"Single","status":"Settled","currency":"EUR","payout":7,"stakePerUnit":4,"#
      + #""cashOutAvailable":false,"cashOutPrice":0,"addedAt":1767225600000,"selections":[\#(selection)]}"#
    var members = try body(json).object ?? []
    if let member { members = members.filter { $0.name != member } + [.init(member, try body(value))] }
    var writer = JSONWriter(capacity: 1_024)
    try writer.value(.object(members))
    return Data(writer.bytes)
  }

  @Test func marketIsReadWhole() throws {
    let decoded = try JSONDecoder().decode(CustomerMarket.self, from: market())
    #expect(decoded.type == .single)
    #expect(decoded.status == .settled)
    #expect(decoded.selections.count == 1)
    #expect(decoded.selections[0].status == .won)
    #expect(decoded.selections[0].price.outcome == nil)
    #expect(decoded.addedAt == 1_767_225_600_000)
  }

  @Test func sameMarketComesOutOfTheScript() throws {
    let decoded = try JSONDecoder().decode(CustomerMarket.self, from: market())
    let script = try PlayerScript.setUserBets([decoded])
    let start = try #require(script.range(of: "setUserBets("))
    let end = try #require(script.range(of: "); return true"))
    let argument = Data(script[start.upperBound..<end.lowerBound].utf8)
    #expect(try JSONDecoder().decode([CustomerMarket].self, from: argument) == [decoded])
  }

  @Test func textOfABetCannotBecomeCode() throws {
    var decoded = try JSONDecoder().decode(CustomerMarket.self, from: market())
    decoded.id = "\"); alert(1) //</script>\u{2028}\u{2029}'"
    let script = try PlayerScript.setUserBets([decoded])
    #expect(!script.contains("</script>"))
    #expect(!script.contains("\u{2028}"))
    #expect(!script.contains("\u{2029}"))
    #expect(script.contains(#"\"); alert(1)"#))
  }

  @Test func noBetsAreAnEmptyArray() throws {
    #expect(try PlayerScript.setUserBets([]).contains("setUserBets([])"))
  }

  @Test(arguments: [
    ("type", #""Triple""#), ("status", #""Won""#), ("addedAt", #""2026-01-01""#), ("cashOutAvailable", "1"),
    ("payout", "true"), ("selections", "{}"), ("currency", "null"), ("id", "5"),
  ])
  func valueOutsideTheModelIsRefused(member: String, value: String) throws {
    let data = try market(member, value)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(CustomerMarket.self, from: data) }
  }

  @Test func objectInPlaceOfTheListIsRefused() throws {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([CustomerMarket].self, from: Data("{\"0\":{}}".utf8))
    }
  }
}
