/// Where a run stands, told about once a second.
public struct LoadProgress: Sendable, Codable {
  /// The parts of a run, one after another.
  public enum Phase: String, Sendable, Codable {
    /// Hosts and pages open their sockets.
    case connecting
    /// Messages flow and are measured.
    case traffic
    /// Nothing more is posted; what is under way is waited for.
    case finishing
  }

  /// Which part of the run it is.
  public var phase: Phase
  /// Seconds since the phase began.
  public var elapsed: Double
  /// Seconds that it is to last; nil when that depends.
  public var length: Double?
  /// Pages that are connected.
  public var pages: Int
  /// Pages that there are to be.
  public var wantedPages: Int
  /// Bridge messages that handlers got in the last second, both directions together.
  public var messagesPerSecond = 0.0
  /// The median round trip of the last second.
  public var p50Microseconds = 0.0
  /// The round trip below which 99 of 100 of the last second lay.
  public var p99Microseconds = 0.0
  /// Messages lost, doubled, reordered or corrupted so far; what is under way is not lost.
  public var faults: UInt64 = 0
  /// Sockets that ended without being told to, so far.
  public var disconnects: UInt64 = 0

  /// Where several processes stand that do a run together; nil of none.
  public static func merged(_ parts: [LoadProgress]) -> LoadProgress? {
    guard var all = parts.first else { return nil }
    for part in parts.dropFirst() {
      // A run is as far as the last one.
      if part.phase == .connecting { all.phase = .connecting }
      all.elapsed = max(all.elapsed, part.elapsed)
      all.pages += part.pages
      all.wantedPages += part.wantedPages
      all.messagesPerSecond += part.messagesPerSecond
      all.p50Microseconds = max(all.p50Microseconds, part.p50Microseconds)
      all.p99Microseconds = max(all.p99Microseconds, part.p99Microseconds)
      all.faults += part.faults
      all.disconnects += part.disconnects
    }
    return all
  }

  /// One line for people.
  public var text: String {
    let time =
      length.map { "\(Int(elapsed.rounded())) of \(Int($0.rounded())) s" } ?? "\(Int(elapsed.rounded())) s"
    switch phase {
    case .connecting: return "connecting  \(time)  \(pages) of \(wantedPages) pages"
    case .traffic, .finishing:
      return "\(phase.rawValue)  \(time)  \(pages) pages  \(LoadFormat.count(messagesPerSecond)) msg/s  "
        + "p50 \(LoadFormat.time(p50Microseconds))  p99 \(LoadFormat.time(p99Microseconds))  "
        + "faults \(faults)  disconnects \(disconnects)"
    }
  }
}

/// Numbers for people.
enum LoadFormat {
  static func number(_ value: Double, _ digits: Int) -> String {
    let scale = [1.0, 10, 100, 1_000][digits]
    let scaled = (value * scale).rounded() / scale
    guard digits > 0 else { return String(Int(scaled)) }
    let parts = String(scaled).split(separator: ".")
    let fraction = parts.count > 1 ? parts[1] : ""
    return parts[0] + "." + fraction.prefix(digits)
      + String(repeating: "0", count: max(0, digits - fraction.count))
  }

  static func count(_ value: Double) -> String {
    value > 0 && value < 10 ? number(value, 1) : grouped(Int(value.rounded()))
  }

  static func grouped(_ value: some BinaryInteger) -> String {
    var text = String(value)
    var at = text.count - 3
    while at > 0 {
      text.insert(",", at: text.index(text.startIndex, offsetBy: at))
      at -= 3
    }
    return text
  }

  /// Microseconds in the unit that suits them.
  static func time(_ microseconds: Double) -> String {
    if microseconds < 1_000 { return "\(number(microseconds, 0)) us" }
    if microseconds < 1_000_000 {
      return "\(number(microseconds / 1_000, microseconds < 100_000 ? 1 : 0)) ms"
    }
    return "\(number(microseconds / 1_000_000, 2)) s"
  }

  static func bytes(_ value: Double) -> String {
    if value < 10_240 { return "\(number(value, 0)) B" }
    if value < 10_485_760 { return "\(number(value / 1_024, 0)) KiB" }
    return "\(number(value / 1_048_576, 1)) MiB"
  }
}
