import BridgeProtocol
import WebSocketTransport

/// A relay behind a WebSocket; all hosts of the process share one service loop.
struct LoopTransport: HostTransport {
  private let loop: ServiceLoop
  private let configuration: WebSocketClientConfiguration

  init(app: String, relay: URL, options: WebViewHost.Options) {
    loop = SharedLoop.get()
    do throws(TransportError) {
      var configuration = WebSocketClientConfiguration(
        url: try WebSocketURL(RelayAddress.socket(of: relay, app: app)), subprotocol: BridgeWire.subprotocol)
      configuration.trustsAnyCertificate = options.trustsAnyCertificate
      configuration.caFile = options.caFile
      configuration.maxMessageBytes = Limits.maxAcceptedWireBytes
      configuration.silenceTimeout = Limits.silenceTimeout
      self.configuration = configuration
    } catch {
      preconditionFailure("'\(relay)' is no address of a relay: \(error)")
    }
  }

  func perform(_ work: @escaping @Sendable () -> Void) {
    loop.perform(work)
  }

  func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any HostTimer {
    loop.schedule(after: delay, work)
  }

  func connect(_ handler: any HostSocketHandler) -> any HostSocket {
    let socket = LoopSocket(handler)
    let client = WebSocketClient(configuration, loop: loop, handler: socket)
    socket.client.withLock { $0 = client }
    client.connect()
    return socket
  }
}

extension TimerToken: HostTimer {}

/// One WebSocket of a host.
private final class LoopSocket: HostSocket, WebSocketClientHandler {
  let client = Locked<WebSocketClient?>(nil)
  private let handler: any HostSocketHandler

  init(_ handler: any HostSocketHandler) {
    self.handler = handler
  }

  func send(_ texts: [[UInt8]]) {
    client.withLock { $0 }?.send(texts)
  }

  func close(code: UInt16, reason: String) {
    client.withLock { $0 }?.close(code: code, reason: reason)
  }

  func opened(_ client: WebSocketClient) {
    handler.opened(self)
  }

  func received(_ client: WebSocketClient, text: UnsafeRawBufferPointer) {
    handler.received(self, text: text)
  }

  func turnEnded(_ client: WebSocketClient) {
    handler.turnEnded(self)
  }

  func closed(_ client: WebSocketClient, code: UInt16, reason: String) {
    // Client and socket hold each other until here.
    self.client.withLock { $0 = nil }
    handler.closed(self, code: code, reason: reason)
  }
}

/// The service loop of the process's hosts; it lives as long as the process.
private enum SharedLoop {
  private static let loop = Locked<ServiceLoop?>(nil)

  static func get() -> ServiceLoop {
    loop.withLock { loop in
      if let loop { return loop }
      do throws(TransportError) {
        let made = try ServiceLoop(name: "pagebridge-host")
        loop = made
        return made
      } catch {
        preconditionFailure("no service loop for hosts: \(error)")
      }
    }
  }
}
