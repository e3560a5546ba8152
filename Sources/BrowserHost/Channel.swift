/// Carries values from whoever has them to whoever listens now: nothing is kept for those who come later.
///
/// It takes the place of a Combine subject. Each listener has a stream of its own, which ends when its task is cancelled.
@MainActor
final class Channel<Value: Sendable> {
  /// How many values wait for one listener that does not get to run; what comes then is refused.
  static var limit: Int { 1_024 }

  private var listeners: [AsyncStream<Value>.Continuation] = []

  /// The values from now on.
  func values() -> AsyncStream<Value> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Value.self, bufferingPolicy: .bufferingOldest(Self.limit))
    listeners.append(continuation)
    return stream
  }

  /// Hands a value to all listeners; answers how many took it.
  @discardableResult
  func send(_ value: Value) -> Int {
    var taken = 0
    listeners.removeAll { listener in
      switch listener.yield(value) {
      case .enqueued:
        taken += 1
        return false
      case .dropped: return false
      case .terminated: return true
      @unknown default: return false
      }
    }
    return taken
  }
}
