import Observation

/// The app's reader of a document's chip: a custom capability whose answer waits for the user.
///
/// A browser has no radio for it, so what would come from the chip is what the page already knows of the document, and the
/// user says whether the chip was read.
@MainActor
@Observable
final class ChipReader {
  static let capability = "nfc.read"
  static let version = "1.0"
  /// What opens a chip, and so what a request has to hold; all texts.
  static let keys = ["documentNumber", "dateOfBirth", "dateOfExpiry"]

  /// The request that waits for the user.
  private(set) var active: BridgeResponder?

  /// Takes a request: it waits for the user, unless it is malformed or another one waits.
  func take(_ request: BridgeMessage, _ responder: BridgeResponder) {
    if let key = Self.keys.first(where: { request.payload.data?[$0]?.string?.isEmpty ?? true }) {
      responder.failure(.invalidRequest, "\(key) is missing or no text")
    } else if active != nil {
      responder.failure(.busy, "A chip is being read already")
    } else {
      active = responder
    }
  }

  /// The user held the document to the device.
  func read() {
    guard let responder = active else { return }
    active = nil
    let data = responder.request.payload.data ?? [:]
    var result = data.filter { Self.keys.contains($0.key) }
    result["isSimulated"] = true
    responder.success(result)
  }

  /// The user did not want to, or nobody waits any more.
  func cancel(reason: String) {
    guard let responder = active else { return }
    active = nil
    responder.cancelled(reason: reason)
  }
}
