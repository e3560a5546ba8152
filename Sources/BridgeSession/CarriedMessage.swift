import BridgeProtocol

/// A numbered wire message that a document leaves to the next one of its tab, because its host had not handled it.
public struct CarriedMessage: Hashable, Sendable {
  /// The document whose message it is, and its number there.
  public let origin: Envelope.Origin
  /// The epoch that it was first sent to; nil if it never was.
  let epoch: String?
  /// Its text behind the counters.
  let body: [UInt8]
  /// Whether its bridge message ends with it; false for the parts before the last.
  let isLast: Bool

  /// As many of the oldest whole bridge messages as may be carried, and how many of the newest may not.
  public static func withinLimit(_ messages: [CarriedMessage]) -> (kept: [CarriedMessage], lost: Int) {
    var characters = 0
    var kept = 0
    for (index, message) in messages.enumerated() {
      characters += String(decoding: message.body, as: UTF8.self).utf16.count
      guard characters <= Limits.carriedCharacters else { break }
      if message.isLast { kept = index + 1 }
    }
    return (Array(messages[..<kept]), messages[kept...].count { $0.isLast })
  }
}
