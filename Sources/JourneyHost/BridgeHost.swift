import Observation
import PageBridgeWebKit

/// The app's end of the bridge to an identity journey: decodes what the page asks for, routes it to the app's capabilities,
/// answers, and tells the page of events. One host belongs to one web view, which it does not retain.
///
/// All of it is on the main actor, and what changes can be observed. Handlers should be set before the page is loaded.
@MainActor
@Observable
public final class BridgeHost: NSObject {
  /// The name that pages post to.
  public nonisolated static let handlerName = "gbgBridge"

  /// Answers a custom capability's request, by the responder, now or later.
  public typealias CapabilityHandler = @MainActor (BridgeMessage, BridgeResponder) -> Void

  struct CustomCapability {
    var version: String
    var handler: CapabilityHandler
  }

  /// The host's version, as pages see it.
  public let hostVersion: String
  /// The place for photos of documents.
  public let documentCapture = CaptureSlot(.document)
  /// The place for photos of faces.
  public let selfieCapture = CaptureSlot(.selfie)

  /// Capabilities that the query tells of beside slots and custom ones. A host made with ``init(configuration:)`` goes on
  /// telling of those that it was made with.
  public var capabilities: [String: Capability]

  /// Every message of the page that was decoded, oldest first, the newest ``BridgeLimits/receivedMessages`` of them.
  public var receivedMessages: [BridgeMessage] { log.messages }
  /// How many messages of the page were decoded in all.
  public internal(set) var receivedCount = 0
  /// The requests that nothing answers: parked until ``respond(to:with:)`` or a later handler does.
  public internal(set) var pendingRequests: [BridgeMessage] = []
  /// The newest error of decoding, evaluation, attachment or a handler; nil after ``clearError()``.
  public internal(set) var lastError: String?
  /// Whether there is a web view to send to.
  public var isAttached: Bool { webView != nil }
  /// The web view that the bridge was given to last; nil once it is gone.
  @ObservationIgnored public internal(set) weak var webView: WKWebView?
  /// Who sees all traffic.
  @ObservationIgnored public weak var delegate: (any BridgeHostDelegate)?

  /// Whether a request that nothing answers gets `UNSUPPORTED` at once, and is not parked.
  public var answersUnsupportedRequests = false
  /// The origins whose pages may use the bridge, such as `https://journey.example`, in any case; nil for all.
  public var allowedOrigins: Set<String>?

  var log = MessageLog()
  @ObservationIgnored let fixedCapabilities: [String: Capability]?
  @ObservationIgnored var customCapabilities: [String: CustomCapability] = [:]
  @ObservationIgnored var requestHandlers: [String: any BridgeRequestHandler] = [:]
  @ObservationIgnored var openRequests = OpenRequests()

  /// Makes a host whose query is answered from its present state each time.
  public convenience init(hostVersion: String) {
    self.init(hostVersion, [:], fixed: nil)
  }

  /// Makes a host that tells of these capabilities for as long as it lives; slots with a handler still go before them.
  public convenience init(configuration: BridgeConfiguration) {
    self.init(configuration.hostVersion, configuration.capabilities, fixed: configuration.capabilities)
  }

  private init(
    _ hostVersion: String, _ capabilities: [String: Capability], fixed: [String: Capability]?
  ) {
    self.hostVersion = hostVersion
    self.capabilities = capabilities
    fixedCapabilities = fixed
    super.init()
    for slot in [documentCapture, selfieCapture] {
      slot.onSupportChange = { [weak self] in self?.offerPendingRequests() }
    }
  }

  isolated deinit {
    let reason = "Host deallocated"
    for slot in [documentCapture, selfieCapture] { slot.abandon(reason: reason) }
    guard let webView else { return }
    for request in openRequests.all {
      Self.deliver(Self.envelope(.cancelled(reason: reason), to: request), to: webView) { _ in }
    }
  }

  // MARK: Capabilities

  /// Offers a capability of the app's own: requests whose action is its id are given to the handler. An earlier one of the
  /// same id is replaced. Requests that were parked for it are given to it at once.
  ///
  /// `capability.query` is the host's own and cannot be taken.
  public func registerCustomCapability(
    _ id: String, version: String, _ handler: @escaping CapabilityHandler
  ) {
    customCapabilities[id] = CustomCapability(version: version, handler: handler)
    offerPendingRequests()
  }

  /// Takes a custom capability back; requests under way to it may still be answered.
  public func unregisterCustomCapability(_ id: String) {
    customCapabilities[id] = nil
  }

  /// Gives requests of the handler's actions to it, before custom capabilities. The host retains it; an earlier handler of
  /// an action is replaced. Requests that were parked for it are given to it at once.
  public func register(handler: any BridgeRequestHandler) {
    for action in handler.actions { requestHandlers[action] = handler }
    offerPendingRequests()
  }

  // MARK: The page

  /// Another document has taken the page's place: nobody waits for the old one's requests any more.
  ///
  /// ``BridgeWebView`` calls it; an app with a navigation delegate of its own calls it from `webView(_:didCommit:)`.
  public func pageDidChange() {
    abandonRequests(reason: "The page was left")
  }

  /// The page is gone: its process ended, or it could not be loaded.
  ///
  /// - Parameter error: what ``lastError`` becomes.
  public func pageDidEnd(error: String) {
    abandonRequests(reason: error)
    fail(error)
  }

  private func abandonRequests(reason: String) {
    openRequests.removeAll()
    if !pendingRequests.isEmpty { pendingRequests = [] }
    for slot in [documentCapture, selfieCapture] { slot.abandon(reason: reason) }
  }

  // MARK: Errors

  /// Forgets the newest error.
  public func clearError() {
    lastError = nil
  }

  func fail(_ error: String) {
    lastError = error
    delegate?.bridgeHost(self, didFail: error)
  }
}
