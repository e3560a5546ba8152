import CLibwebsockets
import Glibc

/// The loop's side of a ``WebSocketClient``; all on the loop's thread.
final class ClientConnection: SocketHandler, Hashable, @unchecked Sendable {
  // Sendable because it is touched on the loop's thread only.
  let client: WebSocketClient
  private let handler: any WebSocketClientHandler
  private var phase = Phase.connecting(nil)
  private var deadline: LoopTimer?
  /// Looks whether the server still says something.
  private var watch: LoopTimer?
  private var isSilent = false
  /// Pieces of a message that has not wholly come.
  private var pieces: [UInt8] = []

  private enum Phase {
    case connecting(OpaquePointer?)
    case open(Socket)
    case over
  }

  init(client: WebSocketClient, handler: any WebSocketClientHandler) {
    self.client = client
    self.handler = handler
  }

  private var core: LoopCore { client.core }

  // MARK: Connecting

  func connect() {
    client.join(self)
    core.clients.insert(self)
    let configuration = client.configuration
    deadline = LoopTimer(core: core, after: configuration.connectTimeout) { [unowned self] in
      abandon(reason: "The server did not answer in time.")
    }
    let isSecure = configuration.url.scheme == .wss
    let tls = ClientTLS(isSecure: isSecure, caFile: isSecure ? configuration.caFile : nil)
    guard let vhost = core.clientVhost(for: tls) else {
      failed("The file of authorities could not be used.")
      return
    }
    var info = lws_client_connect_info()
    info.context = core.context
    info.vhost = vhost
    info.port = CInt(configuration.url.port)
    info.retry_and_idle_policy = pagebridge_validity_policy()
    if isSecure {
      info.ssl_connection = CInt(LCCSCF_USE_SSL.rawValue)
      if configuration.trustsAnyCertificate {
        let trusting = [
          LCCSCF_ALLOW_SELFSIGNED, LCCSCF_SKIP_SERVER_CERT_HOSTNAME_CHECK, LCCSCF_ALLOW_EXPIRED,
          LCCSCF_ALLOW_INSECURE,
        ]
        for flag in trusting { info.ssl_connection |= CInt(flag.rawValue) }
      }
    }
    // Retained for the library until `ended`.
    info.opaque_user_data = Unmanaged.passRetained(self).toOpaque()
    let wsi = withOptionalCString(configuration.localAddress) { localAddress in
      info.iface = localAddress
      return begin(&info)
    }
    switch phase {
    case .connecting where wsi == nil:
      failed("The connection could not be begun.")
    case .connecting:
      phase = .connecting(wsi)
      takeOutbox()
    case .open, .over:
      break
    }
  }

  private func begin(_ info: inout lws_client_connect_info) -> OpaquePointer? {
    let configuration = client.configuration
    return withOptionalCString(configuration.subprotocol) { subprotocol in
      configuration.url.host.withCString { address in
        configuration.url.authority.withCString { authority in
          configuration.url.path.withCString { path in
            "pagebridge-client".withCString { local in
              "http/1.1".withCString { alpn in
                info.address = address
                info.host = authority
                info.path = path
                info.protocol = subprotocol
                info.local_protocol_name = local
                info.alpn = alpn
                return lws_client_connect_via_info(&info)
              }
            }
          }
        }
      }
    }
  }

  /// Ends the open connection without a word.
  func abort() {
    guard case .open(let socket) = phase, !socket.pointee.isClosing else { return }
    socket.hangUp()
  }

  /// Writes the configured headers into the request.
  func appendHeaders(to cursor: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, room: Int) -> CInt {
    var text = client.configuration.headers.map { "\($0.name): \($0.value)\r\n" }.joined()
    return text.withUTF8 { utf8 -> CInt in
      guard utf8.count <= room, let target = cursor.pointee else { return 1 }
      if let base = utf8.baseAddress { memcpy(target, base, utf8.count) }
      cursor.pointee = target + utf8.count
      return 0
    }
  }

  func established(_ wsi: OpaquePointer) {
    deadline?.cancel()
    deadline = nil
    let socket = Socket.make(wsi: wsi, core: core, role: .clientWebSocket, handler: self)
    lws_set_wsi_user(wsi, socket)
    phase = .open(socket)
    if let limit = client.configuration.silenceTimeout { watchSilence(of: socket, limit) }
    handler.opened(client)
    takeOutbox()
  }

  /// A server that is gone without a word says nothing more; nothing else would ever tell.
  private func watchSilence(of socket: Socket, _ limit: Duration) {
    let pause = limit / Self.looksOfSilence
    watch = LoopTimer(core: core, after: pause, repeating: pause) { [unowned self] in
      guard !socket.pointee.isClosing, !socket.hasReceived(within: limit) else { return }
      isSilent = true
      socket.hangUp()
    }
  }

  /// How often silence is looked for in the time that it may last.
  private static let looksOfSilence = 9

  /// Connecting has failed, or the loop stops before it has ended.
  func failed(_ reason: String) {
    guard case .connecting = phase else { return }
    let wanted = client.takeTexts().close
    ended(code: wanted?.code ?? 1_006, reason: wanted?.reason ?? reason)
  }

  /// Gives up a connection that is being made.
  private func abandon(reason: String) {
    guard case .connecting(let wsi) = phase else { return }
    if let wsi {
      // Later events of this connection must not find it again.
      lws_set_opaque_user_data(wsi, nil)
      failed(reason)
      lws_set_timeout(wsi, NO_PENDING_TIMEOUT, pagebridge_kill_now)
      Unmanaged.passUnretained(self).release()
    } else {
      failed(reason)
    }
  }

  /// The library's reference, once no event can come any more.
  func releaseFromLibrary() {
    Unmanaged.passUnretained(self).release()
  }

  private func ended(code: UInt16, reason: String) {
    phase = .over
    deadline?.cancel()
    deadline = nil
    watch?.cancel()
    watch = nil
    core.clients.remove(self)
    handler.closed(client, code: code, reason: reason)
    client.finish()
  }

  // MARK: Sending

  /// Takes over what other threads have queued.
  func takeOutbox() {
    switch phase {
    case .connecting:
      if client.wantsToClose { abandon(reason: "") }
    case .open(let socket):
      let (texts, close) = client.takeTexts()
      guard !socket.pointee.isClosing else { return }
      for text in texts { text.withUnsafeBytes { socket.appendMasked($0) } }
      client.queued.store(socket.pointee.queuedBytes + socket.pointee.heldBytes, ordering: .relaxed)
      if let close { socket.close(code: close.code, reason: close.reason) }
    case .over:
      break
    }
  }

  func queueChanged(_ socket: Socket) {
    client.queued.store(socket.pointee.queuedBytes + socket.pointee.heldBytes, ordering: .relaxed)
  }

  // MARK: Receiving

  func received(_ socket: Socket, _ piece: MessagePiece) {
    guard !piece.isBinary else {
      socket.close(code: 1_003, reason: "Binary messages are not accepted.")
      return
    }
    if piece.isFirst { pieces.removeAll(keepingCapacity: true) }
    guard pieces.count + piece.count <= client.configuration.maxMessageBytes else {
      socket.close(
        code: 1_009, reason: "The message is larger than \(client.configuration.maxMessageBytes) bytes.")
      return
    }
    let bytes = UnsafeRawBufferPointer(start: piece.bytes, count: piece.count)
    if piece.isWhole {
      handler.received(client, text: bytes)
    } else {
      pieces.append(contentsOf: bytes)
      guard piece.isFinal else { return }
      pieces.withUnsafeBytes { handler.received(client, text: $0) }
      pieces.removeAll(keepingCapacity: pieces.count <= 65_536)
    }
  }

  func turnEnded(_ socket: Socket) {
    handler.turnEnded(client)
  }

  func closed(_ socket: Socket, code: UInt16, reason: String) {
    if isSilent {
      ended(code: 1_006, reason: "Nothing came of the server any more.")
    } else {
      ended(code: code, reason: reason)
    }
  }

  static func == (left: ClientConnection, right: ClientConnection) -> Bool { left === right }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension UnsafeMutablePointer where Pointee == SocketState {
  /// Payload of one frame of a client: what fits into a block with the header.
  private static var maskedFrameBytes: Int { Block.capacity - FrameHeader.maxBytes }

  /// Queues a text message of a client; one that is larger than a block in fragments, since only whole frames may
  /// lie between two writes.
  func appendMasked(_ text: UnsafeRawBufferPointer) {
    var offset = 0
    repeat {
      let count = Swift.min(text.count - offset, Self.maskedFrameBytes)
      let mask = core.masks.next()
      let header = FrameHeader.length(payload: count, isMasked: true)
      let target = append(count: header + count)
      FrameHeader.write(
        offset == 0 ? .text : .continuation, isFinal: offset + count == text.count, payload: count,
        mask: mask,
        to: target)
      FrameHeader.copyMasked(
        UnsafeRawBufferPointer(rebasing: text[offset..<offset + count]), mask: mask, to: target + header)
      pointee.unsentFrames &+= 1
      offset += count
    } while offset < text.count
  }
}
