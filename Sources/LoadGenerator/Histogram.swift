/// Durations in logarithmic buckets: constant memory, and at most 1.6 % error of each value.
public struct Histogram: Sendable {
  /// Buckets for each power of two.
  private static let subBuckets = 64
  private static let subBucketBits = 6
  private static let powers = 59

  /// Empty until the first value comes: a histogram of nothing takes no memory.
  private var counts: [UInt64] = []
  /// How many values were added.
  public private(set) var count: UInt64 = 0
  /// The largest value, exactly, in nanoseconds; 0 when empty.
  public private(set) var maximum: UInt64 = 0

  /// Makes an empty histogram.
  public init() {}

  /// The histogram that these buckets came from.
  init(buckets: [(upperBound: UInt64, count: UInt64)], maximum: UInt64) {
    for bucket in buckets {
      if counts.isEmpty { counts = Self.emptyCounts }
      counts[Self.bucket(bucket.upperBound)] += bucket.count
      count += bucket.count
    }
    self.maximum = maximum
  }

  /// Adds one value, in nanoseconds.
  public mutating func record(_ value: UInt64) {
    if counts.isEmpty { counts = Self.emptyCounts }
    counts[Self.bucket(value)] += 1
    count += 1
    maximum = max(maximum, value)
  }

  /// Adds everything that another histogram holds.
  public mutating func merge(_ other: Histogram) {
    guard other.count > 0 else { return }
    if counts.isEmpty { counts = Self.emptyCounts }
    for index in counts.indices { counts[index] += other.counts[index] }
    count += other.count
    maximum = max(maximum, other.maximum)
  }

  /// The value below which that share of all values lies, in nanoseconds; 0 when empty.
  ///
  /// - Parameter quantile: from 0 to 1.
  public func value(at quantile: Double) -> UInt64 {
    guard count > 0 else { return 0 }
    let rank = max(1, UInt64((quantile * Double(count)).rounded(.up)))
    var seen: UInt64 = 0
    for (index, bucketCount) in counts.enumerated() {
      seen += bucketCount
      if seen >= rank { return min(Self.upperBound(index), maximum) }
    }
    return maximum
  }

  /// The buckets that hold something, in order: the largest value of each, in nanoseconds, and how many values it holds.
  public var buckets: [(upperBound: UInt64, count: UInt64)] {
    counts.enumerated().compactMap { $1 > 0 ? (Self.upperBound($0), $1) : nil }
  }

  private static let emptyCounts = [UInt64](repeating: 0, count: powers * subBuckets)

  private static func bucket(_ value: UInt64) -> Int {
    guard value >= UInt64(subBuckets) else { return Int(value) }
    let power = UInt64.bitWidth - 1 - value.leadingZeroBitCount
    let shift = power - subBucketBits
    let index = Int(value >> UInt64(shift)) - subBuckets
    return (shift + 1) * subBuckets + index
  }

  private static func upperBound(_ bucket: Int) -> UInt64 {
    guard bucket >= subBuckets else { return UInt64(bucket) }
    let shift = bucket / subBuckets - 1
    let index = bucket % subBuckets
    return (UInt64(subBuckets + index + 1) << UInt64(shift)) &- 1
  }
}
