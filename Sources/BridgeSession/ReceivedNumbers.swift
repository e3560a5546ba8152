import BridgeProtocol

/// How far the messages of documents had come that are otherwise forgotten: of the newest ``Limits/rememberedNumbers``.
///
/// A message of which parts had come is kept with its document, as long as all of these have no more than
/// ``Limits/maxMessageBytes`` bytes.
struct ReceivedNumbers: Sendable {
  private var remnants: [String: IncomingSequence.Remnant] = [:]
  /// The documents, the one that was noted first in front.
  private var order: [String] = []
  private var partialBytes = 0

  mutating func note(_ document: String, _ remnant: IncomingSequence.Remnant) {
    _ = take(document)
    guard remnant.received > 0 else { return }
    var remnant = remnant
    let bytes = remnant.partial?.text.count ?? 0
    if partialBytes + bytes > Limits.maxMessageBytes {
      remnant = IncomingSequence.Remnant(received: remnant.receivedWhole)
    } else {
      partialBytes += bytes
    }
    remnants[document] = remnant
    order.append(document)
    if order.count > Limits.rememberedNumbers { _ = take(order[0]) }
  }

  /// What was noted, if it still is; it is not any more then.
  mutating func take(_ document: String) -> IncomingSequence.Remnant? {
    guard let remnant = remnants.removeValue(forKey: document) else { return nil }
    order.removeAll { $0 == document }
    partialBytes -= remnant.partial?.text.count ?? 0
    return remnant
  }
}
