import Foundation
import PageBridgeTesting
import PageBridgeWebKit
import Testing

@testable import JourneyHost

/// What pages may post and what each of it brings about, from the table that the browser tests go through too.
@MainActor
struct VectorTests {
  struct Vector: Decodable, Sendable, CustomTestStringConvertible {
    var name: String
    var post: JSONValue
    /// What is posted first, and left open.
    var before: JSONValue?
    var expect: String
    var code: String?

    var testDescription: String { name }
  }

  private struct Table: Decodable {
    var page: [Vector]
  }

  nonisolated static var vectors: [Vector] {
    guard let url = Bundle.module.url(forResource: "vectors", withExtension: "json"),
      let data = try? Data(contentsOf: url), let table = try? JSONDecoder().decode(Table.self, from: data)
    else { return [] }
    return table.page
  }

  @Test func tableIsThere() {
    #expect(Self.vectors.count > 30)
  }

  @Test(arguments: vectors)
  func vectorHasItsEffect(_ vector: Vector) async throws {
    let fixture = JourneyFixture()
    let bridge = try #require(fixture.bridge)
    for slot in [bridge.documentCapture, bridge.selfieCapture] {
      slot.handler = { [weak slot] _ in await slot?.awaitCompletion() ?? .cancelled(reason: "gone") }
    }
    var custom: [BridgeResponder] = []
    bridge.registerCustomCapability("nfc.read", version: "1.0") { custom.append($1) }
    let page = await fixture.open()
    if let before = vector.before { await fixture.post(page, before.wireValue) }
    let received = bridge.receivedCount
    let sent = fixture.envelopes(page).count
    await fixture.post(page, vector.post.wireValue)
    let answers = fixture.envelopes(page).dropFirst(sent)
    let id = vector.post["correlationId"]?.string

    switch vector.expect {
    case "answered": #expect(answers.map { $0["payload"]?["status"] } == ["success"])
    case "document": #expect(bridge.documentCapture.activeRequest?.correlationId == id)
    case "selfie": #expect(bridge.selfieCapture.activeRequest?.correlationId == id)
    case "custom": #expect(custom.map(\.request.correlationId) == [id])
    case "parked": #expect(bridge.pendingRequests.map(\.correlationId) == [id])
    case "recorded":
      #expect(bridge.receivedMessages.last?.correlationId == id)
      #expect(bridge.lastError == nil)
    case "error":
      #expect(answers.map { $0["payload"]?["error"]?["code"]?.string } == [vector.code])
      #expect(answers.map { $0["correlationId"]?.string } == [id])
    case "refused": #expect(bridge.lastError?.hasPrefix("Decode failed: ") == true)
    case "unexpected": #expect(bridge.lastError?.hasPrefix("Unexpected response") == true)
    default: Issue.record("no such expectation: \(vector.expect)")
    }
    let isAnswered = ["answered", "error"].contains(vector.expect)
    #expect(answers.isEmpty != isAnswered)
    let isDecoded = vector.expect != "refused" && (vector.expect != "error" || vector.code == "BUSY")
    #expect(bridge.receivedCount == received + (isDecoded ? 1 : 0))

    // Whatever it was, the bridge works after it.
    await fixture.ask(page, "capability.query", "after")
    #expect(fixture.envelopes(page).last?["correlationId"] == "after")
    #expect(fixture.envelopes(page).last?["payload"]?["status"] == "success")
  }
}
