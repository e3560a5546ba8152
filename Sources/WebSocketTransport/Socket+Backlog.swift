import CLibwebsockets

/// Stopping to read a socket whose bytes wait in the queue of another.
///
/// Shares are kept only while the other socket is blocked, so that the usual path keeps no accounts. What the queue
/// already held at that moment, one block at most, is not counted.
extension UnsafeMutablePointer where Pointee == SocketState {
  /// Notes that the last block of `target` holds that many bytes of this socket, if `target` is blocked, and stops
  /// reading this socket above the limit.
  @inline(__always)
  package func share(_ bytes: Int, in target: Socket, limit: Int) {
    if target.pointee.isBlocked { shareSlowly(bytes, in: target, limit: limit) }
  }

  @inline(never)
  private func shareSlowly(_ bytes: Int, in target: Socket, limit: Int) {
    guard let block = target.pointee.tail else { return }
    block.addShare(self, bytes: bytes)
    pointee.waitingIn = target
    pointee.waitingBytes += bytes
    if pointee.waitingBytes > limit, !pointee.isPaused {
      pointee.isPaused = true
      core.pausedCount += 1
      lws_rx_flow_control(pointee.wsi, 0)
    }
    target.pointee.shareLimit = limit
  }

  /// Gives the senders back what a block took of them, and reads them again below half of the limit.
  func settleShares(of block: UnsafeMutablePointer<Block>) {
    guard block.pointee.shareCount > 0, let shares = block.pointee.shares else { return }
    for index in 0..<block.pointee.shareCount {
      guard let sender = shares[index].sender else { continue }
      sender.pointee.waitingBytes -= shares[index].bytes
      if sender.pointee.isPaused, sender.pointee.waitingBytes <= pointee.shareLimit / 2 {
        sender.resumeReading()
      }
      if sender.pointee.waitingBytes == 0 { sender.pointee.waitingIn = nil }
    }
    block.pointee.shareCount = 0
  }

  private func resumeReading() {
    pointee.isPaused = false
    core.pausedCount -= 1
    lws_rx_flow_control(pointee.wsi, 1)
  }

  /// Takes this socket's name out of the queue it waits in.
  func forgetShares() {
    if pointee.isPaused {
      pointee.isPaused = false
      core.pausedCount -= 1
    }
    var block = pointee.waitingIn?.pointee.head
    while let current = block {
      if let shares = current.pointee.shares {
        for index in 0..<current.pointee.shareCount where shares[index].sender == self {
          shares[index].sender = nil
        }
      }
      block = current.pointee.next
    }
    pointee.waitingIn = nil
    pointee.waitingBytes = 0
  }
}
