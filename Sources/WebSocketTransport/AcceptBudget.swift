/// How many connections a listener takes in a time. What comes faster waits in the kernel's queue, so that those who are in
/// are served while thousands come back at once.
package struct AcceptBudget: Sendable {
  /// So many connections...
  package let count: Int
  /// ... in this time.
  package let interval: Duration
  private var start: ContinuousClock.Instant?
  private var taken = 0

  package init(count: Int, interval: Duration) {
    self.count = count
    self.interval = interval
  }

  /// How long accepting must rest; nil if one more may be taken now.
  package func rest(at now: ContinuousClock.Instant) -> Duration? {
    guard let start, taken >= count else { return nil }
    let rest = start + interval - now
    return rest > .zero ? rest : nil
  }

  /// Notes that one was taken.
  package mutating func take(at now: ContinuousClock.Instant) {
    if let start, now - start < interval {
      taken += 1
    } else {
      start = now
      taken = 1
    }
  }
}
