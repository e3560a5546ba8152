import BridgeProtocol
import Glibc
import WebSocketTransport

/// A page's socket after its hello.
///
/// What it holds besides the link is for the rare events; its messages touch the link only.
final class PageSocket: SocketHandler {
  /// Its hello without session and key, which are the session's affair.
  let hello: PageHello
  /// Whether the hello named a session.
  let namesSession: Bool
  let visitor: Visitor
  let app: App
  private(set) var socket: Socket?
  let link: UnsafeMutablePointer<PageLink>
  unowned let thread: RelayThread

  /// The session that it has, or that it waits in for its host.
  var session: Session?
  /// The number of its present attach, while it is attached.
  var attach: Int?
  /// Whether it ever was attached, so that the host knows its document.
  var wasAttached = false
  var isWelcomed = false
  /// What a welcome without a session in the hello brings along.
  var bootstrap: (config: [UInt8]?, script: String)?
  /// Whether its session is over: it waits for any host of the app, to be reloaded.
  var isEnded = false
  /// Where the wheel has it.
  var wheelSlot = 0

  init(thread: RelayThread, app: App, hello: PageHello, visitor: Visitor, socket: Socket) {
    self.thread = thread
    self.app = app
    namesSession = hello.session != nil
    var hello = hello
    hello.session = nil
    hello.key = nil
    self.hello = hello
    self.visitor = visitor
    self.socket = socket
    link = .allocate(capacity: 1)
    link.initialize(to: PageLink(path: thread.path))
  }

  deinit {
    link.free(core: thread.core)
  }

  var document: String { hello.document }

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
      collect(socket, piece)
      return
    }
    var utf8 = UTF8Validator()
    guard utf8.accepts(piece.bytes, count: piece.count), utf8.isComplete else {
      close(.invalidText, "A message was not UTF-8.")
      return
    }
    guard piece.count > 0, piece.bytes.load(as: UInt8.self) == UInt8(ascii: "{") else {
      close(.unknownControl, "A page's message must be a JSON object.")
      return
    }
    if piece.count == Self.probeCount, isProbe(piece.bytes) {
      send(BridgeWire.alive)
      return
    }
    guard let host = link.pointee.host, !host.pointee.isClosing else {
      link.pointee.path.pointee.counters.messagesDropped &+= 1
      return
    }
    link.forward(piece.bytes, count: piece.count, from: socket, to: host)
    if host.pointee.queuedBytes > link.pointee.path.pointee.hostOutboundBytes { thread.hostIsTooSlow(host) }
  }

  private static let probeCount = BridgeWire.probe.utf8.count
  private static let probe = Array(BridgeWire.probe.utf8)

  private func isProbe(_ bytes: UnsafeRawPointer) -> Bool {
    Self.probe.withUnsafeBytes { memcmp(bytes, $0.baseAddress.unsafelyUnwrapped, Self.probeCount) == 0 }
  }

  /// A message that is cut: into a block, since nothing of another session may come between its pieces.
  private func collect(_ socket: Socket, _ piece: MessagePiece) {
    guard !piece.isBinary else {
      close(.binaryMessage, "Binary messages are not accepted.")
      return
    }
    let limit = link.pointee.path.pointee.maxWireBytes
    if piece.isFirst {
      link.pointee.count = 0
      link.pointee.utf8 = UTF8Validator()
    }
    guard link.pointee.count + piece.count <= limit else {
      close(.messageTooBig, "A message was larger than \(limit) bytes.")
      return
    }
    guard link.pointee.utf8.accepts(piece.bytes, count: piece.count),
      !piece.isFinal || link.pointee.utf8.isComplete
    else {
      close(.invalidText, "A message was not UTF-8.")
      return
    }
    let block = link.pointee.block ?? thread.core.lendBlock()
    link.pointee.block = block
    let text = block.bytes + Block.frameHeaderRoom + Wrapper.prefixLength
    (text + link.pointee.count).copyMemory(from: piece.bytes, byteCount: piece.count)
    link.pointee.count += piece.count
    guard piece.isFinal else { return }
    link.pointee.block = nil
    let count = link.pointee.count
    guard count > 0, text.load(as: UInt8.self) == UInt8(ascii: "{") else {
      thread.core.giveBack(block)
      close(.unknownControl, "A page's message must be a JSON object.")
      return
    }
    if count == Self.probeCount, isProbe(text) {
      thread.core.giveBack(block)
      send(BridgeWire.alive)
    } else if let host = link.pointee.host, !host.pointee.isClosing {
      link.forwardBlock(block, count: count, from: socket, to: host)
      if host.pointee.queuedBytes > link.pointee.path.pointee.hostOutboundBytes { thread.hostIsTooSlow(host) }
    } else {
      thread.core.giveBack(block)
      link.pointee.path.pointee.counters.messagesDropped += 1
    }
  }

  func ponged(_ socket: Socket) {
    link.pointee.isHeard = true
    session?.claimWasAnswered()
  }

  func closed(_ socket: Socket, code: UInt16, reason: String) {
    self.socket = nil
    thread.pageClosed(self, code: code)
  }
}
