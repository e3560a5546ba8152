import BridgeProtocol
import WebSocketTransport

/// Who is at the other end of a connection, as far as it is told on.
struct Visitor {
  var origin: String?
  var address: String

  init(_ request: RequestHead) {
    origin = request.header("origin")
    address = request.peerAddress
  }
}

/// A socket before its hello.
final class NewSocket: SocketHandler {
  let app: String
  let visitor: Visitor
  private unowned let thread: RelayThread
  private let socket: Socket
  private var text: [UInt8] = []
  private var deadline: LoopTimer?

  init(thread: RelayThread, app: String, visitor: Visitor, socket: Socket) {
    self.thread = thread
    self.app = app
    self.visitor = visitor
    self.socket = socket
    let timeout = thread.configuration.helloTimeout
    deadline = LoopTimer(core: thread.core, after: timeout) { [unowned self] in
      refuse(Refusal(.helloTimeout, "No hello came in time."))
    }
  }

  func received(_ socket: Socket, _ piece: MessagePiece) {
    guard !piece.isBinary else {
      refuse(Refusal(.binaryMessage, "Binary messages are not accepted."))
      return
    }
    text.append(contentsOf: UnsafeRawBufferPointer(start: piece.bytes, count: piece.count))
    let limit = thread.limits.maxHelloBytes
    guard piece.isFinal || text.count > limit else { return }
    var utf8 = UTF8Validator()
    let isText = text.withUnsafeBytes { bytes in
      bytes.baseAddress.map { utf8.accepts($0, count: bytes.count) && utf8.isComplete } ?? true
    }
    do throws(Refusal) {
      guard isText || text.count > limit else {
        throw Refusal(.invalidText, "The hello is not UTF-8.")
      }
      let hello = try Hello(text, app: app, maxBytes: limit)
      text = []
      deadline?.cancel()
      deadline = nil
      switch hello {
      case .page(let page): try thread.admit(page, from: self, on: socket)
      case .host(let host): try thread.admit(host, from: self, on: socket)
      }
      thread.greetingEnded(self)
    } catch {
      refuse(error)
    }
  }

  func refuse(_ refusal: Refusal) {
    deadline?.cancel()
    deadline = nil
    thread.noteRefused(
      app: app, code: Int(refusal.code.rawValue), reason: refusal.message, visitor: visitor)
    socket.close(code: refusal.code.rawValue, reason: refusal.message)
  }

  func close(_ code: CloseCode, _ reason: String) {
    socket.close(code: code.rawValue, reason: reason)
  }

  func closed(_ socket: Socket, code: UInt16, reason: String) {
    deadline?.cancel()
    deadline = nil
    thread.greetingEnded(self)
  }
}
