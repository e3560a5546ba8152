/// What simulated pages and hosts tell the run, from any thread.
struct LoadEvents: Sendable {
  enum Event: Sendable {
    case hostReady
    case hostClosed(code: UInt16, reason: String, wasConnecting: Bool)
    case pageReady
    case pageDrained
    case pageClosed(code: UInt16, reason: String, wasConnecting: Bool)
    case timeUp(Phase)
  }

  /// The parts of a run, each with a time limit of its own.
  enum Phase: Sendable, Equatable {
    case connecting
    case posting
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
