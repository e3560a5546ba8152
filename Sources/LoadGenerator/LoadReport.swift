import Foundation

/// What a load run saw.
public struct LoadReport: Codable, Sendable {
  /// Round trips in microseconds: the values below which that share of all lies.
  public struct Latency: Codable, Sendable {
    public var count: UInt64
    public var p50: Double
    public var p90: Double
    public var p99: Double
    public var p999: Double
    public var max: Double

    init(_ histogram: Histogram) {
      func microseconds(_ quantile: Double) -> Double { Double(histogram.value(at: quantile)) / 1_000 }
      count = histogram.count
      p50 = microseconds(0.5)
      p90 = microseconds(0.9)
      p99 = microseconds(0.99)
      p999 = microseconds(0.999)
      max = Double(histogram.maximum) / 1_000
    }
  }

  /// One bar of the histogram.
  public struct Bucket: Codable, Sendable {
    /// The longest round trip in it.
    public var microseconds: Double
    public var count: UInt64
  }

  /// What one second saw.
  public struct Sample: Codable, Sendable {
    /// Seconds since traffic began.
    public var second: Double
    public var messagesPerSecond: Double
    public var p50Microseconds: Double
    public var p99Microseconds: Double
    public var pages: Int
    /// Of the watched process: the share of one core, and resident bytes.
    public var cpu: Double?
    public var residentBytes: UInt64?
  }

  /// What a watched process used.
  public struct Usage: Codable, Sendable {
    public var processID: Int
    /// Processor time in seconds while traffic flowed.
    public var cpuSeconds: Double
    public var cpuMicrosecondsPerMessage: Double
    /// Resident bytes at the end, and the most seen.
    public var residentBytes: UInt64
    public var residentBytesMaximum: UInt64
  }

  public var mode: String
  public var pages: Int
  public var hosts: Int
  /// Seconds in which traffic flowed.
  public var seconds: Double
  /// Seconds from the first page's connect until all pages had a session and were heard.
  public var connectSeconds: Double
  /// Whether somebody ended the run before its time.
  public var isInterrupted: Bool
  /// Bridge messages delivered to a handler, both directions together.
  public var messages: UInt64
  public var messagesPerSecond: Double
  public var roundTrip: Latency
  /// Messages that never arrived.
  public var lost: UInt64
  /// Messages that a handler got twice.
  public var doubled: UInt64
  /// Messages that a handler got before an earlier one.
  public var reordered: UInt64
  /// Messages whose content was not what was sent.
  public var corrupted: UInt64
  /// Messages that were due and could not be posted because too much waited.
  public var skipped: UInt64
  /// Sockets that ended without being told to.
  public var disconnects: UInt64
  /// Sockets that this run cut, and conversations that went on over a new socket.
  public var cuts: UInt64
  public var resumes: UInt64
  /// Pages that left and were replaced.
  public var replacedPages: UInt64
  public var usage: Usage?
  public var samples: [Sample]
  public var histogram: [Bucket]

  /// Whether every message arrived once, in order and intact.
  public var isClean: Bool {
    lost == 0 && doubled == 0 && reordered == 0 && corrupted == 0 && (messages > 0 || isInterrupted)
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
    var lines = [
      "\(mode): \(pages) pages on \(hosts) host\(hosts == 1 ? "" : "s"), \(LoadFormat.number(seconds, 1)) s"
        + " (connected in \(LoadFormat.number(connectSeconds, 2)) s)"
        + (isInterrupted ? ", interrupted" : ""),
      "",
      "  messages     \(LoadFormat.grouped(messages)) (\(LoadFormat.count(messagesPerSecond)) a second)",
    ]
    if roundTrip.count > 0 {
      let values = [
        ("p50", roundTrip.p50), ("p90", roundTrip.p90), ("p99", roundTrip.p99), ("p99.9", roundTrip.p999),
        ("max", roundTrip.max),
      ]
      lines.append(
        "  round trip   " + values.map { "\($0.0) \(LoadFormat.time($0.1))" }.joined(separator: "  "))
    }
    if let usage {
      lines.append(
        "  process \(usage.processID)  \(LoadFormat.number(usage.cpuSeconds, 2)) s of processor time, "
          + "\(LoadFormat.number(usage.cpuMicrosecondsPerMessage, 2)) us a message, "
          + "resident \(LoadFormat.bytes(Double(usage.residentBytes))), "
          + "at most \(LoadFormat.bytes(Double(usage.residentBytesMaximum)))")
    }
    if cuts > 0 || resumes > 0 { lines.append("  cuts         \(cuts), resumed \(resumes)") }
    if replacedPages > 0 { lines.append("  churn        \(replacedPages) pages replaced") }
    if skipped > 0 {
      lines.append("  skipped      \(skipped) messages were due when too much waited already")
    }
    lines += [
      "  faults       lost \(lost)  doubled \(doubled)  reordered \(reordered)  corrupted \(corrupted)  disconnects \(disconnects)",
      "",
      isClean
        ? "Every message arrived once, in order and intact."
        : messages == 0
          ? "FAILED: no message arrived." : "FAILED: messages did not arrive as they were sent.",
    ]
    return lines.joined(separator: "\n")
  }
}
