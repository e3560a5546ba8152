import BridgeSession

/// What the connection knows of one session.
///
/// Sendable unchecked: it is used on the connection's thread only; closures carry it from one turn to a later one.
final class SessionRecord: @unchecked Sendable {
  var channel: HostSession
  /// Nil until the closure for the visitor has run.
  var configuration: SessionConfiguration?
  /// Whether documents get their configuration; before, they wait in `pendingDocuments`.
  var isReady = false
  var pendingDocuments: [String] = []
  /// Whether the host made the session, and has to announce it on each new connection.
  let isHostFirst: Bool
  /// The viewer's session, if this one is shown in a viewer.
  var screen: String?
  /// What the viewer that this session is shows of the traffic of its contents.
  var traffic = TrafficLog()
  /// The configuration's version that each known document has.
  var versions: [String: Int] = [:]
  private var documents: [String] = []
  var tickets: [String: any HostTimer] = [:]
  /// When calls end that have a time limit.
  var deadlines: [String: any HostTimer] = [:]
  var library = ContentLibrary()
  /// Where the known documents are.
  private(set) var places: [String: WebsitePlace] = [:]
  /// Changes of website data that pages have to carry out.
  var website = WebsiteLog()
  /// The main actor's calls that wait for such changes, by the change's number.
  var websiteCalls: [Int: String] = [:]
  /// The calls that carry changes.
  var websiteFlights: Set<String> = []
  /// The document that is attached and has begun to talk.
  var syncedDocument: String?
  /// The newest document whose start carries changes, until it talks.
  var startingDocument: String?
  var shelf = ScriptShelf()
  /// Runs out when no document follows the last one.
  var successorTimer: (any HostTimer)?
  /// Runs out when what a document carries does not come.
  var carryTimer: (any HostTimer)?
  var wantsAcknowledgement = false
  /// Dialogs whose page has sent messages before them that have not come yet.
  var dialogs: [DialogRequest] = []
  /// Looks whether such messages still come.
  var dialogTimer: (any HostTimer)?

  init(session: String, epoch: String, isHostFirst: Bool) {
    channel = HostSession(session: session, epoch: epoch, clock: DeliveryClock.now)
    self.isHostFirst = isHostFirst
  }

  /// Remembers a document, and forgets the oldest beyond those that a session keeps.
  func remember(document: String, limit: Int) {
    guard !documents.contains(document) else { return }
    documents.append(document)
    guard documents.count > limit else { return }
    let oldest = documents.removeFirst()
    versions[oldest] = nil
    places[oldest] = nil
    shelf.forget(document: oldest)
  }

  /// Notes where a document is.
  func note(address: String?, of document: String) {
    guard let address else { return }
    places[document] = WebsitePlace(address: address, session: channel.session)
  }

  func knows(document: String) -> Bool { documents.contains(document) }

  func cancelTimers() {
    successorTimer?.cancel()
    successorTimer = nil
    carryTimer?.cancel()
    carryTimer = nil
    dialogTimer?.cancel()
    dialogTimer = nil
    for timer in tickets.values { timer.cancel() }
    tickets = [:]
    for timer in deadlines.values { timer.cancel() }
    deadlines = [:]
  }
}
