/// How a simulated page reaches its relay; everything about one page happens in its one place, in order.
protocol PageWire: Sendable {
  /// Runs work in the page's place.
  func perform(_ work: @escaping @Sendable () -> Void)
  /// Runs work in the page's place, later.
  func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void)
  /// Opens a socket; the handler is called in the page's place.
  func connect(app: String, _ handler: any PageSocketHandler) -> any PageSocket
}

/// A page's socket.
protocol PageSocket: AnyObject, Sendable {
  func send(_ text: [UInt8])
  func close(code: UInt16, reason: String)
}

/// Who hears of a page's socket.
protocol PageSocketHandler: AnyObject, Sendable {
  func opened(_ socket: any PageSocket)
  func received(_ socket: any PageSocket, text: [UInt8])
  func closed(_ socket: any PageSocket, code: UInt16, reason: String)
}
