import CLibwebsockets

/// What libwebsockets tells about connections that this process makes.
enum ClientEvents {
  static func handle(
    _ wsi: OpaquePointer?, _ reason: lws_callback_reasons, _ user: UnsafeMutableRawPointer?,
    _ input: UnsafeMutableRawPointer?, _ count: Int
  ) -> CInt {
    switch reason {
    case LWS_CALLBACK_CLIENT_RECEIVE:
      SocketEvents.received(user, wsi, input, count)
    case LWS_CALLBACK_CLIENT_WRITEABLE:
      SocketEvents.writable(user)
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
      SocketEvents.peerCloses(user, input, count)
    case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER:
      guard let input else { return 0 }
      let cursor = input.assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self)
      return connection(wsi)?.appendHeaders(to: cursor, room: count) ?? 1
    case LWS_CALLBACK_CLIENT_ESTABLISHED:
      guard let wsi, let connection = connection(wsi) else { return -1 }
      connection.established(wsi)
    case LWS_CALLBACK_CLIENT_CLOSED:
      SocketEvents.closed(user)
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR, LWS_CALLBACK_CLOSED_CLIENT_HTTP:
      connection(wsi)?.failed(text(input, count))
    case LWS_CALLBACK_WSI_DESTROY:
      guard let connection = connection(wsi) else { return 0 }
      lws_set_opaque_user_data(wsi, nil)
      connection.failed("The connection was given up.")
      connection.releaseFromLibrary()
    default:
      break
    }
    return 0
  }

  private static func connection(_ wsi: OpaquePointer?) -> ClientConnection? {
    guard let wsi, let pointer = lws_get_opaque_user_data(wsi) else { return nil }
    return Unmanaged<ClientConnection>.fromOpaque(pointer).takeUnretainedValue()
  }

  private static func text(_ input: UnsafeMutableRawPointer?, _ count: Int) -> String {
    guard let input, count > 0 else { return "The connection was closed before it was made." }
    return String(
      decoding: UnsafeRawBufferPointer(start: input, count: count).prefix { $0 != 0 }, as: UTF8.self)
  }
}

/// What is alike for both ends.
enum SocketEvents {
  @inline(__always)
  static func received(
    _ user: UnsafeMutableRawPointer?, _ wsi: OpaquePointer?, _ input: UnsafeMutableRawPointer?, _ count: Int
  ) {
    guard let user, let wsi, let input else { return }
    let socket = user.assumingMemoryBound(to: SocketState.self)
    guard !socket.pointee.isClosing else { return }
    if !socket.pointee.hasReceived {
      socket.pointee.hasReceived = true
      socket.core.mark(socket)
    }
    let piece = MessagePiece(
      bytes: input, count: count, isFirst: lws_is_first_fragment(wsi) != 0,
      isFinal: lws_is_final_fragment(wsi) != 0, isBinary: lws_frame_is_binary(wsi) != 0)
    socket.withHandler { $0.received(socket, piece) }
  }

  static func writable(_ user: UnsafeMutableRawPointer?) {
    guard let socket = user?.assumingMemoryBound(to: SocketState.self), socket.pointee.isBlocked else {
      return
    }
    // The library calls this only once it has no rest of its own.
    socket.unblock()
  }

  static func peerCloses(_ user: UnsafeMutableRawPointer?, _ input: UnsafeMutableRawPointer?, _ count: Int) {
    guard let socket = user?.assumingMemoryBound(to: SocketState.self) else { return }
    socket.noteCloseFrame(UnsafeRawBufferPointer(start: input, count: input == nil ? 0 : count))
  }

  static func closed(_ user: UnsafeMutableRawPointer?) {
    user?.assumingMemoryBound(to: SocketState.self).finish()
  }
}
