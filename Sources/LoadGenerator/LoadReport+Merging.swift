import Foundation

extension LoadReport {
  /// Reads what ``json`` wrote.
  public init(json: String) throws {
    self = try JSONDecoder().decode(LoadReport.self, from: Data(json.utf8))
  }

  /// The report of a run that several processes did together, from theirs; nil of none.
  ///
  /// Histograms are added up, so quantiles are those of all round trips; the p50 of a second is the mean of the parts', weighted by their
  /// messages, and its p99 the largest of theirs.
  public static func merged(_ parts: [LoadReport]) -> LoadReport? {
    guard var all = parts.first else { return nil }
    var histogram = Histogram()
    for part in parts { histogram.merge(part.roundTrips) }
    for part in parts.dropFirst() {
      all.pages += part.pages
      all.hosts += part.hosts
      all.seconds = max(all.seconds, part.seconds)
      all.connectSeconds = max(all.connectSeconds, part.connectSeconds)
      all.isInterrupted = all.isInterrupted || part.isInterrupted
      all.messages += part.messages
      all.lost += part.lost
      all.doubled += part.doubled
      all.reordered += part.reordered
      all.corrupted += part.corrupted
      all.skipped += part.skipped
      all.disconnects += part.disconnects
      all.cuts += part.cuts
      all.resumes += part.resumes
      all.replacedPages += part.replacedPages
      all.usage = all.usage ?? part.usage
      for (index, sample) in part.samples.enumerated() {
        if index < all.samples.count { all.samples[index].add(sample) } else { all.samples.append(sample) }
      }
    }
    all.messagesPerSecond = all.seconds > 0 ? Double(all.messages) / all.seconds : 0
    if var usage = all.usage, all.messages > 0 {
      usage.cpuMicrosecondsPerMessage = usage.cpuSeconds * 1e6 / Double(all.messages)
      all.usage = usage
    }
    all.roundTrip = Latency(histogram)
    all.histogram = histogram.buckets.map {
      Bucket(microseconds: Double($0.upperBound) / 1_000, count: $0.count)
    }
    return all
  }

  private var roundTrips: Histogram {
    Histogram(
      buckets: histogram.map { (UInt64(($0.microseconds * 1_000).rounded()), $0.count) },
      maximum: UInt64((roundTrip.max * 1_000).rounded()))
  }
}

extension LoadReport.Sample {
  fileprivate mutating func add(_ other: LoadReport.Sample) {
    let rate = messagesPerSecond + other.messagesPerSecond
    if rate > 0 {
      p50Microseconds =
        (p50Microseconds * messagesPerSecond + other.p50Microseconds * other.messagesPerSecond) / rate
    }
    messagesPerSecond = rate
    p99Microseconds = max(p99Microseconds, other.p99Microseconds)
    pages += other.pages
    cpu = cpu ?? other.cpu
    residentBytes = residentBytes ?? other.residentBytes
  }
}
