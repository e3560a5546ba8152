import CLibwebsockets
import Glibc

/// One HTTP request and its answer, which may come later and in pieces; all on the loop's thread.
///
/// An exchange lives until its answer has left or its client is gone.
package final class HTTPExchange: SocketHandler {
  /// The request.
  package let head: RequestHead
  /// Called with each piece of the request's body.
  package var onBody: ((UnsafeRawBufferPointer) -> Void)?
  /// Called once the request's body has wholly come; at once if there is none.
  package var onBodyEnd: (() -> Void)? {
    didSet { if isBodyComplete { onBodyEnd?() } }
  }
  /// Called when all that was written has left, and more is welcome.
  package var onDrained: (() -> Void)?
  /// Called when the client is gone before the answer has wholly left.
  package var onAbandoned: (() -> Void)?

  private var socket: Socket?
  private var closesConnection: Bool
  private var isBodyComplete: Bool
  /// Whether the request said how long its body is.
  private let hasLength: Bool
  private var phase = Phase.waiting
  private var isChunked = false
  private var isReading = true
  private var file: FileSource?

  private enum Phase {
    case waiting, answering, finished
  }

  init(wsi: OpaquePointer, core: LoopCore, head: RequestHead, closesConnection: Bool) {
    self.head = head
    self.closesConnection = closesConnection
    let count = head.header("content-length").flatMap { Int($0) } ?? 0
    let hasBody = ["POST", "PUT", "PATCH"].contains(head.method)
    // Without a length, the library waits for a body that never ends.
    isBodyComplete = !hasBody && count == 0
    hasLength = count > 0
    let socket = Socket.make(wsi: wsi, core: core, role: .serverHTTP, handler: self)
    self.socket = socket
    lws_set_wsi_user(wsi, socket)
    lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0)
    updateReading()
  }

  // MARK: Answering

  /// Whether nothing of the answer has been given yet and the client is there.
  package var isWaiting: Bool { phase == .waiting && socket != nil }

  /// Whether the answer has not wholly left and the client is there.
  package var isOpen: Bool { socket != nil }

  /// Bytes of the answer that have not left.
  package var waitingBytes: Int { socket.map { $0.pointee.queuedBytes + $0.pointee.heldBytes } ?? 0 }

  /// Gives the whole answer.
  package func respond(_ response: HTTPResponse) {
    guard isWaiting else { return }
    begin(status: response.status, headers: response.headers, length: response.body.count)
    response.body.withUnsafeBytes { write($0) }
    finish()
  }

  /// Gives the head of the answer; the body follows by ``write(_:)``, without a length in chunks.
  package func begin(status: Int, headers: [(name: String, value: String)], length: Int?) {
    guard isWaiting, let socket else { return }
    phase = .answering
    // What is left of the body would be taken for a part of the next request's.
    if hasLength, !isBodyComplete { closesConnection = true }
    var headers = headers
    headers.append(("Date", HTTPDate.now()))
    let hasBody = status != 204 && status != 304
    if let length, hasBody {
      headers.append(("Content-Length", String(length)))
    } else if hasBody {
      isChunked = true
      headers.append(("Transfer-Encoding", "chunked"))
    }
    if closesConnection { headers.append(("Connection", "close")) }
    append(HTTPResponse.head(status: status, headers: headers), to: socket)
  }

  /// Adds to the body; of an answer to HEAD it sends nothing.
  package func write(_ bytes: UnsafeRawBufferPointer) {
    guard phase == .answering, let socket, head.method != "HEAD", !bytes.isEmpty else { return }
    if isChunked { append(String(bytes.count, radix: 16) + "\r\n", to: socket) }
    socket.append(bytes)
    if isChunked { append("\r\n", to: socket) }
  }

  /// Sends bytes of an open file as the body, as fast as they leave, and ends the answer; it closes the file.
  package func finish(withFile descriptor: CInt, offset: Int, count: Int) {
    guard phase == .answering, socket != nil, head.method != "HEAD", count > 0 else {
      close(descriptor)
      finish()
      return
    }
    file = FileSource(descriptor: descriptor, offset: offset, count: count)
    sendFile()
  }

  /// Ends the answer.
  package func finish() {
    guard phase == .answering, let socket else { return }
    phase = .finished
    if isChunked, head.method != "HEAD" { append("0\r\n\r\n", to: socket) }
    socket.core.mark(socket)
  }

  /// Hangs up in the middle of the answer, so that the client sees it is not whole.
  package func abort() {
    socket?.hangUp()
  }

  /// Whether the client has gone or said that it sends no more; a held request does not read, so somebody must look.
  package var isAbandoned: Bool {
    guard let socket else { return true }
    var info = tcp_info()
    var count = socklen_t(MemoryLayout<tcp_info>.size)
    guard getsockopt(lws_get_socket_fd(socket.pointee.wsi), CInt(IPPROTO_TCP), TCP_INFO, &info, &count) == 0
    else { return false }
    return info.tcpi_state != 1  // TCP_ESTABLISHED
  }

  private func append(_ text: String, to socket: Socket) {
    var text = text
    text.withUTF8 { socket.append(UnsafeRawBufferPointer($0)) }
  }

  private func sendFile() {
    guard let socket, let source = file else { return }
    if source.isExhausted {
      file = nil
      finish()
      return
    }
    let target = socket.append(count: source.nextCount)
    if !source.read(into: target) {
      // The file has shrunk: only hanging up tells the client.
      file = nil
      abort()
    }
  }

  // MARK: The library's side

  func bodyCame(_ bytes: UnsafeRawBufferPointer) {
    guard !isBodyComplete else { return }
    if phase == .waiting { onBody?(bytes) }
  }

  func bodyEnded() {
    guard !isBodyComplete else { return }
    isBodyComplete = true
    updateReading()
    if phase == .waiting { onBodyEnd?() }
    if let socket { socket.core.mark(socket) }
  }

  /// Reads only while there is a body to come or the library must be able to go on writing.
  ///
  /// Between request and answer the library leaves input alone without ceasing to look for it, which would keep the
  /// loop busy.
  private func updateReading() {
    guard let socket, !socket.pointee.isClosing else { return }
    let wanted = !isBodyComplete || socket.pointee.isBlocked
    guard wanted != isReading else { return }
    isReading = wanted
    lws_rx_flow_control(socket.pointee.wsi, wanted ? 1 : 0)
  }

  package func received(_ socket: Socket, _ piece: MessagePiece) {}

  package func queueChanged(_ socket: Socket) {
    updateReading()
    guard !socket.pointee.isBlocked, socket.pointee.head == nil else { return }
    switch phase {
    case .waiting:
      break
    case .answering:
      if file != nil { sendFile() } else { onDrained?() }
    case .finished:
      complete(socket)
    }
  }

  private func complete(_ socket: Socket) {
    guard isBodyComplete || !closesConnection else { return }
    let wsi = socket.pointee.wsi
    self.socket = nil
    onBody = nil
    onBodyEnd = nil
    onDrained = nil
    onAbandoned = nil
    if !isReading { lws_rx_flow_control(wsi, 1) }
    lws_set_wsi_user(wsi, nil)
    socket.free()
    if closesConnection || lws_http_transaction_completed(wsi) != 0 {
      lws_set_timeout(wsi, NO_PENDING_TIMEOUT, pagebridge_kill_now)
    }
  }

  package func closed(_ socket: Socket, code: UInt16, reason: String) {
    self.socket = nil
    file = nil
    let abandoned = onAbandoned
    onBody = nil
    onBodyEnd = nil
    onDrained = nil
    onAbandoned = nil
    abandoned?()
  }
}

/// A part of an open file, read piece by piece.
private final class FileSource {
  private static let pieceBytes = 64 * 1_024
  private let descriptor: CInt
  private var offset: Int
  private var count: Int

  init(descriptor: CInt, offset: Int, count: Int) {
    self.descriptor = descriptor
    self.offset = offset
    self.count = count
  }

  deinit { close(descriptor) }

  var isExhausted: Bool { count == 0 }
  var nextCount: Int { min(count, Self.pieceBytes) }

  func read(into target: UnsafeMutableRawPointer) -> Bool {
    let wanted = nextCount
    guard pread(descriptor, target, wanted, off_t(offset)) == wanted else { return false }
    offset += wanted
    count -= wanted
    return true
  }
}
