import Synchronization

/// What waits for the main actor: one list for all sessions, and at most one drain under way.
///
/// Handlers of thousands of sessions share it, so that none of them costs a task of its own.
final class MainInbox: Sendable {
  private struct State {
    var events: [MainEvent] = []
    var isDraining = false
  }

  private let state = Mutex(State())
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

  /// Everything that waits; an empty answer ends the drain.
  func take() -> [MainEvent] {
    state.withLock { state in
      let events = state.events
      state.events = []
      if events.isEmpty { state.isDraining = false }
      return events
    }
  }

  var isIdle: Bool { state.withLock { !$0.isDraining && $0.events.isEmpty } }
}
