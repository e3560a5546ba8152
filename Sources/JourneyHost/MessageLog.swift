/// The newest messages of a page, within ``BridgeLimits/receivedMessages`` and ``BridgeLimits/receivedBytes``.
struct MessageLog: Sendable {
  private(set) var messages: [BridgeMessage] = []
  private var sizes: [Int] = []
  private var bytes = 0

  /// Keeps a message; the oldest go where there is no room.
  mutating func add(_ message: BridgeMessage) {
    let size = message.byteCount
    messages.append(message)
    sizes.append(size)
    bytes += size
    var gone = 0
    while messages.count - gone > BridgeLimits.receivedMessages
      || (bytes > BridgeLimits.receivedBytes && messages.count - gone > 1)
    {
      bytes -= sizes[gone]
      gone += 1
    }
    messages.removeFirst(gone)
    sizes.removeFirst(gone)
  }
}
