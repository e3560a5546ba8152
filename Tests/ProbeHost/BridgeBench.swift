import Foundation
import JourneyHost
import Observation
import PageBridgeWebKit

/// Commands about bridges of the identity journey: hosts by their labels, with whatever an app would put into them.
@MainActor
final class BridgeBench {
  /// How the next visitors' views come by a bridge.
  enum Wiring {
    case none
    /// The drop-in view, which loads the address.
    case dropIn(host: String, URL, JourneyMode)
    case make(host: String)
    case configure(host: String)
  }

  private let journal: Journal
  private(set) var hosts: [String: BridgeHost] = [:]
  /// Hosts that a test looks for after it let go of them.
  private var watched: [String: WeakHost] = [:]
  private var watchers: [String: BridgeWatcher] = [:]
  private var dropIns: [String: BridgeWebView] = [:]
  private var held: [String: [BridgeResponder]] = [:]
  private(set) var wiring = Wiring.none

  private struct WeakHost {
    weak var host: BridgeHost?
  }

  init(journal: Journal) {
    self.journal = journal
  }

  /// The view of a new visitor; nil if it is an ordinary one.
  func makeView() throws -> WKWebView? {
    switch wiring {
    case .none, .configure: return nil
    case .make(let label): return BridgeWebViewConfigurator.makeWebView(host: try host(label))
    case .dropIn(let label, let url, let mode):
      let dropIn = BridgeWebView(url: url, host: try host(label), mode: mode) { [journal] url in
        journal.write("openedOutside", ["host": .string(label), "url": .string(url.absoluteString)])
      }
      dropIns[label] = dropIn
      return dropIn.webView
    }
  }

  func configure(_ webView: WKWebView) throws {
    if case .configure(let label) = wiring {
      BridgeWebViewConfigurator.configure(webView, host: try host(label))
    }
  }

  func host(_ label: String) throws -> BridgeHost {
    guard let host = hosts[label] else { throw BridgeBenchError.noSuchHost }
    return host
  }

  // MARK: Commands

  func perform(_ command: JSONValue, on webView: @autoclosure () throws -> WKWebView) throws -> JSONValue {
    let label = command["host"]?.string ?? "a"
    switch command["do"]?.string ?? "" {
    case "bridgeNew": make(label, command)
    case "bridgeWire": try wire(label, command)
    case "bridgeAttach": BridgeWebViewConfigurator.configure(try webView(), host: try host(label))
    case "bridgeCapabilities":
      try host(label).capabilities = Self.capabilities(command["capabilities"])
    case "bridgeOrigins":
      try host(label).allowedOrigins = command["origins"]?.array.map { Set($0.compactMap(\.string)) }
    case "bridgeUnsupported":
      try host(label).answersUnsupportedRequests = command["answers"]?.bool ?? true
    case "bridgeSlot": try setSlot(command, try slot(label, command))
    case "bridgeComplete": return .bool(try slot(label, command).complete(Self.result(command)))
    case "bridgeCustom": try custom(label, command)
    case "bridgeAnswerHeld": answerHeld(label, isReversed: command["reversed"]?.bool ?? false)
    case "bridgeRegister":
      try host(label).register(
        handler: EchoingHandler(actions: command["actions"]?.array?.compactMap(\.string) ?? []))
    case "bridgeSend":
      let data = (command["data"]?.object ?? [:]).mapValues(Self.converted)
      return .string(try host(label).send(event: command["event"]?.string ?? "", data: data))
    case "bridgeRespond":
      let host = try host(label)
      guard
        let request = host.pendingRequests.first(where: { $0.correlationId == command["request"]?.string })
      else { return false }
      return .bool(host.respond(to: request, with: Self.response(command)))
    case "bridgeClearError": try host(label).clearError()
    case "bridgeState": return state(of: try host(label))
    case "bridgeURL":
      guard let url = URL(string: command["url"]?.string ?? "") else { throw BridgeBenchError.badURL }
      dropIns[label]?.url = url
    case "bridgeObserve": try observe(label, observer: command["observer"]?.string ?? "")
    case "bridgeFree":
      dropIns[label] = nil
      held[label] = nil
      hosts[label] = nil
    case "bridgeCloseView": dropIns[label] = nil
    case "bridgeIsAlive": return .bool(watched[label]?.host != nil)
    default: throw ProbeError.unknownCommand
    }
    return true
  }

  private func make(_ label: String, _ command: JSONValue) {
    let version = command["version"]?.string ?? "1.0.0"
    let host =
      if let capabilities = command["configuration"] {
        BridgeHost(
          configuration: BridgeConfiguration(
            hostVersion: version, capabilities: Self.capabilities(capabilities)))
      } else {
        BridgeHost(hostVersion: version)
      }
    let watcher = BridgeWatcher(label: label, journal: journal)
    host.delegate = watcher
    watchers[label] = watcher
    watched[label] = WeakHost(host: host)
    hosts[label] = host
  }

  private func wire(_ label: String, _ command: JSONValue) throws {
    switch command["how"]?.string {
    case "make": wiring = .make(host: label)
    case "configure": wiring = .configure(host: label)
    case "dropIn":
      guard let url = URL(string: command["url"]?.string ?? "") else { throw BridgeBenchError.badURL }
      let mode = command["mode"]?.string.flatMap(JourneyMode.init) ?? .production
      wiring = .dropIn(host: label, url, mode)
    default: wiring = .none
    }
  }

  private func slot(_ label: String, _ command: JSONValue) throws -> CaptureSlot {
    let host = try host(label)
    return command["slot"]?.string == "selfie" ? host.selfieCapture : host.documentCapture
  }

  private func setSlot(_ command: JSONValue, _ slot: CaptureSlot) throws {
    if let isEnabled = command["enabled"]?.bool { slot.isEnabled = isEnabled }
    if let state = command["permission"]?.string.flatMap(PermissionState.init) {
      slot.permissionState = state
    }
    switch command["handler"]?.string {
    case nil: break
    case "none": slot.handler = nil
    case "await":
      slot.handler = { [weak slot] _ in
        await slot?.awaitCompletion() ?? .cancelled(reason: "Host deallocated")
      }
    case "throw": slot.handler = { _ in throw BridgeBenchError.onPurpose }
    default:
      let result = Self.result(command)
      slot.handler = { _ in result }
    }
  }

  private func custom(_ label: String, _ command: JSONValue) throws {
    let id = command["capability"]?.string ?? ""
    let response = Self.response(command)
    let how = command["how"]?.string
    let version = command["version"]?.string ?? "1.0"
    try host(label).registerCustomCapability(id, version: version) { [weak self] request, responder in
      self?.journal.write(
        "custom", ["host": .string(label), "id": .string(id), "action": .string(request.payload.action)])
      switch how {
      case "hold": self?.held[label, default: []].append(responder)
      case "drop": break
      case "echo": responder.success(request.payload.data ?? [:])
      case "echoId": responder.success(["id": .string(request.correlationId)])
      default: responder.respond(response)
      }
    }
  }

  private func answerHeld(_ label: String, isReversed: Bool) {
    let responders = held.removeValue(forKey: label) ?? []
    for responder in isReversed ? responders.reversed() : responders {
      responder.success(["id": .string(responder.request.correlationId)])
    }
  }

  private func observe(_ label: String, observer: String) throws {
    let host = try host(label)
    let count = withObservationTracking {
      host.receivedMessages.count
    } onChange: { [weak self] in
      Task { @MainActor in try? self?.observe(label, observer: observer) }
    }
    journal.write("observed", ["observer": .string(observer), "count": JSONValue(count)])
  }

  private func state(of host: BridgeHost) -> JSONValue {
    [
      "receivedCount": JSONValue(host.receivedCount),
      "received": .array(host.receivedMessages.map { .string($0.correlationId) }),
      "pending": .array(host.pendingRequests.map { .string($0.correlationId) }),
      "lastError": JSONValue(host.lastError), "isAttached": .bool(host.isAttached),
      "documentActive": JSONValue(host.documentCapture.activeRequest?.correlationId),
      "selfieActive": JSONValue(host.selfieCapture.activeRequest?.correlationId),
      "documentSupported": .bool(host.documentCapture.isSupported),
      "selfieSupported": .bool(host.selfieCapture.isSupported),
    ]
  }
}

enum BridgeBenchError: Error {
  case noSuchHost
  case badURL
  case onPurpose
}
