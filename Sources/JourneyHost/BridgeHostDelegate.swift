/// Who sees all that passes a bridge. Nothing has to be implemented.
@MainActor
public protocol BridgeHostDelegate: AnyObject {
  /// A message of the page was decoded; it is routed after this.
  func bridgeHost(_ host: BridgeHost, didReceive message: BridgeMessage)
  /// A message is on its way to the page.
  func bridgeHost(_ host: BridgeHost, didSend message: BridgeMessage)
  /// ``BridgeHost/lastError`` was set to this.
  func bridgeHost(_ host: BridgeHost, didFail error: String)
}

extension BridgeHostDelegate {
  public func bridgeHost(_ host: BridgeHost, didReceive message: BridgeMessage) {}
  public func bridgeHost(_ host: BridgeHost, didSend message: BridgeMessage) {}
  public func bridgeHost(_ host: BridgeHost, didFail error: String) {}
}

/// An object that answers the requests of some actions.
@MainActor
public protocol BridgeRequestHandler: AnyObject {
  /// The actions, such as `device.info`.
  var actions: [String] { get }
  /// Answers a request. What it throws becomes `INTERNAL_ERROR`, unless it is a ``BridgeError``.
  func handle(_ request: BridgeMessage) async throws -> BridgeResponse
}
