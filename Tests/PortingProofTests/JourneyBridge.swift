// The third system as its SDK has it: a host object that routes requests of an identity journey to native capabilities, a
// configurator that gives the bridge to new and existing web views, and a drop-in view whose coordinator is the navigation
// delegate.
//
// Changed for the port, and nothing else:
//   import WebKit, import SwiftUI, import Combine   -> import PageBridgeWebKit, import Observation
//   ObservableObject, @Published                    -> @Observable
//   UIViewRepresentable                             -> the same methods on a plain struct
//   UIApplication.shared.open                       -> a closure
//   deinit that touches the actor                   -> isolated deinit

import Observation
import PageBridgeWebKit

/// One message of the wire between page and host.
struct BridgeMessage: Codable, Sendable {
  struct Payload: Codable, Sendable {
    var action: String
    var data: [String: JSONValue]?
    var status: String?
    var error: Failure?
  }

  struct Failure: Codable, Sendable {
    var code: String
    var message: String
    var recoverable: Bool
  }

  enum Kind: String, Codable, Sendable {
    case request, response, event
  }

  var type: Kind
  var correlationId: String
  var payload: Payload
}

/// Any JSON value, decoded typed: an untyped cast takes 1 for true.
enum JSONValue: Codable, Equatable, Sendable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  init(from decoder: Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  func encode(to encoder: Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }
}

enum CapabilityResult: Sendable {
  case success([String: JSONValue])
  case cancelled(reason: String)
}

/// A typed place for one capability; a user interface may complete its request later.
@MainActor
@Observable
final class CapabilitySlot {
  var handler: (@MainActor (BridgeMessage) async -> CapabilityResult)?
  var isEnabled = true
  var permissionState = "notDetermined"
  fileprivate(set) var activeRequest: BridgeMessage?
  var isSupported: Bool { handler != nil && isEnabled }
  @ObservationIgnored private var waiting: CheckedContinuation<CapabilityResult, Never>?

  func awaitCompletion() async -> CapabilityResult {
    await withCheckedContinuation { waiting = $0 }
  }

  func complete(_ result: CapabilityResult) {
    waiting?.resume(returning: result)
    waiting = nil
  }
}

@MainActor
protocol BridgeHostDelegate: AnyObject {
  func bridgeHost(_ host: BridgeHost, didReceive message: BridgeMessage)
  func bridgeHost(_ host: BridgeHost, didSend message: BridgeMessage)
}

@MainActor
@Observable
final class BridgeHost: NSObject {
  static let handlerName = "gbgBridge"

  let documentCapture = CapabilitySlot()
  private(set) var receivedMessages: [BridgeMessage] = []
  private(set) var pendingRequests: [BridgeMessage] = []
  private(set) var lastError: String?
  @ObservationIgnored weak var delegate: (any BridgeHostDelegate)?
  @ObservationIgnored fileprivate weak var webView: WKWebView?
  private let hostVersion: String

  init(hostVersion: String) {
    self.hostVersion = hostVersion
    super.init()
  }

  isolated deinit {
    documentCapture.complete(.cancelled(reason: "Host deallocated"))
  }

  func sendEvent(_ action: String, data: [String: JSONValue] = [:]) {
    send(
      BridgeMessage(
        type: .event, correlationId: "ios-event-\(UUID().uuidString)",
        payload: .init(action: action, data: data)))
  }

  func respond(to request: BridgeMessage, _ result: CapabilityResult) {
    pendingRequests.removeAll { $0.correlationId == request.correlationId }
    var payload = BridgeMessage.Payload(action: request.payload.action)
    switch result {
    case .success(let data):
      payload.status = "success"
      payload.data = data
    case .cancelled(let reason):
      payload.status = "cancelled"
      payload.error = .init(code: "CANCELLED", message: reason, recoverable: true)
    }
    send(BridgeMessage(type: .response, correlationId: request.correlationId, payload: payload))
  }

  private func send(_ message: BridgeMessage) {
    guard let webView else {
      lastError = "WebView not attached"
      return
    }
    delegate?.bridgeHost(self, didSend: message)
    do {
      let json = String(decoding: try JSONEncoder().encode(message), as: UTF8.self)
      webView.evaluateJavaScript("window.GBGBridge.receive(\(json));") { [weak self] _, error in
        if let error { self?.lastError = "JavaScript evaluation failed: \(error.localizedDescription)" }
      }
    } catch {
      lastError = "Encode failed: \(error.localizedDescription)"
    }
  }

  private func route(_ request: BridgeMessage) {
    switch request.payload.action {
    case "capability.query":
      respond(
        to: request,
        .success([
          "hostVersion": .string(hostVersion),
          "camera.document": .object([
            "supported": .bool(documentCapture.isSupported),
            "permissionState": .string(documentCapture.permissionState),
          ]),
        ]))
    case "camera.document.capture" where documentCapture.isSupported:
      guard documentCapture.activeRequest == nil else {
        refuse(request, code: "BUSY", recoverable: true)
        return
      }
      documentCapture.activeRequest = request
      let handler = documentCapture.handler
      Task { [weak self] in
        let result = await handler?(request) ?? .cancelled(reason: "No handler")
        self?.documentCapture.activeRequest = nil
        self?.respond(to: request, result)
      }
    default:
      pendingRequests.append(request)
    }
  }

  private func refuse(_ request: BridgeMessage, code: String, recoverable: Bool) {
    let failure = BridgeMessage.Failure(code: code, message: code, recoverable: recoverable)
    send(
      BridgeMessage(
        type: .response, correlationId: request.correlationId,
        payload: .init(action: request.payload.action, status: "error", error: failure)))
  }
}

extension BridgeHost: WKScriptMessageHandler {
  func userContentController(
    _ userContentController: WKUserContentController, didReceive message: WKScriptMessage
  ) {
    guard message.name == Self.handlerName, message.webView === webView, message.frameInfo.isMainFrame else {
      return
    }
    do {
      let data =
        if let text = message.body as? String {
          Data(text.utf8)
        } else {
          try JSONSerialization.data(withJSONObject: message.body, options: [.fragmentsAllowed])
        }
      let decoded = try JSONDecoder().decode(BridgeMessage.self, from: data)
      receivedMessages.append(decoded)
      delegate?.bridgeHost(self, didReceive: decoded)
      if decoded.type == .request { route(decoded) }
    } catch {
      lastError = "Decode failed: \(error.localizedDescription)"
    }
  }
}

/// A handler that does not retain the host: the content controller retains handlers.
private final class WeakMessageHandler: NSObject, WKScriptMessageHandler {
  private weak var host: BridgeHost?

  init(_ host: BridgeHost) {
    self.host = host
  }

  func userContentController(
    _ userContentController: WKUserContentController, didReceive message: WKScriptMessage
  ) {
    host?.userContentController(userContentController, didReceive: message)
  }
}

@MainActor
enum BridgeWebViewConfigurator {
  private static let bootstrap = """
    window.GBGBridge = {
      environment: 'ios',
      listeners: [],
      postMessage: (message) => window.webkit.messageHandlers.gbgBridge.postMessage(message),
      receive: (message) => window.GBGBridge.listeners.forEach((listener) => listener(message)),
    };
    """

  static func makeWebView(host: BridgeHost) -> WKWebView {
    let configuration = WKWebViewConfiguration()
    configuration.allowsInlineMediaPlayback = true
    configuration.mediaTypesRequiringUserActionForPlayback = []
    let webView = WKWebView(frame: .zero, configuration: configuration)
    configure(webView, host: host)
    return webView
  }

  static func configure(_ webView: WKWebView, host: BridgeHost) {
    let controller = webView.configuration.userContentController
    controller.removeScriptMessageHandler(forName: BridgeHost.handlerName)
    controller.add(WeakMessageHandler(host), name: BridgeHost.handlerName)
    controller.addUserScript(
      WKUserScript(source: bootstrap, injectionTime: .atDocumentStart, forMainFrameOnly: true))
    host.webView = webView
  }
}

/// The drop-in view.
@MainActor
struct BridgeWebView {
  let url: URL
  let host: BridgeHost
  var openURL: (URL) -> Void = { _ in }

  func makeCoordinator() -> Coordinator {
    Coordinator(journeyHost: url.host, openURL: openURL)
  }

  func makeUIView(coordinator: Coordinator) -> WKWebView {
    let webView = BridgeWebViewConfigurator.makeWebView(host: host)
    webView.navigationDelegate = coordinator
    webView.load(URLRequest(url: url))
    return webView
  }

  func updateUIView(_ webView: WKWebView, coordinator: Coordinator) {
    if webView.url != url { webView.load(URLRequest(url: url)) }
  }

  final class Coordinator: NSObject, WKNavigationDelegate {
    private let journeyHost: String?
    private let openURL: (URL) -> Void

    init(journeyHost: String?, openURL: @escaping (URL) -> Void) {
      self.journeyHost = journeyHost
      self.openURL = openURL
    }

    func webView(
      _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction
    ) async -> WKNavigationActionPolicy {
      guard navigationAction.navigationType == .linkActivated, let url = navigationAction.request.url,
        let host = url.host, host.lowercased() != journeyHost?.lowercased()
      else { return .allow }
      openURL(url)
      return .cancel
    }
  }
}
