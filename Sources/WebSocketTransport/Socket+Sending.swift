import CLibwebsockets
import Glibc

/// Gathering what goes out: finished frames in blocks, one write for each socket and turn of the loop.
extension UnsafeMutablePointer where Pointee == SocketState {
  /// How many frames wait at most for the end of the turn, so that the peer works while this end still reads.
  private static var framesBeforeEarlyWrite: Int32 { 192 }
  /// From here on a message is not worth copying for the sake of fewer writes.
  private static var bytesWorthAWrite: Int { 8 * 1_024 }

  /// Makes room for a whole unmasked text message and returns the place for its payload.
  ///
  /// The caller fills all of it before anything else happens on the loop. The payload is at most what a block holds
  /// less its header.
  @inline(__always)
  package func appendTextFrame(payload: Int) -> UnsafeMutableRawPointer {
    appendFrame(.text, payload: payload)
  }

  @inline(__always)
  func appendFrame(_ opcode: FrameHeader.Opcode, payload: Int) -> UnsafeMutableRawPointer {
    let header = FrameHeader.length(payload: payload)
    let target = append(count: header + payload)
    FrameHeader.write(opcode, payload: payload, to: target)
    pointee.unsentFrames &+= 1
    return target + header
  }

  /// Makes room for raw bytes and returns the place for them; at most what a block holds.
  @inline(__always)
  package func append(count: Int) -> UnsafeMutableRawPointer {
    if let tail = pointee.tail, tail.room >= count, pointee.unsentFrames < Self.framesBeforeEarlyWrite {
      let target = tail.bytes + tail.pointee.end
      tail.pointee.end &+= count
      pointee.queuedBytes &+= count
      if !pointee.isMarked { core.mark(self) }
      return target
    }
    return appendInNewBlock(count: count)
  }

  @inline(never)
  private func appendInNewBlock(count: Int) -> UnsafeMutableRawPointer {
    precondition(count <= Block.capacity)
    if pointee.tail != nil { writeQueue() }
    if let tail = pointee.tail, tail.room >= count {
      // Blocked: the rest of the block is as good as a new one.
      let target = tail.bytes + tail.pointee.end
      tail.pointee.end += count
      pointee.queuedBytes += count
      return target
    }
    let block = core.pool.lend()
    block.pointee.end = count
    enqueue(block, bytes: count)
    return block.bytes
  }

  /// Queues a block that holds finished frames from `start` to `end`; it belongs to the socket from here on.
  package func append(_ block: UnsafeMutablePointer<Block>) {
    pointee.unsentFrames &+= 1
    enqueue(block, bytes: block.pointee.end - block.pointee.start)
  }

  private func enqueue(_ block: UnsafeMutablePointer<Block>, bytes: Int) {
    if let tail = pointee.tail {
      tail.pointee.next = block
    } else {
      pointee.head = block
    }
    pointee.tail = block
    pointee.queuedBytes += bytes
    if !pointee.isMarked { core.mark(self) }
  }

  /// Queues raw bytes, over as many blocks as they need.
  package func append(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes
    while let base = rest.baseAddress, !rest.isEmpty {
      let room = pointee.tail.map { $0.room } ?? 0
      let count = Swift.min(rest.count, room > 0 ? room : Block.capacity)
      append(count: count).copyMemory(from: base, byteCount: count)
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
    }
  }

  /// Queues a short text message.
  package func send(text: some StringProtocol) {
    guard !pointee.isClosing else { return }
    var text = String(text)
    text.withUTF8 { utf8 in
      let target = appendTextFrame(payload: utf8.count)
      if let base = utf8.baseAddress { target.copyMemory(from: base, byteCount: utf8.count) }
    }
  }

  /// Queues a ping with a payload of at most 125 bytes. Only a pong with a payload is told to the handler.
  package func sendPing(payload: StaticString = "") {
    guard !pointee.isClosing, pointee.role == .serverWebSocket else { return }
    let count = payload.utf8CodeUnitCount
    appendFrame(.ping, payload: count).copyMemory(from: payload.utf8Start, byteCount: count)
  }

  /// Sends a text message whose bytes lie in the library's read buffer or in a block, with at least 10 bytes in
  /// front that may be overwritten.
  ///
  /// The first one of a turn goes out at once and in place; further ones are gathered.
  ///
  /// - Parameter block: The block that the bytes lie in, if it may be kept: then gathering copies nothing.
  /// - Returns: Whether the block was kept.
  @inline(__always)
  @discardableResult
  package func sendInPlace(
    _ bytes: UnsafeMutableRawPointer, count: Int, in block: UnsafeMutablePointer<Block>? = nil
  ) -> Bool {
    guard !pointee.isClosing else { return false }
    let turn = core.turn
    let isFirst = pointee.lastTurn != turn
    if isFirst {
      // A turn that had only one message ends the burst.
      if pointee.lastTurn &+ 1 != turn { pointee.wasBurst = false }
    }
    if !pointee.isBlocked, pointee.head == nil,
      count >= Self.bytesWorthAWrite || (isFirst && !pointee.wasBurst)
    {
      pointee.wasBurst = !isFirst
      pointee.lastTurn = turn
      if lws_write(pointee.wsi, bytes.assumingMemoryBound(to: UInt8.self), count, LWS_WRITE_TEXT) < 0 {
        die()
      } else if lws_partial_buffered(pointee.wsi) != 0 {
        noteBlocked(holding: count)
      }
      return false
    }
    pointee.wasBurst = !isFirst
    pointee.lastTurn = turn
    guard let block else {
      appendTextFrame(payload: count).copyMemory(from: bytes, byteCount: count)
      return false
    }
    let header = FrameHeader.length(payload: count)
    FrameHeader.write(.text, payload: count, to: bytes - header)
    block.pointee.start = bytes - header - block.bytes
    block.pointee.end = block.pointee.start + header + count
    append(block)
    return true
  }

  /// Gives what is queued to the library, block by block, until it holds the rest of one.
  func writeQueue() {
    while !pointee.isBlocked, let block = pointee.head {
      let count = block.pointee.end - block.pointee.start
      let first = (block.bytes + block.pointee.start).assumingMemoryBound(to: UInt8.self)
      // Finished frames: as "HTTP" the library passes them on as they are.
      let written = count > 0 ? lws_write(pointee.wsi, first, count, LWS_WRITE_HTTP) : 0
      pointee.queuedBytes -= count
      pointee.head = block.pointee.next
      if pointee.head == nil { pointee.tail = nil }
      settleShares(of: block)
      core.pool.takeBack(block)
      if written < 0 {
        die()
        return
      }
      // The library keeps what the kernel did not take.
      if lws_partial_buffered(pointee.wsi) != 0 { noteBlocked(holding: count) }
    }
    pointee.unsentFrames = 0
  }

  private func noteBlocked(holding count: Int) {
    pointee.isBlocked = true
    pointee.heldBytes = count
    pointee.wasBlocked = true
  }

  /// The library has nothing left of an earlier write: the queue may go on.
  func unblock() {
    pointee.isBlocked = false
    pointee.heldBytes = 0
    core.mark(self)
  }

  /// Forgets what is queued.
  func dropQueue() {
    while let block = pointee.head {
      pointee.head = block.pointee.next
      settleShares(of: block)
      core.pool.takeBack(block)
    }
    pointee.tail = nil
    pointee.queuedBytes = 0
    pointee.unsentFrames = 0
  }

  /// Has the loop hang up at the end of the turn, since nothing can be sent any more.
  private func die() {
    pointee.isDead = true
    pointee.isClosing = true
    dropQueue()
    core.mark(self)
  }
}
