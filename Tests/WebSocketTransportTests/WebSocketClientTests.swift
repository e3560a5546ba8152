import Glibc
import TestCertificates
import Testing

@testable import WebSocketTransport

@Suite(.timeLimit(.minutes(1)))
struct WebSocketClientTests {
  private func connect(
    _ configuration: WebSocketClientConfiguration, on loop: ServiceLoop
  ) -> (WebSocketClient, ClientRecorder.Events) {
    let recorder = ClientRecorder()
    let client = WebSocketClient(configuration, loop: loop, handler: recorder)
    client.connect()
    return (client, recorder.events)
  }

  @Test func sendsAndReceivesInOrder() async throws {
    let server = try await EchoServer()
    let loop = try ServiceLoop(name: "clients")
    defer { loop.stop() }
    var (client, events) = connect(WebSocketClientConfiguration(url: try server.url()), on: loop)
    for index in 0..<1_000 { client.send(Array("message \(index)".utf8)) }
    #expect(await events.next() == .opened)
    for index in 0..<1_000 { #expect(await events.next() == .received(Array("message \(index)".utf8))) }
    client.close(code: 4_001, reason: "enough")
    #expect(await events.next() == .closed(4_001, "enough"))
    #expect(await events.next() == nil)
    var serverEvents = server.events.makeAsyncIterator()
    while let event = await serverEvents.next() {
      if case .closed(let code, let reason) = event {
        #expect(code == 4_001 && reason == "enough")
        break
      }
    }
  }

  @Test func aServerThatIsGoneWithoutAWordIsNoticed() async throws {
    let server = try SilentServer()
    let loop = try ServiceLoop(name: "clients")
    defer { loop.stop() }
    var configuration = WebSocketClientConfiguration(
      url: try WebSocketURL("ws://127.0.0.1:\(server.port)/"))
    configuration.silenceTimeout = .milliseconds(200)
    var (_, events) = connect(configuration, on: loop)
    try server.shakeHands()
    #expect(await events.next() == .opened)
    #expect(await events.next() == .closed(1_006, "Nothing came of the server any more."))
    #expect(await events.next() == nil)
  }

  @Test func asksForSubprotocolAndSendsHeaders() async throws {
    let server = try await EchoServer()
    let loop = try ServiceLoop(name: "clients")
    defer { loop.stop() }
    let configuration = WebSocketClientConfiguration(
      url: try server.url("/a/b?c=d"), subprotocol: "pagebridge.v1", headers: [("X-Auth-Token", "t0")])
    var (_, events) = connect(configuration, on: loop)
    #expect(await events.next() == .opened)
    var serverEvents = server.events.makeAsyncIterator()
    #expect(await serverEvents.next() == .opened(protocol: "pagebridge.v1", token: "t0"))
  }

  @Test(arguments: [1, 125, 126, 4_096, 32_768, 40_000, 65_535, 65_536, 250_000])
  func passesMessagesOfEachSize(size: Int) async throws {
    let server = try await EchoServer()
    let loop = try ServiceLoop(name: "clients")
    defer { loop.stop() }
    let text = (0..<size).map { UInt8(32 + $0 % 90) }
    guard size <= Block.capacity - 10 else {
      // The echo writes whole frames; here only that the client's fragments arrive.
      let (client, _) = connect(WebSocketClientConfiguration(url: try server.url()), on: loop)
      client.send(text)
      for await event in server.events { if event == .received(bytes: size) { break } }
      return
    }
    let configuration = WebSocketClientConfiguration(url: try server.url(), maxMessageBytes: size)
    var (client, events) = connect(configuration, on: loop)
    client.send(text)
    #expect(await events.next() == .opened)
    #expect(await events.next() == .received(text))
  }

  @Test func refusesMessagesAboveItsLimit() async throws {
    let server = try await EchoServer()
    let loop = try ServiceLoop(name: "clients")
    defer { loop.stop() }
    var (client, events) = connect(WebSocketClientConfiguration(url: try server.url()), on: loop)
    client.send(Array("large".utf8))
    #expect(await events.next() == .opened)
    #expect(await events.next() == .closed(1_009, "The message is larger than 65536 bytes."))
  }

  @Test func tellsCodeAndReasonOfTheServersClose() async throws {
    let server = try await EchoServer()
    let loop = try ServiceLoop(name: "clients")
    defer { loop.stop() }
    var (client, events) = connect(WebSocketClientConfiguration(url: try server.url()), on: loop)
    client.send(Array("close me".utf8))
    #expect(await events.next() == .opened)
    #expect(await events.next() == .closed(4_123, "as you wish"))
  }

  @Test func tellsThatAConnectionDied() async throws {
    let server = try await EchoServer()
    let loop = try ServiceLoop(name: "clients")
    defer { loop.stop() }
    var (client, events) = connect(WebSocketClientConfiguration(url: try server.url()), on: loop)
    client.send(Array("hang up".utf8))
    #expect(await events.next() == .opened)
    #expect(await events.next() == .closed(1_006, ""))
  }

  @Test func tellsThatConnectingFailed() async throws {
    let loop = try ServiceLoop(name: "clients")
    defer { loop.stop() }
    // A port that was just free.
    let (descriptor, port) = try Listener.bind(host: "127.0.0.1", port: 0)
    close(descriptor)
    let url = try WebSocketURL("ws://127.0.0.1:\(port)")
    var (_, events) = connect(WebSocketClientConfiguration(url: url), on: loop)
    guard case .closed(1_006, let reason) = await events.next() else {
      Issue.record("no 1006")
      return
    }
    #expect(!reason.isEmpty)
  }

  @Test func tellsThatTheServerRefused() async throws {
    let server = try await EchoServer()
    let loop = try ServiceLoop(name: "clients")
    defer { loop.stop() }
    var (_, events) = connect(WebSocketClientConfiguration(url: try server.url("/refused")), on: loop)
    guard case .closed(1_006, let reason) = await events.next() else {
      Issue.record("no 1006")
      return
    }
    #expect(!reason.isEmpty)
  }

  @Test func givesUpOnASilentServer() async throws {
    let loop = try ServiceLoop(name: "clients")
    defer { loop.stop() }
    let (descriptor, port) = try Listener.bind(host: "127.0.0.1", port: 0)
    defer { close(descriptor) }
    let url = try WebSocketURL("ws://127.0.0.1:\(port)")
    let configuration = WebSocketClientConfiguration(url: url, connectTimeout: .milliseconds(50))
    var (_, events) = connect(configuration, on: loop)
    #expect(await events.next() == .closed(1_006, "The server did not answer in time."))
  }

  @Test func closesWhileConnecting() async throws {
    let loop = try ServiceLoop(name: "clients")
    defer { loop.stop() }
    let (descriptor, port) = try Listener.bind(host: "127.0.0.1", port: 0)
    defer { close(descriptor) }
    let url = try WebSocketURL("ws://127.0.0.1:\(port)")
    var (client, events) = connect(WebSocketClientConfiguration(url: url), on: loop)
    client.close(code: 4_000, reason: "changed my mind")
    #expect(await events.next() == .closed(4_000, "changed my mind"))
  }

  @Test func stoppingTheLoopEndsItsConnectionsOnce() async throws {
    let server = try await EchoServer()
    let loop = try ServiceLoop(name: "clients")
    var (client, events) = connect(WebSocketClientConfiguration(url: try server.url()), on: loop)
    #expect(await events.next() == .opened)
    loop.stop()
    loop.stop()
    #expect(await events.next() == .closed(1_006, ""))
    #expect(await events.next() == nil)
    client.send(Array("dropped".utf8))
    #expect(client.outstandingBytes == 0)
  }

  @Test func endsEachTurnAfterItsMessages() async throws {
    let server = try await EchoServer()
    let loop = try ServiceLoop(name: "clients")
    defer { loop.stop() }
    var (client, events) = connect(WebSocketClientConfiguration(url: try server.url()), on: loop)
    #expect(await events.nextOfAll() == .opened)
    client.send([Array("a".utf8), Array("b".utf8)])
    #expect(await events.nextOfAll() == .received(Array("a".utf8)))
    #expect(await events.nextOfAll() == .received(Array("b".utf8)))
    #expect(await events.nextOfAll() == .turnEnded)
  }

  @Test func countsWhatTheKernelDoesNotTake() async throws {
    let loop = try ServiceLoop(name: "clients")
    defer { loop.stop() }
    // A server that shakes hands and then never reads.
    let silent = try SilentServer()
    let url = try WebSocketURL("ws://127.0.0.1:\(silent.port)")
    var (client, events) = connect(WebSocketClientConfiguration(url: url), on: loop)
    try silent.shakeHands()
    #expect(await events.next() == .opened)
    let text = [UInt8](repeating: 120, count: 30_000)
    // More than loopback buffers hold.
    for _ in 0..<1_000 { client.send(text) }
    await withCheckedContinuation { done in loop.schedule(after: .milliseconds(1)) { done.resume() } }
    #expect(client.outstandingBytes > 1_000_000)
    silent.readAll()
    loop.stop()
    #expect(client.outstandingBytes == 0)
  }

  @Test func speaksTLS() async throws {
    let certificate = try TestCertificate()
    let server = try await EchoServer(certificate: certificate)
    let loop = try ServiceLoop(name: "clients")
    defer { loop.stop() }
    let url = try server.url(scheme: "wss")
    for configuration in [
      WebSocketClientConfiguration(url: url, trustsAnyCertificate: true),
      WebSocketClientConfiguration(url: url, caFile: certificate.certificateFile),
    ] {
      var (client, events) = connect(configuration, on: loop)
      let text = [UInt8](repeating: 97, count: 50_000)
      client.send(text)
      #expect(await events.next() == .opened)
      #expect(await events.next() == .received(text))
      client.close(code: 1_000, reason: "")
      #expect(await events.next() == .closed(1_000, ""))
    }
    var (_, events) = connect(WebSocketClientConfiguration(url: url), on: loop)
    guard case .closed(1_006, _) = await events.next() else {
      Issue.record("an unknown certificate was trusted")
      return
    }
  }
}
