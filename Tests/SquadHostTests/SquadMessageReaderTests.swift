import Foundation
import PageBridgeWebKit
import Testing

@testable import SquadHost

/// Every kind of message that a page may post on `squadBridge`, and what the app makes of it.
struct SquadMessageReaderTests {
  private let reader = SquadMessageReader(addresses: SquadAddressRule())

  private func refusal(_ body: WireValue) -> SquadRefusal? {
    do throws(SquadRefusal) {
      _ = try reader.read(body)
      return nil
    } catch {
      return error
    }
  }

  /// One entry of the table that the browser tests use too.
  struct Vector: CustomStringConvertible, Sendable {
    var value: WireValue
    var description: String { SquadLog.text(value["message"] ?? .undefined) }
  }

  static let vectors: [Vector] = {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../Vectors/squad.json").standardized
    guard let data = try? Data(contentsOf: file), let table = try? WireValue(json: data) else { return [] }
    return (table.array ?? []).map(Vector.init).filter { $0.value["from"] == "page" }
  }()

  @Test func tableIsThere() {
    #expect(Self.vectors.count == 26)
  }

  @Test(arguments: vectors)
  func messageIsReadOrRefusedAsTheTableSays(vector: Vector) throws {
    let body = try #require(vector.value["message"])
    if let kind = vector.value["received"]?.string {
      #expect(try reader.read(body).kind.rawValue == kind)
    } else {
      let expected = try #require(vector.value["refusal"])
      let found = try #require(refusal(body))
      #expect(found.reason.rawValue == expected["reason"]?.string)
      #expect(found.type == expected["type"]?.string)
      #expect(found.field == expected["field"]?.string)
    }
  }

  @Test func fieldsAreReadWhole() throws {
    #expect(
      try reader.read([
        "type": "call", "data": ["action": "emoji", "callId": "c", "emoji": "🏳️‍🌈", "title": nil, "more": 1],
      ]) == .call(SquadCallMessage(action: .emoji, callId: "c", title: nil, emoji: "🏳️‍🌈")))
    #expect(
      try reader.read(["type": "error", "data": ["code": "X"]])
        == .error(SquadProductError(code: "X", message: nil)))
  }

  @Test(arguments: [
    ("callId", SquadLimits.identifierLength), ("title", SquadLimits.titleLength),
    ("emoji", SquadLimits.emojiLength),
  ])
  func textsOfACallAreBounded(field: String, limit: Int) {
    func body(_ length: Int) -> WireValue {
      var data: [String: WireValue] = ["action": "emoji", "callId": "c", "emoji": "x"]
      data[field] = .string(String(repeating: "é", count: length))
      return ["type": "call", "data": .object(data.map { WireValue.Member($0.key, $0.value) })]
    }
    #expect(refusal(body(limit - 1)) == nil)
    #expect(refusal(body(limit)) == nil)
    #expect(refusal(body(limit + 1)) == SquadRefusal(reason: .fieldTooLong, type: "call", field: field))
  }

  @Test func textsOfOtherTypesAreBounded() {
    func error(_ code: Int, _ message: Int) -> WireValue {
      [
        "type": "error",
        "data": [
          "code": .string(String(repeating: "c", count: code)),
          "message": .string(String(repeating: "m", count: message)),
        ],
      ]
    }
    #expect(refusal(error(SquadLimits.identifierLength, SquadLimits.messageLength)) == nil)
    #expect(refusal(error(SquadLimits.identifierLength + 1, 0))?.field == "code")
    #expect(refusal(error(1, SquadLimits.messageLength + 1))?.field == "message")
    func route(_ length: Int) -> WireValue {
      ["type": "navigation", "data": ["route": .string("/" + String(repeating: "r", count: length - 1))]]
    }
    #expect(refusal(route(SquadLimits.addressLength)) == nil)
    #expect(refusal(route(SquadLimits.addressLength + 1))?.reason == .fieldTooLong)
  }

  @Test(arguments: ["", "home", "//evil.test/", "https://app.squadforsports.com/"])
  func routeIsAPathOfTheProduct(route: String) {
    #expect(refusal(["type": "navigation", "data": ["route": .string(route)]])?.field == "route")
  }

  @Test func actionsAndEmojiAreRequired() {
    #expect(
      refusal(["type": "call", "data": ["action": "incoming", "callId": "c"]])
        == SquadRefusal(reason: .unknownAction, type: "call", field: "action"))
    #expect(
      refusal(["type": "call", "data": ["action": "emoji", "callId": "c"]])
        == SquadRefusal(reason: .fieldMissing, type: "call", field: "emoji"))
    #expect(
      refusal(["type": "call", "data": ["action": "end", "callId": ""]])
        == SquadRefusal(reason: .fieldEmpty, type: "call", field: "callId"))
  }

  @Test func withoutValidationAKnownTypeIsEnough() throws {
    var lenient = reader
    lenient.validates = false
    #expect(try lenient.read(["type": "error", "message": "flat form"]).kind == .error)
    #expect(try lenient.read(["type": "call", "data": "start"]).kind == .call)
    #expect(throws: SquadRefusal(reason: .unknownType, type: "reaction")) {
      try lenient.read(["type": "reaction", "data": [:]])
    }
  }

  @Test(arguments: [
    ("https://squadforsports.com/", true), ("https://app.squadforsports.com/a?b#c", true),
    ("https://APP.SquadForSports.com./", true), ("https://squadforsports.com.evil.test/", false),
    ("https://evilsquadforsports.com/", false), ("https://app.squadforsports.com@evil.test/", false),
    ("https://user@app.squadforsports.com/", false), ("http://app.squadforsports.com/", false),
    ("javascript:alert(1)", false), ("data:text/html,x", false), ("/path", false),
  ])
  func addressesOfTheProduct(text: String, isProduct: Bool) throws {
    #expect(SquadAddressRule().isProduct(try #require(URL(string: text))) == isProduct)
  }

  @Test(arguments: [
    ("https://example.com/", true), ("http://127.0.0.1:8080/", true), ("http://localhost/", true),
    ("http://[::1]:8080/", true), ("http://127.0.0.1.evil.test/", false),
    ("http://localhost.evil.test/", false),
    ("http://example.com/", false), ("ftp://127.0.0.1/", false), ("javascript:alert(1)", false),
    ("file:///tmp/x.html", false), ("squad://app/index.html", true),
  ])
  func secureContentOnly(text: String, isAllowed: Bool) throws {
    let url = try #require(URL(string: text))
    #expect(SquadAddressRule().allowsContent(url) == isAllowed)
    let isHTTP = url.scheme == "http"
    #expect(SquadAddressRule(isProduction: false).allowsContent(url) == (isAllowed || isHTTP))
  }
}
