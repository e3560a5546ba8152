import WebSocketTransport

/// What waits for the main actor: one list for all sessions, and at most one drain under way.
///
/// Handlers of thousands of sessions share it, so that none of them costs a task of its own.
final class MainInbox: Sendable {
  private struct State {
    var events: [MainEvent] = []
    var isDraining = false
  }

  private let state = Locked(State())
  private let drain: @Sendable () -> Void

  /// - Parameter drain: schedules one drain on the main actor; called by whichever thread makes the first event wait.
  init(drain: @escaping @Sendable () -> Void) {
    self.drain = drain
  }

  func post(_ event: MainEvent) {
    let isFirst = state.withLock { state in
      state.events.append(event)
      defer { state.isDraining = true }
      return !state.isDraining
    }
    if isFirst { drain() }
  }

  /// Everything that waits.
  func take() -> [MainEvent] {
    state.withLock { state in
      let events = state.events
      state.events = []
      return events
    }
  }

  /// Ends a drain. What came meanwhile waits for one of its own, so that others get their turn on the main actor.
  func finish() {
    let isMore = state.withLock { state in
      if state.events.isEmpty { state.isDraining = false }
      return state.isDraining
    }
    if isMore { drain() }
  }

  var isIdle: Bool { state.withLock { !$0.isDraining && $0.events.isEmpty } }
}
