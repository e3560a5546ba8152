import Foundation
import PageBridgeTesting
import PageBridgeWebKit
import Testing

@testable import JourneyHost

@MainActor
struct BridgeHostTests {
  private func error(_ envelope: WireValue?) -> WireValue? { envelope?["payload"]?["error"] }

  // MARK: Answers

  @Test func eachResponseHasItsFormOnTheWire() async throws {
    let fixture = JourneyFixture()
    let page = await fixture.open()
    let responses: [(BridgeResponse, WireValue)] = [
      (.success(["a": 1]), ["action": "x", "status": "success", "data": ["a": 1]]),
      (.cancelled(reason: "no"), ["action": "x", "status": "cancelled", "data": ["reason": "no"]]),
      (
        .unsupported(message: "none"),
        [
          "action": "x", "status": "unsupported",
          "error": ["code": "UNSUPPORTED", "message": "none", "recoverable": false],
        ]
      ),
      (
        .failure(BridgeError(.timeout, "late")),
        [
          "action": "x", "status": "error",
          "error": ["code": "TIMEOUT", "message": "late", "recoverable": true],
        ]
      ),
    ]
    for (index, (response, expected)) in responses.enumerated() {
      await fixture.ask(page, "x", "id-\(index)")
      let request = try #require(fixture.bridge.pendingRequests.first)
      #expect(fixture.bridge.respond(to: request, with: response))
      await fixture.settle()
      let envelope = fixture.envelopes(page).last
      #expect(envelope?["correlationId"] == .string("id-\(index)"))
      #expect(envelope?["version"] == "1.0" && envelope?["type"] == "response")
      #expect(envelope?["payload"] == expected)
    }
  }

  @Test func recoverableCodesAreThoseOfTheTable() {
    #expect(BridgeErrorCode.allCases.count == 8)
    #expect(
      Set(BridgeErrorCode.allCases.filter(\.isRecoverable))
        == [.permissionDenied, .cancelled, .timeout, .busy])
  }

  @Test func firstAnswerCountsAndLaterOnesAreRefused() async throws {
    let fixture = JourneyFixture()
    var responder: BridgeResponder?
    fixture.bridge.registerCustomCapability("nfc.read", version: "1.0") { responder = $1 }
    let page = await fixture.open()
    await fixture.ask(page, "nfc.read")
    #expect(responder?.success(["n": 1]) == true)
    #expect(responder?.failure(.busy, "late") == false)
    let request = try #require(responder?.request)
    #expect(!fixture.bridge.respond(to: request, with: .cancelled(reason: "late")))
    await fixture.settle()
    #expect(fixture.envelopes(page).count == 1)
  }

  @Test func responderThatIsLetGoAnswersAnError() async {
    let fixture = JourneyFixture()
    fixture.bridge.registerCustomCapability("nfc.read", version: "1.0") { _, _ in }
    let page = await fixture.open()
    await fixture.ask(page, "nfc.read")
    #expect(error(fixture.envelopes(page).last)?["code"] == "INTERNAL_ERROR")
  }

  @Test func handlerThatThrowsAnswersAnError() async {
    let fixture = JourneyFixture()
    struct Broken: Error {}
    fixture.bridge.documentCapture.handler = { _ in throw Broken() }
    fixture.bridge.selfieCapture.handler = { _ in throw BridgeError(.permissionDenied, "no") }
    let page = await fixture.open()
    await fixture.ask(page, "camera.document.capture", "a")
    #expect(error(fixture.envelopes(page).last)?["code"] == "INTERNAL_ERROR")
    #expect(fixture.bridge.lastError?.hasPrefix("Handler failed") == true)
    fixture.bridge.clearError()
    #expect(fixture.bridge.lastError == nil)
    await fixture.ask(page, "camera.selfie.capture", "b")
    #expect(error(fixture.envelopes(page).last)?["code"] == "PERMISSION_DENIED")
    #expect(fixture.bridge.lastError == nil)
  }

  @Test func answerThatIsTooLargeBecomesAnError() async throws {
    let fixture = JourneyFixture()
    let page = await fixture.open()
    await fixture.ask(page, "x")
    let request = try #require(fixture.bridge.pendingRequests.first)
    let text = String(repeating: "a", count: BridgeLimits.sentBytes)
    fixture.bridge.respond(to: request, with: .success(["text": .string(text)]))
    await fixture.settle()
    #expect(error(fixture.envelopes(page).last)?["code"] == "INTERNAL_ERROR")
    #expect(fixture.bridge.lastError?.hasPrefix("Encode failed") == true)
    let sent = fixture.envelopes(page).count
    fixture.bridge.send(event: "big", data: ["text": .string(text)])
    await fixture.settle()
    #expect(fixture.envelopes(page).count == sent)
  }

  // MARK: Routing

  @Test func slotGoesBeforeHandlerGoesBeforeCustomCapability() async {
    let fixture = JourneyFixture()
    let bridge = fixture.bridge!
    let object = Recording(actions: ["camera.document.capture"])
    var custom = 0
    bridge.registerCustomCapability("camera.document", version: "0.1") {
      custom += 1
      $1.success()
    }
    let page = await fixture.open()
    await fixture.ask(page, "camera.document.capture", "a")
    #expect(custom == 1)
    bridge.register(handler: object)
    await fixture.ask(page, "camera.document.capture", "b")
    #expect(custom == 1 && object.handled == ["b"])
    bridge.documentCapture.handler = { _ in .cancelled(reason: "slot") }
    await fixture.ask(page, "camera.document.capture", "c")
    #expect(custom == 1 && object.handled == ["b"])
    #expect(fixture.envelopes(page).last?["payload"]?["data"] == ["reason": "slot"])
    bridge.documentCapture.isEnabled = false
    await fixture.ask(page, "camera.document.capture", "d")
    #expect(object.handled == ["b", "d"])
  }

  @Test func parkedRequestsAreOfferedToALaterHandler() async {
    let fixture = JourneyFixture()
    let bridge = fixture.bridge!
    let page = await fixture.open()
    for (action, id) in [("camera.selfie.capture", "a"), ("nfc.read", "b"), ("device.info", "c")] {
      await fixture.ask(page, action, id)
    }
    #expect(bridge.pendingRequests.map(\.correlationId) == ["a", "b", "c"])
    bridge.selfieCapture.handler = { _ in .cancelled(reason: "x") }
    bridge.registerCustomCapability("nfc.read", version: "1") { $1.success() }
    bridge.register(handler: Recording(actions: ["device.info"]))
    await fixture.settle()
    #expect(bridge.pendingRequests.isEmpty)
    #expect(Set(fixture.envelopes(page).compactMap { $0["correlationId"]?.string }) == ["a", "b", "c"])
  }

  @Test func unsupportedRequestsAreAnsweredAtOnceWhereTheAppWantsIt() async {
    let fixture = JourneyFixture()
    fixture.bridge.answersUnsupportedRequests = true
    let page = await fixture.open()
    await fixture.ask(page, "camera.document.capture")
    #expect(fixture.envelopes(page).last?["payload"]?["status"] == "unsupported")
    #expect(fixture.bridge.pendingRequests.isEmpty)
  }

  @Test func requestWithTheIdOfAnOpenOneIsRefused() async {
    let fixture = JourneyFixture()
    let page = await fixture.open()
    await fixture.ask(page, "x", "same")
    await fixture.ask(page, "y", "same")
    #expect(fixture.bridge.pendingRequests.map(\.payload.action) == ["x"])
    #expect(fixture.bridge.lastError?.contains("correlationId") == true)
    #expect(fixture.envelopes(page).isEmpty)
  }

  @Test func pagesOfOtherOriginsAreRefused() async {
    let fixture = JourneyFixture()
    fixture.bridge.allowedOrigins = ["https://journey.example"]
    let page = await fixture.open()
    await fixture.ask(page, "capability.query")
    #expect(fixture.bridge.lastError?.hasPrefix("Origin not allowed: ") == true)
    #expect(fixture.bridge.receivedCount == 0)
    fixture.bridge.allowedOrigins = ["HTTP://127.0.0.1:8080"]
    await fixture.ask(page, "capability.query")
    #expect(fixture.bridge.receivedCount == 1)
  }

  // MARK: The query

  @Test func queryIsAnsweredFromThePresentState() async {
    let fixture = JourneyFixture()
    let bridge = fixture.bridge!
    let page = await fixture.open()
    func capabilities() async -> WireValue? {
      await fixture.ask(page, "capability.query", UUID().uuidString)
      return fixture.envelopes(page).last?["payload"]?["data"]?["capabilities"]
    }
    #expect(await capabilities()?["camera.document"]?["supported"] == false)
    bridge.documentCapture.handler = { _ in .cancelled(reason: "") }
    bridge.documentCapture.permissionState = .granted
    bridge.registerCustomCapability("nfc.read", version: "2.1") { _, _ in }
    bridge.capabilities["nfc.read"] = Capability(supported: false, version: "3.0")
    let now = await capabilities()
    #expect(
      now?["camera.document"] == ["permissionState": "granted", "supported": true, "version": "1.0"])
    #expect(now?["camera.selfie"] == ["permissionState": "notDetermined", "supported": false])
    // What the app declares goes before a custom capability.
    #expect(now?["nfc.read"] == ["supported": false, "version": "3.0"])
  }

  @Test func configuredHostGoesOnTellingWhatItWasMadeWith() async {
    let configuration = BridgeConfiguration(
      hostVersion: "7.0",
      capabilities: ["camera.document": Capability(supported: true), "x": Capability(supported: true)])
    let fixture = JourneyFixture(BridgeHost(configuration: configuration))
    let bridge = fixture.bridge!
    let page = await fixture.open()
    bridge.capabilities["x"] = Capability(supported: false)
    await fixture.ask(page, "capability.query")
    let data = fixture.envelopes(page).last?["payload"]?["data"]
    #expect(data?["hostVersion"] == "7.0")
    #expect(data?["capabilities"]?["x"] == ["supported": true])
    #expect(data?["capabilities"]?["camera.document"] == ["supported": true])
  }

  // MARK: Logs

  @Test func logKeepsTheNewestMessages() async {
    let fixture = JourneyFixture()
    let page = await fixture.open()
    for number in 1...BridgeLimits.receivedMessages + 50 {
      page.post(
        [
          "type": "event", "correlationId": .string("e\(number)"), "payload": ["action": "tick"],
        ], to: BridgeHost.handlerName)
    }
    await fixture.settle()
    #expect(fixture.bridge.receivedCount == BridgeLimits.receivedMessages + 50)
    #expect(fixture.bridge.receivedMessages.count == BridgeLimits.receivedMessages)
    #expect(fixture.bridge.receivedMessages.first?.correlationId == "e51")
  }

  @Test func parkedRequestsBeyondTheWarningAreAnError() async {
    let fixture = JourneyFixture()
    let page = await fixture.open()
    for number in 1...BridgeLimits.pendingWarning { await fixture.ask(page, "x", "p\(number)") }
    #expect(fixture.bridge.lastError == nil)
    await fixture.ask(page, "x", "one more")
    #expect(fixture.bridge.lastError == "51 pending requests")
  }

  @Test func delegateSeesAllTraffic() async {
    let fixture = JourneyFixture()
    let page = await fixture.open()
    await fixture.ask(page, "capability.query")
    await fixture.post(page, "nonsense")
    fixture.bridge.send(event: "host.ready")
    #expect(
      fixture.watcher.log == [
        "in request capability.query", "out response capability.query",
        "error Decode failed: the text is no JSON", "out event host.ready",
      ])
  }
}

@MainActor
private final class Recording: BridgeRequestHandler {
  let actions: [String]
  private(set) var handled: [String] = []

  init(actions: [String]) {
    self.actions = actions
  }

  func handle(_ request: BridgeMessage) async throws -> BridgeResponse {
    handled.append(request.correlationId)
    return .success([:])
  }
}
