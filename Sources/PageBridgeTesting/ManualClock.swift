import WebSocketTransport

/// A clock that stands still until a test moves it, so that tests of times take none.
///
/// Any thread may call it. Work that is due runs inside ``advance(by:)``, on the caller's thread, unless whoever scheduled
/// it brought a place of its own.
public final class ManualClock: Sendable {
  /// Work that waits for its time.
  public struct Timer: Sendable {
    fileprivate let number: Int
    fileprivate let clock: ManualClock

    /// Drops the work if it has not begun.
    public func cancel() {
      clock.state.withLock { $0.waiting[number] = nil }
    }
  }

  private struct Waiting {
    let due: Duration
    let work: @Sendable () -> Void
  }

  private struct State {
    var now = Duration.zero
    var nextNumber = 1
    var waiting: [Int: Waiting] = [:]
  }

  private let state = Locked(State())

  /// Makes a clock that stands at zero.
  public init() {}

  /// The time since the clock was made.
  public var now: Duration { state.withLock { $0.now } }

  /// How many timers wait.
  public var timers: Int { state.withLock { $0.waiting.count } }

  /// Runs work once the clock has moved that far.
  @discardableResult
  public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> Timer {
    let number = state.withLock { state in
      let number = state.nextNumber
      state.nextNumber += 1
      state.waiting[number] = Waiting(due: state.now + max(delay, .zero), work: work)
      return number
    }
    return Timer(number: number, clock: self)
  }

  /// Moves the clock and runs what becomes due on the way, in the order of the due times.
  public func advance(by duration: Duration) {
    let end = now + duration
    while true {
      let next = state.withLock { state -> (@Sendable () -> Void)? in
        let due = state.waiting.filter { $0.value.due <= end }
          .min { ($0.value.due, $0.key) < ($1.value.due, $1.key) }
        guard let due else {
          state.now = end
          return nil
        }
        state.now = max(state.now, due.value.due)
        state.waiting[due.key] = nil
        return due.value.work
      }
      guard let next else { return }
      next()
    }
  }
}
