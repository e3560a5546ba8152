import Testing
import WebSocketTransport

struct WebSocketURLTests {
  @Test(arguments: [
    ("ws://localhost", "localhost", 80, "/"),
    ("wss://example.org", "example.org", 443, "/"),
    ("ws://127.0.0.1:8080/ws/player", "127.0.0.1", 8_080, "/ws/player"),
    ("WS://h:1?x=1#part", "h", 1, "/?x=1"),
    ("wss://[::1]:65535/a", "::1", 65_535, "/a"),
  ])
  func readsParts(text: String, host: String, port: Int, path: String) throws {
    let url = try WebSocketURL(text)
    #expect(url.host == host)
    #expect(url.port == port)
    #expect(url.path == path)
  }

  @Test(arguments: [
    "", "localhost", "http://localhost", "ws://", "ws:///a", "ws://a:0", "ws://a:65536", "ws://a:b",
    "ws://a:1:2",
    "ws://a b", "ws://user@host", "ws://a/b c", "ws://[::1", "ws://[::1]x",
  ])
  func refusesOtherTexts(text: String) {
    #expect(throws: TransportError.self) { try WebSocketURL(text) }
  }

  @Test func writesAddressesInBrackets() throws {
    #expect(try WebSocketURL("ws://[::1]/a").description == "ws://[::1]:80/a")
  }
}
