import BridgeProtocol

/// A resource of a session that the host holds in memory.
struct ServedContent: Sendable {
  var bytes: [UInt8]
  var contentType: String
}
