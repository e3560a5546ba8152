import Foundation
import Glibc

@testable import WebSocketTransport

/// Accepts one WebSocket by hand and does not read it until told to.
final class SilentServer {
  let port: Int
  private let listener: CInt
  private var connection: CInt = -1

  init() throws {
    let (descriptor, port) = try Listener.bind(host: "127.0.0.1", port: 0)
    listener = descriptor
    self.port = port
    _ = fcntl(descriptor, F_SETFL, 0)
  }

  deinit {
    close(listener)
    if connection >= 0 { close(connection) }
  }

  func shakeHands() throws {
    connection = accept(listener, nil, nil)
    var request: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while !String(decoding: request, as: UTF8.self).contains("\r\n\r\n") {
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { throw POSIXError(.ECONNRESET) }
      request.append(contentsOf: buffer.prefix(count))
    }
    let lines = String(decoding: request, as: UTF8.self).split(separator: "\r\n")
    let key =
      lines.first { $0.lowercased().hasPrefix("sec-websocket-key:") }?.split(separator: " ").last ?? ""
    let answer = """
      HTTP/1.1 101 Switching Protocols\r
      Upgrade: websocket\r
      Connection: Upgrade\r
      Sec-WebSocket-Accept: \(WebSocketAccept.answer(to: String(key)))\r
      \r

      """
    _ = answer.withCString { send(connection, $0, strlen($0), 0) }
  }

  func readAll() {
    var timeout = timeval(tv_sec: 0, tv_usec: 200_000)
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while recv(connection, &buffer, buffer.count, 0) > 0 {}
  }
}
