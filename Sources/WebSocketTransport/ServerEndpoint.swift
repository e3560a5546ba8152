import CLibwebsockets
import Glibc

/// Who decides about requests and takes over connections; all on the loop's thread.
package protocol ServerHandler: AnyObject {
  /// What to answer instead of opening a WebSocket, or nil to open it.
  ///
  /// A request that names subprotocols, and none of the endpoint's, is refused before.
  func refusal(ofWebSocket request: RequestHead) -> HTTPResponse?
  /// A WebSocket is open; returns who takes it.
  func opened(_ socket: Socket, request: RequestHead) -> any SocketHandler
  /// A request has come.
  func requested(_ exchange: HTTPExchange)
}

/// How an endpoint speaks.
package struct ServerEndpointConfiguration: Sendable {
  /// PEM files; both, or neither for plain TCP.
  package var certificateFile: String?
  package var keyFile: String?
  /// Whether each answer ends its connection.
  package var closesConnections = false

  package init(certificateFile: String? = nil, keyFile: String? = nil, closesConnections: Bool = false) {
    self.certificateFile = certificateFile
    self.keyFile = keyFile
    self.closesConnections = closesConnections
  }
}

/// The server's part of one loop: takes accepted connections and speaks HTTP/1.1 and WebSocket on them.
package final class ServerEndpoint {
  /// The subprotocol that it opens WebSockets for.
  package static let subprotocol = "pagebridge.v1"

  unowned let core: LoopCore
  private let handler: any ServerHandler
  private let configuration: ServerEndpointConfiguration
  private var vhost: OpaquePointer?
  private var tlsContext: ServerTLSContext?

  /// Makes the endpoint on the loop's thread, where it stays; it lives as long as the loop.
  package init(
    core: LoopCore, configuration: ServerEndpointConfiguration, handler: any ServerHandler
  ) throws(TransportError) {
    self.core = core
    self.configuration = configuration
    self.handler = handler
    // The loop keeps the endpoint, so the pointer stays good.
    let pointer = Unmanaged.passUnretained(self).toOpaque()
    vhost = withOptionalCString(configuration.certificateFile) { certificate in
      withOptionalCString(configuration.keyFile) { key in
        "http/1.1".withCString { alpn in
          core.makeVhost(isSecure: certificate != nil) { info in
            info.user = pointer
            // With any other "no port", certificates are accepted and TLS is still not spoken.
            info.port = pagebridge_port_adopting_server
            info.protocols = UnsafePointer(Protocols.server)
            info.ssl_cert_filepath = certificate
            info.ssl_private_key_filepath = key
            info.alpn = alpn
            info.keepalive_timeout = 60
          }
        }
      }
    }
    guard vhost != nil else {
      throw TransportError(
        code: configuration.certificateFile == nil ? .loopUnavailable : .certificateUnusable,
        message: "libwebsockets could not use the certificate and key.",
        context: ["certificate": configuration.certificateFile ?? "", "key": configuration.keyFile ?? ""])
    }
    core.keep(self)
  }

  /// Takes an accepted connection; the descriptor belongs to libwebsockets from here on.
  package func adopt(_ descriptor: CInt) {
    var on: CInt = 1
    // Without it a small frame may wait 40 ms for the acknowledgement of the one before.
    setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size))
    lws_adopt_socket_vhost(vhost, descriptor)
  }

  // MARK: Events

  /// The library has made the context for its certificates.
  func madeTLSContext(_ context: OpaquePointer) {
    tlsContext = ServerTLSContext(context)
  }

  /// Decides whether a request may become a WebSocket: 0 yes, 1 no and it is answered.
  func confirm(_ wsi: OpaquePointer, upgrade: String) -> CInt {
    let head = RequestHead(wsi)
    let offered = head.header("sec-websocket-protocol").map {
      $0.split(separator: ",").map { $0.filter { !$0.isWhitespace } }
    }
    var refusal: HTTPResponse?
    if upgrade.lowercased() != "websocket" {
      refusal = .text(400, "The only upgrade offered is websocket.")
    } else if let offered, !offered.contains(Self.subprotocol) {
      refusal = .text(400, "The subprotocol offered is not \(Self.subprotocol).")
    } else {
      refusal = handler.refusal(ofWebSocket: head)
    }
    guard let refusal else {
      // Retained for the library until `established` or `destroyed`.
      lws_set_opaque_user_data(wsi, Unmanaged.passRetained(PendingSocket(head)).toOpaque())
      return 0
    }
    let headers =
      refusal.headers + [
        ("Content-Length", String(refusal.body.count)), ("Connection", "close"), ("Date", HTTPDate.now()),
      ]
    var bytes = Array(HTTPResponse.head(status: refusal.status, headers: headers).utf8) + refusal.body
    lws_write(wsi, &bytes, bytes.count, LWS_WRITE_HTTP)
    return 1
  }

  func established(_ wsi: OpaquePointer) -> CInt {
    guard let pending = Self.takePending(wsi) else { return -1 }
    let socket = Socket.make(wsi: wsi, core: core, role: .serverWebSocket, handler: NoHandler.shared)
    lws_set_wsi_user(wsi, socket)
    socket.handOver(to: handler.opened(socket, request: pending.head))
    return 0
  }

  func requested(_ wsi: OpaquePointer) {
    handler.requested(
      HTTPExchange(
        wsi: wsi, core: core, head: RequestHead(wsi), closesConnection: configuration.closesConnections))
  }

  static func takePending(_ wsi: OpaquePointer) -> PendingSocket? {
    guard let pointer = lws_get_opaque_user_data(wsi) else { return nil }
    lws_set_opaque_user_data(wsi, nil)
    return Unmanaged<PendingSocket>.fromOpaque(pointer).takeRetainedValue()
  }
}

/// The request of a WebSocket between the decision and its opening.
final class PendingSocket {
  let head: RequestHead

  init(_ head: RequestHead) {
    self.head = head
  }
}

/// Stands in until the endpoint's handler has chosen who takes a socket.
private final class NoHandler: SocketHandler, Sendable {
  static let shared = NoHandler()

  func received(_ socket: Socket, _ piece: MessagePiece) {}
  func closed(_ socket: Socket, code: UInt16, reason: String) {}
}
