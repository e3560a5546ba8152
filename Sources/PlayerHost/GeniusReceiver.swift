import PageBridgeWebKit

/// Listens on one name of the page and splits what comes into type and payload.
///
/// It calls exactly one of its two closures, once for each message. The web view's content controller retains it, so it
/// holds nothing of the app but these closures.
@MainActor
final class GeniusReceiver: WKScriptMessageHandler {
  private let received: @MainActor (GeniusEnvelope) -> Void
  private let refused: @MainActor (Refusal) -> Void

  init(
    received: @escaping @MainActor (GeniusEnvelope) -> Void, refused: @escaping @MainActor (Refusal) -> Void
  ) {
    self.received = received
    self.refused = refused
  }

  func userContentController(
    _ userContentController: WKUserContentController, didReceive message: WKScriptMessage
  ) {
    let envelope: GeniusEnvelope
    do throws(Refusal) {
      envelope = try GeniusEnvelope(body: message.wireValue)
    } catch {
      refused(error)
      return
    }
    received(envelope)
  }
}
