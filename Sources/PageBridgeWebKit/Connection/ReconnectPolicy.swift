/// When a host tries again to reach its relay: first at once, then after a random share of a growing time.
///
/// Full jitter keeps many hosts of one relay from coming back together.
struct ReconnectPolicy: Sendable {
  /// The longest wait.
  let cap: Duration
  private let base = Duration.milliseconds(100)
  private var attempts = 0

  init(cap: Duration) {
    self.cap = cap
  }

  /// The next wait; `random` is from 0 to 1.
  mutating func next(random: Double) -> Duration {
    defer { attempts += 1 }
    guard attempts > 0 else { return .zero }
    let grown = base * (1 << min(attempts, 16))
    return min(grown, cap) * random
  }

  /// The connection has proved itself: the next loss is a first one again.
  mutating func reset() {
    attempts = 0
  }
}
