/// What simulated pages and hosts tell the run, from any thread.
struct LoadEvents: Sendable {
  enum Event: Sendable {
    case hostReady
    case hostRefused(code: UInt16, reason: String)
    case pageReady
    /// Nothing of a page or host is under way any more.
    case drained
    case pageRefused(code: UInt16, reason: String)
    case second
    case timeUp(Phase)
    /// Somebody wants the report of what there is so far.
    case interrupted
  }

  /// The parts of a run, each with a time limit of its own.
  enum Phase: Sendable, Equatable {
    case connecting
    case traffic
    case draining
  }

  let stream: AsyncStream<Event>
  private let continuation: AsyncStream<Event>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream()
  }

  func send(_ event: Event) {
    continuation.yield(event)
  }
}
