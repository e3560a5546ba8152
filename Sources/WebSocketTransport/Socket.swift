import CLibwebsockets
import Glibc

/// One connection of libwebsockets as its service thread sees it.
///
/// A plain struct at a fixed address, so that the data path touches no reference count: made when the connection
/// is, freed after its handler's `closed`. The pointer is good on the loop's thread until then.
package typealias Socket = UnsafeMutablePointer<SocketState>

/// What a connection tells its owner; all on the loop's thread.
package protocol SocketHandler: AnyObject {
  /// A message, or a piece of one, has come.
  func received(_ socket: Socket, _ piece: MessagePiece)
  /// A pong with a payload has come.
  func ponged(_ socket: Socket)
  /// The loop has written what it could of the queue.
  func queueChanged(_ socket: Socket)
  /// All that was queued is with the kernel.
  func drained(_ socket: Socket)
  /// The turn of the loop in which something was received ends.
  func turnEnded(_ socket: Socket)
  /// The connection is over; the socket is freed on return.
  ///
  /// The code is that of the peer's close frame or of ``SocketState``'s own close request, 1006 without either.
  func closed(_ socket: Socket, code: UInt16, reason: String)
}

extension SocketHandler {
  package func ponged(_ socket: Socket) {}
  package func queueChanged(_ socket: Socket) {}
  package func drained(_ socket: Socket) {}
  package func turnEnded(_ socket: Socket) {}
}

/// Bytes of one WebSocket message, in the library's read buffer: good during the call only.
package struct MessagePiece {
  /// The bytes, already unmasked. The library's own header lies in front of a whole message.
  package var bytes: UnsafeMutableRawPointer
  package var count: Int
  package var isFirst: Bool
  package var isFinal: Bool
  package var isBinary: Bool

  /// Whether it is a message from beginning to end.
  @inline(__always)
  package var isWhole: Bool { isFirst && isFinal }
}

/// Keeps a handler so that calling it costs no reference counting.
final class HandlerBox {
  let handler: any SocketHandler

  init(_ handler: any SocketHandler) {
    self.handler = handler
  }
}

/// The state of a ``Socket``; see there.
package struct SocketState {
  /// libwebsockets' connection; it belongs to the library, which ends it.
  var wsi: OpaquePointer
  /// The loop's core outlives its sockets.
  let core: Unmanaged<LoopCore>
  /// Retained by the socket until it is freed or another handler takes over.
  var box: Unmanaged<HandlerBox>
  let role: Role

  // What waits to go out.
  var head: UnsafeMutablePointer<Block>?
  var tail: UnsafeMutablePointer<Block>?
  /// Bytes in the queue, not counting the rest of one write that the library holds.
  package internal(set) var queuedBytes = 0
  /// Frames appended since the last write.
  var unsentFrames: Int32 = 0
  /// Whether the library holds the rest of a write: then nothing more is written until it asks.
  package internal(set) var isBlocked = false
  /// The most that the library still holds of the write that blocked.
  var heldBytes = 0
  /// Whether it was blocked since the handler last heard that all is written.
  var wasBlocked = false
  /// The turn of the loop in which a message was last written or appended.
  var lastTurn: UInt64 = 0
  /// Whether more than one message came in that turn: then the next one is not written alone.
  var wasBurst = false

  // The list of sockets that have something to do at the end of the turn.
  var isMarked = false
  var nextMarked: Socket?
  var previousMarked: Socket?
  var hasReceived = false

  // Ending.
  /// Whether it is over: then input is dropped, and nothing more is queued.
  package internal(set) var isClosing = false
  /// Whether a close frame of this end is to follow what is queued.
  var wantsCloseFrame = false
  /// Whether the library has the close frame: then nothing may be written behind it.
  var hasSentClose = false
  /// Whether the library refused a write or is to hang up without a close frame.
  var isDead = false
  /// What `closed` will be told.
  var closeCode: UInt16 = 1_006
  var closeReason: UnsafeMutablePointer<[UInt8]>?

  // As a sender into the queue of another socket.
  /// Bytes of this socket that wait in the queue of a blocked one.
  package internal(set) var waitingBytes = 0
  var waitingIn: Socket?
  var isPaused = false
  /// Whether the socket is not read for now.
  package var isPausedReading: Bool { isPaused }

  // As the one they wait for: half of it is where senders are read again.
  var shareLimit = 0

  /// What kind of connection it is.
  enum Role: UInt8 {
    case serverWebSocket, clientWebSocket, serverHTTP
  }
}

extension UnsafeMutablePointer where Pointee == SocketState {
  static func make(
    wsi: OpaquePointer, core: LoopCore, role: SocketState.Role, handler: any SocketHandler
  ) -> Socket {
    let socket = Socket.allocate(capacity: 1)
    socket.initialize(
      to: SocketState(
        wsi: wsi, core: .passUnretained(core), box: .passRetained(HandlerBox(handler)), role: role))
    core.socketCount += 1
    return socket
  }

  /// Gives the connection to another handler, from the next event on.
  package func handOver(to handler: any SocketHandler) {
    let old = pointee.box
    pointee.box = .passRetained(HandlerBox(handler))
    // An event of the old one may be on the stack.
    core.releaseAtTurnEnd(old)
  }

  /// The loop that serves it.
  @inline(__always)
  var core: LoopCore { pointee.core._withUnsafeGuaranteedRef { $0 } }

  @inline(__always)
  func withHandler(_ work: (any SocketHandler) -> Void) {
    pointee.box._withUnsafeGuaranteedRef { work($0.handler) }
  }

  /// Ends the socket's life: tells the handler, then frees everything.
  func finish() {
    let state = pointee
    core.unmark(self)
    forgetShares()
    dropQueue()
    let reason = state.closeReason.map { String(decoding: $0.pointee, as: UTF8.self) } ?? ""
    withHandler { $0.closed(self, code: state.closeCode, reason: reason) }
    free()
  }

  /// Frees the socket without telling its handler.
  func free() {
    dropQueue()
    core.unmark(self)
    pointee.closeReason?.deinitialize(count: 1)
    pointee.closeReason?.deallocate()
    let box = pointee.box
    core.socketCount -= 1
    core.releaseAtTurnEnd(box)
    deinitialize(count: 1)
    deallocate()
  }

  /// Whether the kernel has received anything of the peer within the time, control frames included.
  package func hasReceived(within time: Duration) -> Bool {
    var info = tcp_info()
    var count = socklen_t(MemoryLayout<tcp_info>.size)
    guard getsockopt(lws_get_socket_fd(pointee.wsi), CInt(IPPROTO_TCP), TCP_INFO, &info, &count) == 0 else {
      return false
    }
    return UInt64(info.tcpi_last_data_recv) < time.milliseconds
  }

  /// The address of the peer, without its port, or an empty text.
  package var peerAddress: String {
    var buffer = [CChar](repeating: 0, count: 64)
    guard lws_get_peer_simple(pointee.wsi, &buffer, buffer.count) != nil else { return "" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
