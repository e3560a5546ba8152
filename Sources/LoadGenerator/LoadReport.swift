import Foundation

/// What a load run saw.
public struct LoadReport: Codable, Sendable {
  /// Round trips in microseconds: the values below which that share of all lies.
  public struct Latency: Codable, Sendable {
    /// How many round trips there were.
    public var count: UInt64
    /// Half of them.
    public var p50: Double
    /// 90 of 100.
    public var p90: Double
    /// 99 of 100.
    public var p99: Double
    /// 999 of 1,000.
    public var p999: Double
    /// The longest one, exactly.
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
    /// How many round trips are in it.
    public var count: UInt64
  }

  /// What one second saw.
  public struct Sample: Codable, Sendable {
    /// Seconds since traffic began.
    public var second: Double
    /// Bridge messages that handlers got, both directions together.
    public var messagesPerSecond: Double
    /// The median round trip.
    public var p50Microseconds: Double
    /// The round trip below which 99 of 100 lay.
    public var p99Microseconds: Double
    /// Pages that were connected.
    public var pages: Int
    /// The share of one core that the watched process took; 1 is a whole one.
    public var cpu: Double?
    /// What the watched process had in memory.
    public var residentBytes: UInt64?
  }

  /// What a watched process used.
  public struct Usage: Codable, Sendable {
    /// The process that was watched.
    public var processID: Int
    /// Processor time in seconds while traffic flowed.
    public var cpuSeconds: Double
    /// That time by ``LoadReport/messages``; 0 if there were none.
    public var cpuMicrosecondsPerMessage: Double
    /// What it had in memory at the end.
    public var residentBytes: UInt64
    /// The most that it had in memory, looked at once a second.
    public var residentBytesMaximum: UInt64
  }

  /// The kind of traffic, as ``LoadMode`` names it.
  public var mode: String
  /// How many pages there were to be.
  public var pages: Int
  /// How many simulated hosts they shared.
  public var hosts: Int
  /// Seconds in which traffic flowed.
  public var seconds: Double
  /// Seconds from the first page's connect until all pages had a session and were heard.
  public var connectSeconds: Double
  /// Whether somebody ended the run before its time.
  public var isInterrupted: Bool
  /// Bridge messages delivered to a handler, both directions together.
  public var messages: UInt64
  /// ``messages`` by ``seconds``.
  public var messagesPerSecond: Double
  /// How long a post and its answer took, over the whole run.
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
  /// Sockets that this run cut.
  public var cuts: UInt64
  /// Conversations that went on over a new socket.
  public var resumes: UInt64
  /// Pages that left and were replaced.
  public var replacedPages: UInt64
  /// What the watched process used; nil if none was named.
  public var usage: Usage?
  /// The run's course in the order of time, about once a second; of runs above two hours not every sample is kept.
  public var samples: [Sample]
  /// All round trips in bars of growing width, without empty ones.
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
