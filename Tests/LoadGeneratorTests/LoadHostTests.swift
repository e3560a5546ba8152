import BridgeProtocol
import Testing
import WebSocketTransport

@testable import LoadGenerator

@Suite struct LoadHostTests {
  @Test(arguments: [true, false]) func scriptsEndWithAPageThatLeftWhileTheHostWasAway(
    hasLeft: Bool
  ) async throws {
    var options = LoadOptions()
    options.mode = .evaluate
    options.depth = 3
    let loop = try ServiceLoop(name: "host")
    defer { loop.stop() }
    let left = LeftPages()
    // Nothing connects: the host hears what the test says.
    let configuration = WebSocketClientConfiguration(url: try WebSocketURL("ws://127.0.0.1:1/ws/load"))
    let host = LoadHost(
      index: 0, options: options, configuration: configuration, events: LoadEvents(), left: left, loop: loop)
    let client = WebSocketClient(configuration, loop: loop, handler: host)
    let session = String(repeating: "s", count: Identifiers.sessionLength)
    let tally: LoadTally = await withCheckedContinuation { done in
      loop.perform {
        host.startTraffic()
        for text in [
          #"{"welcome":{"instance":"sssssssssss","key":"k"}}"#,
          #"{"open":{"session":"\#(session)","document":"00000001"}}"#,
          #"{"attached":{"session":"\#(session)","document":"00000001","attach":1}}"#,
        ] {
          Array(text.utf8).withUnsafeBytes { host.received(client, text: $0) }
        }
        if hasLeft { left.insert("00000001") }
        host.closed(client, code: 1_006, reason: "")
        done.resume(returning: host.tally)
        host.close()
      }
    }
    #expect(tally.lost == (hasLeft ? 0 : 3))
  }
}
