import BridgeSession

/// How the messages between a web view and its page stand: a copy of one moment.
///
/// Long messages travel in parts, and each part counts. `pagebridge.delivery` tells a page the same of its own side.
public struct DeliveryState: Hashable, Sendable {
  /// Messages that were sent to the page and that it has not received, as far as the host knows.
  public var inFlight = 0
  /// Messages that wait to be sent: for a page, for its connection, or for room in the window.
  public var waiting = 0
  /// Messages that the page has not handled, sent or not.
  public var held = 0
  /// Their bytes.
  public var bytes = 0
  /// How long the oldest of them has been waiting; nil if there is none.
  public var oldestUnacknowledged: Duration?
  /// How often a document went on over a new connection, the page's or the host's.
  public var resumes = 0
  /// How often something that came from the page showed that something before it was lost; it was sent again.
  public var gaps = 0
  /// Messages of the page that came twice and were dropped.
  public var doubles = 0
  /// Messages of the page that an earlier process of this host may have handled; see ``WKScriptMessage/isRedelivered``.
  public var redeliveries = 0

  /// Nothing is under way and nothing has happened.
  public init() {}

  init(_ counts: DeliveryCounts, now: Duration) {
    inFlight = counts.inFlight
    waiting = counts.waiting
    held = counts.held
    bytes = counts.bytes
    oldestUnacknowledged = counts.oldest.map { now - $0 }
    resumes = counts.resumes
    gaps = counts.gaps
    doubles = counts.doubles
    redeliveries = counts.redeliveries
  }
}

extension WKWebView {
  /// How the messages between this view and its page stand, after what was asked of the view before.
  ///
  /// Nothing is under way of a session that is over.
  public var deliveryState: DeliveryState {
    get async {
      let (connection, session) = (session.connection, session.id)
      return await withCheckedContinuation { continuation in
        connection.submit(.delivery(session: session) { continuation.resume(returning: $0) })
      }
    }
  }
}

/// The time that messages are stamped with: any steady clock.
enum DeliveryClock {
  private static let start = ContinuousClock.now

  static func now() -> Duration { ContinuousClock.now - start }
}
