/// The requests that wait for their answers, in the order of their arrival, within ``BridgeLimits/openRequests`` and
/// ``BridgeLimits/openBytes``.
struct OpenRequests: Sendable {
  /// What becomes of a request.
  enum Action: Hashable, Sendable {
    case accept
    /// One of the same correlation id is open: an answer would be taken for the other's.
    case refuseDouble
    case refuseBusy
  }

  private(set) var all: [BridgeMessage] = []
  private(set) var bytes = 0

  mutating func add(_ request: BridgeMessage) -> Action {
    guard !contains(request.correlationId) else { return .refuseDouble }
    let size = request.byteCount
    guard all.count < BridgeLimits.openRequests, bytes + size <= BridgeLimits.openBytes else {
      return .refuseBusy
    }
    all.append(request)
    bytes += size
    return .accept
  }

  func contains(_ correlationId: String) -> Bool {
    all.contains { $0.correlationId == correlationId }
  }

  /// Whether the request was open until now.
  mutating func remove(_ correlationId: String) -> Bool {
    guard let index = all.firstIndex(where: { $0.correlationId == correlationId }) else { return false }
    bytes -= all.remove(at: index).byteCount
    return true
  }

  mutating func removeAll() {
    all = []
    bytes = 0
  }
}
