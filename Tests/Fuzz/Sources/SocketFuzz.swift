import BridgeProtocol
import Glibc
import Relay

/// A relay in this process and connections that say anything: the first byte says how much of a connection is proper.
///
/// It answers the next one, whatever the last one did.
enum SocketFuzz {
  private static let relay: RelayServer = {
    var configuration = RelayConfiguration(secret: Array("a secret for fuzzing only".utf8))
    configuration.listen.port = 0
    do {
      let relay = try RelayServer(configuration)
      try relay.start()
      return relay
    } catch {
      fatalError("no relay: \(error)")
    }
  }()
  /// Touched by libFuzzer's one thread only.
  nonisolated(unsafe) private static var runs = 0

  static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
    var input = FuzzInput(bytes)
    let kind = input.number(below: 4)
    let head = Array(
      """
      GET /ws/fuzz HTTP/1.1\r\nHost: 127.0.0.1:\(relay.port)\r\nUpgrade: websocket\r\nConnection: Upgrade\r
      Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r
      Sec-WebSocket-Protocol: pagebridge.v1\r\n\r\n
      """.utf8)
    var sent: [UInt8]
    switch kind {
    case 0:
      // A request of any kind; one that begins in order more often than chance would have it.
      sent = Array(#"POST /attach?app=fuzz HTTP/1.1\#r\#nHost: 127.0.0.1\#r\#nContent-Length: "#.utf8)
      sent = input.byte() % 2 == 0 ? input.rest() : sent + input.rest()
    case 1: sent = head + input.rest()
    case 2:
      sent = head + frame(#"{"hello":{"role":"host","app":"fuzz","epoch":"epoch--1"}}"#.utf8) + frames(&input)
    default:
      sent =
        head + frame(#"{"hello":{"role":"page","app":"fuzz","document":"document"}}"#.utf8) + frames(&input)
    }
    exchange(sent)
    runs += 1
    if runs % 64 == 0 {
      let answer = exchange(
        Array("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:\(relay.port)\r\nConnection: close\r\n\r\n".utf8))
      expect(answer.starts(with: "HTTP/1.1 200".utf8), "the relay does not answer any more")
    }
  }

  /// Each line as a text message.
  private static func frames(_ input: inout FuzzInput) -> [UInt8] {
    var bytes: [UInt8] = []
    while !input.isEmpty { bytes += frame(input.line()) }
    return bytes
  }

  /// A text frame whose mask is zero (RFC 6455, section 5.2).
  private static func frame(_ text: some Collection<UInt8>) -> [UInt8] {
    let length: [UInt8] =
      text.count < 126
      ? [0x80 | UInt8(text.count)] : [0xFE, UInt8(text.count >> 8 & 0xFF), UInt8(text.count & 0xFF)]
    return [0x81] + length + [0, 0, 0, 0] + text
  }

  /// Sends, says that nothing more comes, and reads to the end.
  @discardableResult
  private static func exchange(_ bytes: [UInt8]) -> [UInt8] {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var timeout = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    // Ports of ended connections would run out.
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(relay.port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    expect(code == 0, "the relay takes no connection: \(errno)")
    _ = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
    shutdown(descriptor, CInt(SHUT_WR))
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count < 0, errno == EAGAIN { expect(false, "the relay keeps a connection that is over") }
      guard count > 0 else { return received }
      received.append(contentsOf: buffer.prefix(count))
    }
  }
}
