import CLibwebsockets

/// What libwebsockets tells about connections that others make to this process.
enum ServerEvents {
  static func handle(
    _ wsi: OpaquePointer?, _ reason: lws_callback_reasons, _ user: UnsafeMutableRawPointer?,
    _ input: UnsafeMutableRawPointer?, _ count: Int
  ) -> CInt {
    switch reason {
    case LWS_CALLBACK_RECEIVE:
      SocketEvents.received(user, wsi, input, count)
    case LWS_CALLBACK_SERVER_WRITEABLE, LWS_CALLBACK_HTTP_WRITEABLE:
      SocketEvents.writable(user)
    case LWS_CALLBACK_RECEIVE_PONG:
      guard let socket = user?.assumingMemoryBound(to: SocketState.self) else { return 0 }
      socket.withHandler { $0.ponged(socket) }
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
      SocketEvents.peerCloses(user, input, count)
    case LWS_CALLBACK_CLOSED, LWS_CALLBACK_CLOSED_HTTP:
      SocketEvents.closed(user)
      if let wsi, user != nil { lws_set_wsi_user(wsi, nil) }
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
      guard let wsi, let input else { return -1 }
      return endpoint(wsi).confirm(wsi, upgrade: String(cString: input.assumingMemoryBound(to: CChar.self)))
    case LWS_CALLBACK_ESTABLISHED:
      guard let wsi else { return -1 }
      return endpoint(wsi).established(wsi)
    case LWS_CALLBACK_HTTP:
      guard let wsi else { return -1 }
      endpoint(wsi).requested(wsi)
    case LWS_CALLBACK_HTTP_BODY:
      exchange(user)?.bodyCame(UnsafeRawBufferPointer(start: input, count: input == nil ? 0 : count))
    case LWS_CALLBACK_HTTP_BODY_COMPLETION:
      exchange(user)?.bodyEnded()
    case LWS_CALLBACK_OPENSSL_LOAD_EXTRA_SERVER_VERIFY_CERTS:
      guard let wsi, let user else { return 0 }
      endpoint(wsi).madeTLSContext(OpaquePointer(user))
    case LWS_CALLBACK_WSI_DESTROY:
      guard let wsi else { return 0 }
      _ = ServerEndpoint.takePending(wsi)
    default:
      break
    }
    return 0
  }

  private static func endpoint(_ wsi: OpaquePointer) -> ServerEndpoint {
    Unmanaged<ServerEndpoint>.fromOpaque(lws_vhost_user(lws_get_vhost(wsi))).takeUnretainedValue()
  }

  private static func exchange(_ user: UnsafeMutableRawPointer?) -> HTTPExchange? {
    guard let socket = user?.assumingMemoryBound(to: SocketState.self) else { return nil }
    return socket.pointee.box.takeUnretainedValue().handler as? HTTPExchange
  }
}
