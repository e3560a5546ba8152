import Foundation

/// What a load run saw.
public struct LoadReport: Codable, Sendable {
  public var mode: String
  public var pages: Int
  public var hosts: Int
  public var seconds: Double
  /// Seconds from the first page's connect until all pages had a session and were heard.
  public var connectSeconds: Double
  /// Bridge messages delivered to a handler, both directions together.
  public var messages: UInt64
  public var messagesPerSecond: Double
  public var roundTripP50Microseconds: Double
  public var roundTripP99Microseconds: Double
  public var roundTripMaxMicroseconds: Double
  /// Messages that never arrived.
  public var lost: UInt64
  /// Messages that a handler got twice.
  public var doubled: UInt64
  /// Messages that a handler got before an earlier one.
  public var reordered: UInt64
  /// Messages whose content was not what was sent.
  public var corrupted: UInt64
  /// Sockets that ended before the run did.
  public var disconnects: UInt64

  /// Whether every message arrived once, in order and intact.
  public var isClean: Bool {
    lost == 0 && doubled == 0 && reordered == 0 && corrupted == 0 && messages > 0
  }

  /// The report as one line of JSON.
  public var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let data = (try? encoder.encode(self)) ?? Data()
    return String(decoding: data, as: UTF8.self)
  }

  /// The report for people.
  public var text: String {
    func number(_ value: Double, _ digits: Int = 0) -> String { String(format: "%.\(digits)f", value) }
    return """
      \(mode): \(pages) pages on \(hosts) host\(hosts == 1 ? "" : "s"), \(number(seconds, 1)) s (connected in \(number(connectSeconds, 2)) s)
      messages     \(messages) (\(number(messagesPerSecond)) a second)
      round trip   p50 \(number(roundTripP50Microseconds)) us, p99 \(number(roundTripP99Microseconds)) us, max \(number(roundTripMaxMicroseconds)) us
      lost \(lost) · doubled \(doubled) · reordered \(reordered) · corrupted \(corrupted) · disconnects \(disconnects)
      \(isClean ? "Every message arrived once, in order and intact." : "FAILED: messages did not arrive as they were sent.")
      """
  }
}
