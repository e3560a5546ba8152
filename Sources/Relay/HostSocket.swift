import BridgeProtocol
import WebSocketTransport

/// What the data path knows of a host's socket.
struct HostLink {
  /// The instance's id, 11 bytes as two overlapping words.
  let words: (UInt64, UInt64)
  /// A message that comes in pieces, with room for a frame header in front.
  var block: UnsafeMutablePointer<Block>?
  var count = 0
  var isHeard = true
  let path: UnsafeMutablePointer<DataPath>

  init(instance: String, path: UnsafeMutablePointer<DataPath>) {
    self.path = path
    words = Array(instance.utf8).withUnsafeBytes { Self.words(of: $0.baseAddress.unsafelyUnwrapped) }
  }

  /// The words of the instance that a session id begins with.
  @inline(__always)
  static func words(of session: UnsafeRawPointer) -> (UInt64, UInt64) {
    (
      session.loadUnaligned(as: UInt64.self),
      session.loadUnaligned(fromByteOffset: Identifiers.instanceLength - 8, as: UInt64.self)
    )
  }
}

/// A host's socket after its hello.
final class HostSocket: SocketHandler {
  let instance: Instance
  private(set) var socket: Socket?
  private let link: UnsafeMutablePointer<HostLink>
  unowned let thread: RelayThread
  /// Content that it is to serve, by the number it was asked with.
  var contents: [Int: ContentExchange] = [:]
  var nextContent = 1
  /// Where the wheel has it.
  var wheelSlot = 0

  init(thread: RelayThread, instance: Instance, socket: Socket) {
    self.thread = thread
    self.instance = instance
    self.socket = socket
    link = .allocate(capacity: 1)
    link.initialize(to: HostLink(instance: instance.id, path: thread.path))
  }

  deinit {
    if let block = link.pointee.block { thread.core.giveBack(block) }
    link.deinitialize(count: 1)
    link.deallocate()
  }

  func send(_ text: String) {
    socket?.send(text: text)
  }

  func close(_ code: CloseCode, _ reason: String) {
    socket?.close(code: code.rawValue, reason: reason)
  }

  /// Whether something was heard since it was last asked.
  func wasHeard() -> Bool {
    defer { link.pointee.isHeard = false }
    return link.pointee.isHeard
  }

  // MARK: Receiving

  func received(_ socket: Socket, _ piece: MessagePiece) {
    let link = self.link
    link.pointee.isHeard = true
    guard piece.isWhole, !piece.isBinary, piece.count <= link.pointee.path.pointee.maxWireBytes else {
      collect(piece)
      return
    }
    take(piece.bytes, count: piece.count, in: nil)
  }

  /// Handles a whole message; true if the block was kept.
  @inline(__always)
  @discardableResult
  private func take(
    _ bytes: UnsafeMutableRawPointer, count: Int, in block: UnsafeMutablePointer<Block>?
  ) -> Bool {
    let text = UnsafeRawBufferPointer(start: bytes, count: count)
    guard Wrapper.matches(text) else {
      takeOther(text)
      return false
    }
    let session = UnsafeRawPointer(bytes + Wrapper.sessionOffset)
    guard HostLink.words(of: session) == link.pointee.words else {
      close(.notYourSession, "A message was wrapped for a session of another instance.")
      return false
    }
    let document = (bytes + Wrapper.documentOffset).loadUnaligned(as: UInt64.self)
    guard let slot = instance.slots.pointee.find(SessionKey(session: session)),
      slot.pointee.document == document,
      let page = slot.pointee.socket
    else {
      link.pointee.path.pointee.counters.messagesDropped &+= 1
      return false
    }
    let payload = count &- Wrapper.overhead
    let isKept = page.sendInPlace(bytes + Wrapper.prefixLength, count: payload, in: block)
    link.pointee.path.pointee.counters.messagesToPages &+= 1
    link.pointee.path.pointee.counters.bytesToPages &+= payload
    if page.pointee.queuedBytes > link.pointee.path.pointee.pageOutboundBytes {
      page.close(
        code: CloseCode.pageTooSlow.rawValue, reason: "Too much waits for the page.", dropsQueue: true)
    }
    return isKept
  }

  private func takeOther(_ text: UnsafeRawBufferPointer) {
    switch text.first {
    case UInt8(ascii: "["):
      close(.malformedWrapper, "A wrapped message did not have the wrapper's shape.")
    case UInt8(ascii: "{"):
      do throws(Refusal) {
        try thread.handle(HostControl(text), from: self)
      } catch {
        close(error.code, error.message)
      }
    default:
      close(.unknownControl, "A host's message must be a control value or a wrapped message.")
    }
  }

  private func collect(_ piece: MessagePiece) {
    guard !piece.isBinary else {
      close(.binaryMessage, "Binary messages are not accepted.")
      return
    }
    let limit = link.pointee.path.pointee.maxWireBytes
    if piece.isFirst { link.pointee.count = 0 }
    guard link.pointee.count + piece.count <= limit else {
      close(.messageTooBig, "A message was larger than \(limit) bytes.")
      return
    }
    let block = link.pointee.block ?? thread.core.lendBlock()
    link.pointee.block = block
    let text = block.bytes + Block.frameHeaderRoom
    (text + link.pointee.count).copyMemory(from: piece.bytes, byteCount: piece.count)
    link.pointee.count += piece.count
    guard piece.isFinal else { return }
    link.pointee.block = nil
    if !take(text, count: link.pointee.count, in: block) { thread.core.giveBack(block) }
  }

  func ponged(_ socket: Socket) {
    link.pointee.isHeard = true
  }

  func closed(_ socket: Socket, code: UInt16, reason: String) {
    self.socket = nil
    thread.hostClosed(self, code: code)
  }
}
