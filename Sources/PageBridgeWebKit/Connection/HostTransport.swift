/// Where a host's connection runs and how it reaches a relay.
///
/// The real one is a service loop with a WebSocket client; tests put an in-memory relay in its place.
package protocol HostTransport: Sendable {
  /// Runs work on the connection's thread, in the order given. Any thread may call it.
  func perform(_ work: @escaping @Sendable () -> Void)
  /// Runs work on the connection's thread once the time is over, unless the timer was cancelled.
  func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any HostTimer
  /// Starts a socket towards the relay; every call of the handler comes on the connection's thread.
  func connect(_ handler: any HostSocketHandler) -> any HostSocket
}

/// Work that waits for its time.
package protocol HostTimer: Sendable {
  /// Drops the work if it has not begun. Any thread may call it.
  func cancel()
}

/// One socket towards the relay.
package protocol HostSocket: AnyObject, Sendable {
  /// Sends text messages in order; nothing happens after the socket has closed.
  func send(_ texts: [[UInt8]])
  /// Sends what waits, then closes.
  func close(code: UInt16, reason: String)
}

/// Who hears of a socket; called on the connection's thread.
package protocol HostSocketHandler: AnyObject, Sendable {
  func opened(_ socket: any HostSocket)
  /// One whole text message, not checked for UTF-8 and valid during the call only.
  func received(_ socket: any HostSocket, text: UnsafeRawBufferPointer)
  /// What has come together is through.
  func turnEnded(_ socket: any HostSocket)
  /// The socket is gone; comes once, for a failed connect too.
  func closed(_ socket: any HostSocket, code: UInt16, reason: String)
}
