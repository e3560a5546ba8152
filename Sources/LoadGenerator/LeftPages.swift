import WebSocketTransport

/// The documents of simulated pages that have left, for the hosts: one that was away meanwhile is not always told.
///
/// Any thread.
final class LeftPages: Sendable {
  private let documents = Locked<Set<String>>([])

  func insert(_ document: String) {
    documents.withLock { _ = $0.insert(document) }
  }

  func contains(_ document: String?) -> Bool {
    guard let document else { return false }
    return documents.withLock { $0.contains(document) }
  }
}
