import BridgeProtocol
import Foundation
import TestCertificates
import Testing
import WebSocketTransport

@testable import Relay

/// A relay that speaks TLS, by this package's own client.
@Suite(.timeLimit(.minutes(1)))
struct TLSTests {
  @Test func messagesOfEachSizePass() async throws {
    let certificate = try TestCertificate()
    let relay = try TestRelay {
      $0.tlsCertificate = certificate.certificateFile
      $0.tlsKey = certificate.keyFile
    }
    #expect(relay.server.url == "https://127.0.0.1:\(relay.port)")
    let loop = try ServiceLoop(name: "tls-clients")
    defer { loop.stop() }
    let url = try WebSocketURL("wss://127.0.0.1:\(relay.port)/ws/player")
    let configuration = WebSocketClientConfiguration(
      url: url, subprotocol: BridgeWire.subprotocol, caFile: certificate.certificateFile)
    let host = Texts()
    let hostClient = WebSocketClient(configuration, loop: loop, handler: host)
    hostClient.connect()
    hostClient.send(Array(#"{"hello":{"role":"host","app":"player","epoch":"epoch000"}}"#.utf8))
    #expect(await host.next()?.contains("welcome") == true)

    let page = Texts()
    let pageClient = WebSocketClient(configuration, loop: loop, handler: page)
    pageClient.connect()
    pageClient.send(Array(#"{"hello":{"role":"page","app":"player","document":"doc00000"}}"#.utf8))
    let open = parsed(await host.next() ?? "") as? [String: [String: Any]]
    let session = open?["open"]?["session"] as? String ?? ""
    hostClient.send(
      Array(#"{"opened":{"session":"\#(session)","document":"doc00000","config":{}}}"#.utf8))
    #expect(await host.next()?.contains("attached") == true)
    #expect(await page.next()?.contains("welcome") == true)

    for size in [10, 1_000, 16_370, 16_384, 32_000, 60_000] {
      let text = #"{"x":"\#(String(repeating: "t", count: size))"}"#
      // More than one at once, so that they are gathered.
      for _ in 0..<3 { pageClient.send(Array(text.utf8)) }
      for _ in 0..<3 {
        let wrapped = await host.next() ?? ""
        #expect(wrapped == "[\"\(session).doc00000\",\(text)]")
        hostClient.send(Array(wrapped.utf8))
      }
      for _ in 0..<3 { #expect(await page.next() == text) }
    }
  }
}

/// The texts that a client receives, one by one.
private final class Texts: WebSocketClientHandler {
  private let continuation: AsyncStream<String>.Continuation
  private let stream: AsyncStream<String>

  init() { (stream, continuation) = AsyncStream.makeStream() }

  /// The next text that is no sign of life.
  func next() async -> String? {
    for await text in stream where text != BridgeWire.alive { return text }
    return nil
  }

  func opened(_ client: WebSocketClient) {}
  func received(_ client: WebSocketClient, text: UnsafeRawBufferPointer) {
    continuation.yield(String(decoding: text, as: UTF8.self))
  }
  func turnEnded(_ client: WebSocketClient) {}
  func closed(_ client: WebSocketClient, code: UInt16, reason: String) { continuation.finish() }
}
