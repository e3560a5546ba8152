import CLibwebsockets

/// Ending connections: always at the end of a turn, after what is queued.
extension UnsafeMutablePointer where Pointee == SocketState {
  /// Ends the connection with a close frame behind all that is queued; input is dropped from here on.
  ///
  /// The reason is cut to 123 bytes, which is what a close frame holds (RFC 6455, section 5.5). A peer that takes
  /// nothing any more is hung up on after ``closeSeconds``.
  ///
  /// - Parameter dropsQueue: Whether what is queued is of no use any more.
  package func close(code: UInt16, reason: String, dropsQueue: Bool = false) {
    guard !pointee.isClosing else { return }
    pointee.isClosing = true
    pointee.wantsCloseFrame = true
    note(code: code, reason: Array(reason.utf8.prefix(123)))
    if dropsQueue { dropQueue() }
    if pointee.isBlocked {
      lws_set_timeout(pointee.wsi, PENDING_TIMEOUT_USER_OK, Self.closeSeconds)
      // The library looks at its timers after it was woken only.
      lws_cancel_service(core.context)
    }
    core.mark(self)
  }

  /// How long the close frame may wait behind what the peer does not take.
  private static var closeSeconds: CInt { 5 }

  /// Hangs up without a close frame.
  package func hangUp() {
    pointee.isClosing = true
    pointee.isDead = true
    core.mark(self)
  }

  /// Reads the peer's close frame: two bytes of code, then text.
  func noteCloseFrame(_ payload: UnsafeRawBufferPointer) {
    guard !pointee.isClosing else { return }
    pointee.isClosing = true
    pointee.hasSentClose = true
    dropQueue()
    guard payload.count >= 2 else {
      pointee.closeCode = 1_005
      return
    }
    note(code: UInt16(payload[0]) << 8 | UInt16(payload[1]), reason: Array(payload.dropFirst(2)))
  }

  private func note(code: UInt16, reason: [UInt8]) {
    pointee.closeCode = code
    pointee.closeReason = .allocate(capacity: 1)
    pointee.closeReason?.initialize(to: reason)
  }

  /// What is left to do when the turn ends: write, then end what is to end.
  ///
  /// Runs outside of all callbacks of the library, which alone makes ending here safe.
  func finishTurn() {
    guard !pointee.hasSentClose else {
      dropQueue()
      return
    }
    guard !pointee.isDead else {
      hangUpNow()
      return
    }
    let hadQueue = pointee.head != nil
    writeQueue()
    guard !pointee.isDead else {
      hangUpNow()
      return
    }
    switch pointee.role {
    case .serverWebSocket:
      break
    case .clientWebSocket:
      withHandler { $0.queueChanged(self) }
    case .serverHTTP:
      withHandler { $0.queueChanged(self) }
      // An exchange that is complete has freed the socket.
      return
    }
    guard !pointee.isBlocked else { return }
    if pointee.wantsCloseFrame {
      sendCloseFrame()
    } else if hadQueue || pointee.wasBlocked {
      pointee.wasBlocked = false
      withHandler { $0.drained(self) }
    }
  }

  private func sendCloseFrame() {
    pointee.wantsCloseFrame = false
    pointee.hasSentClose = true
    switch pointee.role {
    case .serverWebSocket, .clientWebSocket:
      var reason = pointee.closeReason?.pointee ?? []
      lws_close_reason(pointee.wsi, lws_close_status(UInt32(pointee.closeCode)), &reason, reason.count)
      // With a reason set, the library sends the close frame and waits for the peer's.
      lws_set_timeout(pointee.wsi, NO_PENDING_TIMEOUT, pagebridge_kill_now)
    case .serverHTTP:
      hangUpNow()
    }
  }

  private func hangUpNow() {
    pointee.hasSentClose = true
    lws_set_timeout(pointee.wsi, NO_PENDING_TIMEOUT, pagebridge_kill_now)
  }
}
