import Foundation
import PageBridgeTesting
import PageBridgeWebKit
import Synchronization

@testable import JourneyHost

/// A bridge in an app of a simulated relay, with a page that a test plays.
@MainActor
final class JourneyFixture {
  let relay = SimulatedRelay()
  let host: WebViewHost
  let scripts = ScriptLog()
  private(set) var bridge: BridgeHost!
  private(set) var webView: WKWebView!
  let watcher = Watcher()

  init(_ bridge: BridgeHost = BridgeHost(hostVersion: "1.0.0")) {
    self.bridge = bridge
    bridge.delegate = watcher
    host = relay.makeHost(app: "journey")
  }

  /// Starts the host and opens a page whose web view has the bridge.
  func open() async -> SimulatedPage {
    host.start { [weak self] _ in
      guard let self else { return nil }
      webView = BridgeWebViewConfigurator.makeWebView(host: bridge)
      return Holder(webView)
    }
    return await openPage()
  }

  /// Opens one more page.
  func openPage(_ options: SimulatedPage.Options = SimulatedPage.Options()) async -> SimulatedPage {
    let page = relay.makePage(app: "journey", options: options)
    page.onEvaluate { [scripts] in try scripts.run($0) }
    page.open()
    await settle()
    return page
  }

  func settle() async {
    await relay.settle()
  }

  func post(_ page: SimulatedPage, _ body: WireValue) async {
    page.post(body, to: BridgeHost.handlerName)
    await settle()
  }

  func ask(_ page: SimulatedPage, _ action: String, _ id: String = "web-1", _ data: WireValue? = nil) async {
    var payload: [WireValue.Member] = [.init("action", .string(action))]
    if let data { payload.append(.init("data", data)) }
    await post(
      page, ["type": "request", "correlationId": .string(id), "payload": .object(payload)])
  }

  /// Lets go of the bridge, as an app that closes the journey does.
  func freeBridge() {
    bridge = nil
  }

  /// Lets go of the view.
  func freeView() async {
    webView = nil
    await settle()
  }

  /// The envelopes that the page was given, oldest first.
  func envelopes(_ page: SimulatedPage) -> [WireValue] {
    page.received.filter { $0.method == "callAsync" }.compactMap { $0.params["arguments"]?["envelope"] }
  }

  private final class Holder {
    private weak var webView: WKWebView?

    init(_ webView: WKWebView) {
      self.webView = webView
    }
  }
}

/// Keeps what a bridge's delegate sees.
@MainActor
final class Watcher: BridgeHostDelegate {
  private(set) var log: [String] = []

  func bridgeHost(_ host: BridgeHost, didReceive message: BridgeMessage) {
    log.append("in \(message.type.rawValue) \(message.payload.action)")
  }

  func bridgeHost(_ host: BridgeHost, didSend message: BridgeMessage) {
    log.append("out \(message.type.rawValue) \(message.payload.action)")
  }

  func bridgeHost(_ host: BridgeHost, didFail error: String) {
    log.append("error \(error)")
  }
}

/// What the page's function answers.
final class ScriptLog: Sendable {
  private let failure = Mutex(nil as String?)

  func setFailure(_ text: String?) {
    failure.withLock { $0 = text }
  }

  func run(_ source: String) throws -> WireValue {
    if let text = failure.withLock({ $0 }) { throw ScriptException(text) }
    return .undefined
  }
}
