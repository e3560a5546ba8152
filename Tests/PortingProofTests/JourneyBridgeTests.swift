import PageBridgeTesting
import PageBridgeWebKit
import Testing

@MainActor
struct JourneyBridgeTests {
  /// What an app holds that embeds the journey.
  private final class JourneyScreen: BridgeHostDelegate {
    let host = BridgeHost(hostVersion: "1.0.0")
    private(set) var webView: WKWebView!
    private(set) var opened: [URL] = []
    private(set) var log: [String] = []
    private var coordinator: BridgeWebView.Coordinator!

    init() {
      host.delegate = self
      let view = BridgeWebView(
        url: URL(string: "http://127.0.0.1:8080/journey")!, host: host,
        openURL: { [weak self] in self?.opened.append($0) })
      coordinator = view.makeCoordinator()
      webView = view.makeUIView(coordinator: coordinator)
    }

    func close() {
      webView = nil
    }

    func bridgeHost(_ host: BridgeHost, didReceive message: BridgeMessage) {
      log.append("in \(message.payload.action)")
    }

    func bridgeHost(_ host: BridgeHost, didSend message: BridgeMessage) {
      log.append("out \(message.payload.action)")
    }
  }

  private let name = "gbgBridge"

  private func open() async -> (ProofFixture<JourneyScreen>, SimulatedPage) {
    let fixture = ProofFixture { _ in JourneyScreen() }
    let page = await fixture.open()
    return (fixture, page)
  }

  private func request(_ action: String, _ id: String = "web-1", _ data: WireValue = [:]) -> WireValue {
    ["type": "request", "correlationId": .string(id), "payload": ["action": .string(action), "data": data]]
  }

  /// The envelopes that the page's namespace received, decoded.
  private func received(_ fixture: ProofFixture<JourneyScreen>) -> [BridgeMessage] {
    fixture.scripts.sources.compactMap { source in
      guard let start = source.firstRange(of: "receive(")?.upperBound else { return nil }
      return try? JSONDecoder().decode(BridgeMessage.self, from: Data(source[start...].dropLast(2).utf8))
    }
  }

  @Test func journeyIsLoadedWithHandlerAndNamespace() async throws {
    let (fixture, page) = await open()
    #expect(page.url == "http://127.0.0.1:8080/journey")
    #expect(page.handlers == [name])
    let script = try #require(page.script)
    #expect(await fixture.relay.get(script).text.contains("window.GBGBridge"))
  }

  @Test func queryIsAnsweredFromTheSlots() async {
    let (fixture, page) = await open()
    await fixture.post(page, request("capability.query"), to: name)
    fixture.app.host.documentCapture.handler = { _ in .success([:]) }
    await fixture.post(page, request("capability.query", "web-2"), to: name)
    let answers = received(fixture)
    #expect(answers.map(\.correlationId) == ["web-1", "web-2"])
    #expect(answers.map { $0.payload.data?["hostVersion"] } == [.string("1.0.0"), .string("1.0.0")])
    #expect(
      answers.map { $0.payload.data?["camera.document"] }
        == [false, true].map {
          .object(["supported": .bool($0), "permissionState": .string("notDetermined")])
        })
    #expect(
      fixture.app.log == [
        "in capability.query", "out capability.query", "in capability.query", "out capability.query",
      ])
  }

  @Test func captureIsCompletedByTheUserInterface() async {
    let (fixture, page) = await open()
    let slot = fixture.app.host.documentCapture
    slot.handler = { [weak slot] _ in await slot?.awaitCompletion() ?? .cancelled(reason: "gone") }
    await fixture.post(page, request("camera.document.capture", "a", ["side": "front"]), to: name)
    #expect(slot.activeRequest?.payload.data == ["side": .string("front")])
    await fixture.post(page, request("camera.document.capture", "b"), to: name)
    #expect(received(fixture).map { $0.payload.error?.code } == ["BUSY"])
    slot.complete(.success(["width": .number(1_920), "imageData": .string("iVBORw0KGgo=")]))
    await fixture.relay.settle()
    #expect(slot.activeRequest == nil)
    #expect(received(fixture).last?.payload.data?["width"] == .number(1_920))
    #expect(received(fixture).last?.correlationId == "a")
  }

  @Test func textBodiesAreDecodedAndBrokenOnesAreErrors() async {
    let (fixture, page) = await open()
    await fixture.post(
      page, #"{"type":"request","correlationId":"t","payload":{"action":"nfc.read"}}"#, to: name)
    #expect(fixture.app.host.pendingRequests.map(\.correlationId) == ["t"])
    await fixture.post(page, ["type": "ping"], to: name)
    await fixture.post(page, "{", to: name)
    #expect(fixture.app.host.lastError?.hasPrefix("Decode failed") == true)
    #expect(fixture.app.host.receivedMessages.count == 1)
    fixture.app.host.respond(to: fixture.app.host.pendingRequests[0], .cancelled(reason: "no reader"))
    await fixture.relay.settle()
    #expect(fixture.app.host.pendingRequests.isEmpty)
    #expect(received(fixture).last?.payload.status == "cancelled")
  }

  @Test func eventsReachThePageUntilTheViewIsGone() async {
    let (fixture, _) = await open()
    fixture.app.host.sendEvent("host.orientation", data: ["orientation": .string("landscape")])
    await fixture.relay.settle()
    #expect(received(fixture).last?.correlationId.hasPrefix("ios-event-") == true)
    fixture.scripts.answer("GBGBridge") { throw ScriptException("TypeError: undefined is not an object") }
    fixture.app.host.sendEvent("host.ready")
    await fixture.relay.settle()
    #expect(fixture.app.host.lastError?.hasPrefix("JavaScript evaluation failed") == true)
    fixture.app.close()
    await fixture.relay.settle()
    fixture.app.host.sendEvent("host.ready")
    #expect(fixture.app.host.lastError == "WebView not attached")
  }

  @Test func linksToOtherHostsOpenOutside() async {
    let (fixture, page) = await open()
    #expect(await fixture.isAllowed(page, "http://127.0.0.1:8080/step2"))
    #expect(await !fixture.isAllowed(page, "https://help.example/"))
    #expect(fixture.app.opened == [URL(string: "https://help.example/")])
  }

  @Test func changedAddressNavigatesOnce() async {
    let (fixture, page) = await open()
    let host = fixture.app.host
    let coordinator = BridgeWebView.Coordinator(journeyHost: nil, openURL: { _ in })
    for _ in 1...2 {
      BridgeWebView(url: URL(string: "http://127.0.0.1:8080/other")!, host: host)
        .updateUIView(fixture.app.webView, coordinator: coordinator)
      await fixture.relay.settle()
    }
    #expect(page.url == "http://127.0.0.1:8080/other")
    #expect(page.received.count { $0.method == "load" } == 2)
  }
}
