import BridgeProtocol
import Foundation
import WebSocketTransport

/// A simulated page's way to a real relay.
struct WebSocketPageWire: PageWire {
  private let loop: ServiceLoop
  private let origin: String

  /// - Parameter relay: the relay's origin, with scheme `http` or `ws`.
  init(relay: URL) throws(TransportError) {
    loop = try PageLoop.get()
    origin = "ws://\(relay.host ?? "127.0.0.1"):\(relay.port ?? 80)"
  }

  func perform(_ work: @escaping @Sendable () -> Void) {
    loop.perform(work)
  }

  func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
    loop.schedule(after: delay, work)
  }

  func connect(app: String, _ handler: any PageSocketHandler) -> any PageSocket {
    let socket = WebSocketPageSocket(handler)
    do throws(TransportError) {
      let configuration = WebSocketClientConfiguration(
        url: try WebSocketURL("\(origin)/ws/\(app)"), subprotocol: BridgeWire.subprotocol)
      socket.start(WebSocketClient(configuration, loop: loop, handler: socket))
    } catch {
      preconditionFailure("'\(origin)' is no address of a relay: \(error)")
    }
    return socket
  }
}

/// The service loop of all simulated pages of the process.
private enum PageLoop {
  private static let loop = Locked<ServiceLoop?>(nil)

  static func get() throws(TransportError) -> ServiceLoop {
    try loop.withLock { loop throws(TransportError) in
      if let loop { return loop }
      let made = try ServiceLoop(name: "pagebridge-page")
      loop = made
      return made
    }
  }
}

private final class WebSocketPageSocket: PageSocket, WebSocketClientHandler {
  private let client = Locked<WebSocketClient?>(nil)
  private let handler: any PageSocketHandler

  init(_ handler: any PageSocketHandler) {
    self.handler = handler
  }

  func start(_ client: WebSocketClient) {
    self.client.withLock { $0 = client }
    client.connect()
  }

  func send(_ text: [UInt8]) {
    client.withLock { $0 }?.send(text)
  }

  func close(code: UInt16, reason: String) {
    // A cut has no close code of its own: 1000 says nothing of leaving.
    client.withLock { $0 }?.close(code: code == 1006 ? 1000 : code, reason: reason)
  }

  func opened(_ client: WebSocketClient) {
    handler.opened(self)
  }

  func received(_ client: WebSocketClient, text: UnsafeRawBufferPointer) {
    handler.received(self, text: Array(text))
  }

  func turnEnded(_ client: WebSocketClient) {}

  func closed(_ client: WebSocketClient, code: UInt16, reason: String) {
    self.client.withLock { $0 = nil }
    handler.closed(self, code: code, reason: reason)
  }
}
