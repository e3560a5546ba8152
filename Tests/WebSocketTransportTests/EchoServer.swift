import Foundation
import TestCertificates

@testable import WebSocketTransport

/// A small server for client tests: echoes texts, does what some texts say, and tells what happens.
final class EchoServer: ServerHandler, Sendable {
  enum Event: Equatable, Sendable {
    case opened(protocol: String?, token: String?)
    case received(bytes: Int)
    case closed(UInt16, String)
  }

  let loop: ServiceLoop
  let port: Int
  let events: AsyncStream<Event>
  private let continuation: AsyncStream<Event>.Continuation

  init(certificate: TestCertificate? = nil) async throws {
    loop = try ServiceLoop(name: "echo-server")
    let (descriptor, port) = try Listener.bind(host: "127.0.0.1", port: 0)
    self.port = port
    (events, continuation) = AsyncStream.makeStream()
    let core = loop.core
    let configuration = ServerEndpointConfiguration(
      certificateFile: certificate?.certificateFile, keyFile: certificate?.keyFile)
    let isMade = await withCheckedContinuation { made in
      loop.perform { [self] in
        do {
          let endpoint = try ServerEndpoint(core: core, configuration: configuration, handler: self)
          _ = Listener(core: core, descriptor: descriptor) { endpoint.adopt($0) }
          made.resume(returning: true)
        } catch {
          made.resume(returning: false)
        }
      }
    }
    guard isMade else { throw TransportError(code: .certificateUnusable, message: "no endpoint") }
  }

  deinit { loop.stop() }

  func url(_ path: String = "/", scheme: String = "ws") throws -> WebSocketURL {
    try WebSocketURL("\(scheme)://127.0.0.1:\(port)\(path)")
  }

  func refusal(ofWebSocket request: RequestHead) -> HTTPResponse? {
    request.path == "/refused" ? .text(403, "Not here.") : nil
  }

  func opened(_ socket: Socket, request: RequestHead) -> any SocketHandler {
    continuation.yield(
      .opened(
        protocol: request.header("sec-websocket-protocol"), token: request.header("x-auth-token")))
    return EchoSocket(continuation)
  }

  func requested(_ exchange: HTTPExchange) {
    switch exchange.head.path {
    case "/body":
      nonisolated(unsafe) var bytes: [UInt8] = []
      exchange.onBody = { bytes.append(contentsOf: $0) }
      exchange.onBodyEnd = { exchange.respond(HTTPResponse(status: 200, body: bytes)) }
    case "/held":
      // Answered a turn later.
      loop.schedule(after: .milliseconds(1)) { [held = Held(exchange)] in
        held.exchange.respond(.text(200, "late"))
      }
    case "/stream":
      exchange.begin(status: 200, headers: [("Content-Type", "text/plain")], length: nil)
      nonisolated(unsafe) var left = 40
      exchange.onDrained = {
        guard left > 0 else { return exchange.finish() }
        left -= 1
        let bytes = [UInt8](repeating: UInt8(ascii: "s"), count: 100_000)
        bytes.withUnsafeBytes { exchange.write($0) }
      }
      exchange.onDrained?()
    default:
      exchange.respond(.text(404, "Nothing here."))
    }
  }
}

private final class Held: @unchecked Sendable {
  // Sendable because it is made and used on the loop's thread.
  let exchange: HTTPExchange
  init(_ exchange: HTTPExchange) { self.exchange = exchange }
}

private final class EchoSocket: SocketHandler {
  private let continuation: AsyncStream<EchoServer.Event>.Continuation
  private var text: [UInt8] = []

  init(_ continuation: AsyncStream<EchoServer.Event>.Continuation) {
    self.continuation = continuation
  }

  func received(_ socket: Socket, _ piece: MessagePiece) {
    text.append(contentsOf: UnsafeRawBufferPointer(start: piece.bytes, count: piece.count))
    guard piece.isFinal else { return }
    defer { text = [] }
    continuation.yield(.received(bytes: text.count))
    switch text {
    case Array("close me".utf8):
      socket.close(code: 4_123, reason: "as you wish")
    case Array("hang up".utf8):
      socket.hangUp()
    case Array("large".utf8):
      socket.send(text: String(repeating: "x", count: 65_537))
    default:
      guard text.count <= Block.capacity - Block.frameHeaderRoom else { return }
      text.withUnsafeBytes { bytes in
        socket.appendTextFrame(payload: bytes.count).copyMemory(
          from: bytes.baseAddress!, byteCount: bytes.count)
      }
    }
  }

  func closed(_ socket: Socket, code: UInt16, reason: String) {
    continuation.yield(.closed(code, reason))
  }
}
