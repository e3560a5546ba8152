/// How one end's numbered messages stand, and what became of them: a copy of that moment.
public struct DeliveryCounts: Hashable, Sendable {
  /// Wire messages that were sent and that the peer has not received, as far as this end knows.
  public var inFlight = 0
  /// Wire messages that were not sent on this connection yet, or that wait for a document.
  public var waiting = 0
  /// Wire messages that the peer has not handled, sent or not.
  public var held = 0
  /// Their bytes.
  public var bytes = 0
  /// When the oldest of them was queued, by the driver's clock.
  public var oldest: Duration?
  /// How often the conversation went on over a new connection.
  public var resumes = 0
  /// How often something that came showed that something before it was lost.
  public var gaps = 0
  /// Messages that came twice and were dropped.
  public var doubles = 0
  /// Messages that went, or came, a second time because the host's process is another.
  public var redeliveries = 0

  /// Makes the counts of a conversation in which nothing has happened.
  public init() {}

  /// Adds what another conversation of the same session counted.
  mutating func add(_ other: DeliveryCounts) {
    inFlight += other.inFlight
    waiting += other.waiting
    held += other.held
    bytes += other.bytes
    oldest = [oldest, other.oldest].compactMap(\.self).min()
    addHistory(of: other)
  }

  /// Adds what only grows, of a conversation whose messages do not matter any more.
  mutating func addHistory(of other: DeliveryCounts) {
    resumes += other.resumes
    gaps += other.gaps
    doubles += other.doubles
    redeliveries += other.redeliveries
  }
}
