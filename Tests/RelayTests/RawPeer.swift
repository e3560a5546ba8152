import Foundation
import Glibc

/// A TCP connection that a test reads and writes by hand, with a bound on each wait.
class RawConnection: @unchecked Sendable {
  // Sendable because a test hands it to one other thread at most and leaves it alone meanwhile.
  struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  let descriptor: CInt
  var received: [UInt8] = []
  /// The test has gone wrong if it still waits then, whatever comes meanwhile.
  private let deadline = ContinuousClock.now + .seconds(30)

  init(port: Int, receiveBuffer: Int? = nil) throws {
    descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    if var size = receiveBuffer.map({ CInt($0) }) {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<CInt>.size))
    }
    var timeout = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    var on: CInt = 1
    setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 else { throw Failure("connect: \(errno)") }
  }

  deinit { close(descriptor) }

  func write(_ bytes: [UInt8]) throws {
    var offset = 0
    while offset < bytes.count {
      let count = bytes[offset...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Failure("send: \(errno)") }
      offset += count
    }
  }

  /// Reads until there are that many bytes, and takes them.
  func read(_ count: Int) throws -> [UInt8] {
    while received.count < count {
      guard try readSome() else { throw Failure("the connection ended") }
    }
    defer { received.removeFirst(count) }
    return Array(received.prefix(count))
  }

  /// Reads once; false at the end.
  func readSome() throws -> Bool {
    guard ContinuousClock.now < deadline else { throw Failure("what was awaited did not come") }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count >= 0 else { throw Failure("nothing came in time: \(errno)") }
    received.append(contentsOf: buffer.prefix(count))
    return count > 0
  }

  func readHead() throws -> String {
    let end = Array("\r\n\r\n".utf8)
    while true {
      if let range = received.firstRange(of: end) {
        let head = String(decoding: received[..<range.lowerBound], as: UTF8.self)
        received.removeFirst(range.upperBound)
        return head
      }
      guard try readSome() else { throw Failure("no head: \(String(decoding: received, as: UTF8.self))") }
    }
  }
}

/// A WebSocket that a test speaks by hand: any frames, right or wrong.
final class RawPeer: RawConnection, @unchecked Sendable {
  struct Closed: Equatable {
    var code: Int
    var reason: String
  }

  enum Message: Equatable {
    case text(String)
    case closed(Int, String)
    /// The connection ended without a close frame.
    case ended
  }

  /// The answer to the upgrade, if it was refused.
  private(set) var refusal: HTTPAnswer?
  /// Pongs are answered unless a test wants a dead page.
  var answersPings = true

  init(
    port: Int, path: String, subprotocol: String? = "pagebridge.v1",
    headers: [(String, String)] = [], host: String? = nil, receiveBuffer: Int? = nil
  ) throws {
    try super.init(port: port, receiveBuffer: receiveBuffer)
    var request = "GET \(path) HTTP/1.1\r\nHost: \(host ?? "127.0.0.1:\(port)")\r\n"
    request += "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    request += "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
    if let subprotocol { request += "Sec-WebSocket-Protocol: \(subprotocol)\r\n" }
    for (name, value) in headers { request += "\(name): \(value)\r\n" }
    try write(Array((request + "\r\n").utf8))
    let head = try readHead()
    if !head.hasPrefix("HTTP/1.1 101") { refusal = try HTTPAnswer(head: head, from: self, isHead: false) }
  }

  func send(_ text: String) throws { try send(Array(text.utf8)) }

  func send(_ payload: [UInt8], opcode: UInt8 = 1, isFinal: Bool = true) throws {
    try write(Self.frame(payload, opcode: opcode, isFinal: isFinal))
  }

  static func frame(_ payload: [UInt8], opcode: UInt8 = 1, isFinal: Bool = true) -> [UInt8] {
    var frame: [UInt8] = [(isFinal ? 0x80 : 0) | opcode]
    switch payload.count {
    case 0..<126: frame.append(0x80 | UInt8(payload.count))
    case 126..<65_536:
      frame += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    default:
      frame.append(0x80 | 127)
      for shift in stride(from: 56, through: 0, by: -8) {
        frame.append(UInt8((payload.count >> shift) & 0xFF))
      }
    }
    guard payload.count < 4_096 else { return frame + [0, 0, 0, 0] + payload }
    let mask: [UInt8] = [0x12, 0x34, 0x56, 0x78]
    return frame + mask + payload.enumerated().map { $1 ^ mask[$0 & 3] }
  }

  /// Sends a close frame and waits for the relay's.
  func closeNormally(code: Int) throws {
    try send([UInt8(code >> 8), UInt8(code & 0xFF)], opcode: 8)
    while true {
      switch try next() {
      case .text: continue
      case .closed, .ended: return
      }
    }
  }

  /// The next text or end; pings are answered on the way.
  func next() throws -> Message {
    while true {
      let head: [UInt8]
      do {
        head = try read(2)
      } catch {
        if received.isEmpty, "\(error)" == "the connection ended" || "\(error)".hasSuffix("104") {
          return .ended
        }
        throw error
      }
      guard head[1] & 0x80 == 0 else { throw Failure("a masked frame from a server") }
      var count = Int(head[1] & 0x7F)
      if count == 126 {
        count = try read(2).reduce(0) { $0 << 8 | Int($1) }
      } else if count == 127 {
        count = try read(8).reduce(0) { $0 << 8 | Int($1) }
      }
      let payload = try read(count)
      switch head[0] & 0x0F {
      case 1:
        guard head[0] & 0x80 != 0 else { throw Failure("a fragment from the relay") }
        return .text(String(decoding: payload, as: UTF8.self))
      case 8:
        let code = payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : 1_005
        try? send(Array(payload.prefix(2)), opcode: 8)
        return .closed(code, String(decoding: payload.dropFirst(2), as: UTF8.self))
      case 9:
        guard answersPings else { continue }
        try send(payload, opcode: 10)
        if isWaitingForPing { return .text("ping") }
      case 10:
        continue
      default:
        throw Failure("frame \(head[0])")
      }
    }
  }

  private var isWaitingForPing = false

  /// Waits for a ping and answers it; texts before it are passed over.
  func answerPing() throws {
    isWaitingForPing = true
    defer { isWaitingForPing = false }
    while try next() != .text("ping") {}
  }

  /// The next text that is no sign of life.
  func nextText() throws -> String {
    while true {
      switch try next() {
      case .text(#"["alive"]"#): continue
      case .text(let text): return text
      case let other: throw Failure("expected a text, got \(other)")
      }
    }
  }

  /// The close that ends the connection; texts before it are passed over.
  func nextClose() throws -> Closed {
    while true {
      switch try next() {
      case .text: continue
      case .closed(let code, let reason): return Closed(code: code, reason: reason)
      case .ended: throw Failure("ended without a close frame")
      }
    }
  }
}

/// An HTTP answer.
struct HTTPAnswer {
  var status = 0
  var headers: [(name: String, value: String)] = []
  var body: [UInt8] = []

  var text: String { String(decoding: body, as: UTF8.self) }
  var json: [String: Any] { (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] ?? [:] }

  func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  init(head: String, from connection: RawConnection, isHead: Bool) throws {
    let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
    status = Int(lines[0].split(separator: " ")[1]) ?? 0
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      headers.append((String(parts[0]), String(parts[1]).trimmingCharacters(in: .whitespaces)))
    }
    guard !isHead, status != 204, status != 304 else { return }
    if let count = header("content-length").flatMap({ Int($0) }) {
      body = try connection.read(count)
    } else if header("transfer-encoding") == "chunked" {
      while true {
        let size = Int(try Self.line(connection), radix: 16) ?? 0
        body += try connection.read(size)
        _ = try Self.line(connection)
        if size == 0 { return }
      }
    }
  }

  private static func line(_ connection: RawConnection) throws -> String {
    while true {
      if let range = connection.received.firstRange(of: Array("\r\n".utf8)) {
        let line = String(decoding: connection.received[..<range.lowerBound], as: UTF8.self)
        connection.received.removeFirst(range.upperBound)
        return line
      }
      guard try connection.readSome() else { throw RawConnection.Failure("the answer is cut") }
    }
  }
}

/// An HTTP connection; requests are sent and answers read in two steps, so that a host can act between.
final class RawHTTP: RawConnection, @unchecked Sendable {
  private let port: Int
  private var isHead = false

  init(port: Int) throws {
    self.port = port
    try super.init(port: port)
  }

  func send(
    _ method: String, _ path: String, headers: [(String, String)] = [], body: String? = nil,
    host: String? = nil
  ) throws {
    isHead = method == "HEAD"
    var request = "\(method) \(path) HTTP/1.1\r\nHost: \(host ?? "127.0.0.1:\(port)")\r\n"
    for (name, value) in headers { request += "\(name): \(value)\r\n" }
    if let body { request += "Content-Length: \(body.utf8.count)\r\n" }
    try write(Array((request + "\r\n" + (body ?? "")).utf8))
  }

  func answer() throws -> HTTPAnswer {
    try HTTPAnswer(head: try readHead(), from: self, isHead: isHead)
  }

  static func request(
    port: Int, _ method: String, _ path: String, headers: [(String, String)] = [], body: String? = nil,
    host: String? = nil
  ) throws -> HTTPAnswer {
    let http = try RawHTTP(port: port)
    try http.send(method, path, headers: headers, body: body, host: host)
    return try http.answer()
  }
}
