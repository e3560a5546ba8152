import CLibwebsockets

/// The libwebsockets protocols of this package, which live as long as the process.
enum Protocols {
  /// A client's only protocol; which subprotocol it asks for is its own affair.
  nonisolated(unsafe) static let client = make([("pagebridge-client", clientCallback)])

  /// A server's: without a subprotocol libwebsockets takes the first one.
  nonisolated(unsafe) static let server = make([
    ("pagebridge-none", serverCallback), ("pagebridge.v1", serverCallback),
  ])

  private typealias Callback =
    @convention(c) (
      OpaquePointer?, lws_callback_reasons, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Int
    ) -> CInt

  private static let clientCallback: Callback = { wsi, reason, user, input, count in
    ClientEvents.handle(wsi, reason, user, input, count)
  }

  private static let serverCallback: Callback = { wsi, reason, user, input, count in
    ServerEvents.handle(wsi, reason, user, input, count)
  }

  // nonisolated(unsafe) above: written once, before any context exists that reads it.
  private static func make(
    _ entries: [(name: StaticString, callback: Callback)]
  )
    -> UnsafeMutablePointer<lws_protocols>
  {
    let list = UnsafeMutablePointer<lws_protocols>.allocate(capacity: entries.count + 1)
    for (index, entry) in entries.enumerated() {
      var item = lws_protocols()
      item.name = UnsafeRawPointer(entry.name.utf8Start).assumingMemoryBound(to: CChar.self)
      item.callback = entry.callback
      item.rx_buffer_size = LoopCore.receiveBytes
      // Otherwise writes are cut at the size of the receive buffer, and the rest is copied and waits.
      item.tx_packet_size = 1 << 20
      (list + index).initialize(to: item)
    }
    (list + entries.count).initialize(to: lws_protocols())
    return list
  }
}
