import BridgeProtocol
import Foundation
import Testing

@testable import Relay

/// A relay on a free port, stopped when the test forgets it.
final class TestRelay {
  let server: RelayServer
  var port: Int { server.port }

  init(_ change: (inout RelayConfiguration) -> Void = { _ in }) throws {
    var configuration = RelayConfiguration(secret: Array("a secret for tests only".utf8))
    configuration.listen.port = 0
    change(&configuration)
    server = try RelayServer(configuration)
    try server.start()
  }

  deinit { server.stop() }

  func socket(
    _ app: String = "player", subprotocol: String? = "pagebridge.v1", headers: [(String, String)] = [],
    host: String? = nil, receiveBuffer: Int? = nil
  ) throws -> RawPeer {
    try RawPeer(
      port: port, path: "/ws/\(app)", subprotocol: subprotocol, headers: headers, host: host,
      receiveBuffer: receiveBuffer)
  }

  func request(
    _ method: String, _ path: String, headers: [(String, String)] = [], body: String? = nil,
    host: String? = nil
  ) throws -> HTTPAnswer {
    try RawHTTP.request(port: port, method, path, headers: headers, body: body, host: host)
  }

  func health(_ name: String) throws -> Int {
    try request("GET", "/healthz").json[name] as? Int ?? -1
  }
}

typealias JSONObject = [String: Any]

func parsed(_ text: String) -> Any {
  (try? JSONSerialization.jsonObject(with: Data(text.utf8))) ?? NSNull()
}

func json(_ value: Any) -> String {
  String(
    decoding: (try? JSONSerialization.data(withJSONObject: value, options: .sortedKeys)) ?? Data(),
    as: UTF8.self)
}

/// Eight characters, different each time.
func newDocument() -> String { String(Keys.random(bytes: 8).prefix(8)) }

/// A host as a test plays it.
final class TestHost {
  let peer: RawPeer
  let app: String
  private(set) var instance = ""
  private(set) var key = ""
  private(set) var isResumed = false

  init(
    _ relay: TestRelay, app: String = "player", instance: String? = nil, key: String? = nil,
    epoch: String = "epoch000", name: String? = nil, receiveBuffer: Int? = nil
  ) throws {
    self.app = app
    peer = try relay.socket(app, receiveBuffer: receiveBuffer)
    var hello: JSONObject = ["role": "host", "app": app, "epoch": epoch]
    hello["instance"] = instance
    hello["key"] = key
    hello["name"] = name
    try peer.send(json(["hello": hello]))
    let welcome = try control("welcome")
    self.instance = welcome["instance"] as? String ?? ""
    self.key = welcome["key"] as? String ?? ""
    isResumed = welcome["resumed"] as? Bool ?? false
  }

  /// The next control value of that name; everything else is passed over.
  func control(_ name: String) throws -> JSONObject {
    while true {
      guard let members = parsed(try peer.nextText()) as? JSONObject else { continue }
      if let body = members[name] as? JSONObject { return body }
    }
  }

  /// The next control value, whatever it is.
  func nextControl() throws -> (name: String, body: JSONObject) {
    while true {
      guard let members = parsed(try peer.nextText()) as? JSONObject, let first = members.first else {
        continue
      }
      return (first.key, first.value as? JSONObject ?? [:])
    }
  }

  /// Waits for an `open` and says yes.
  @discardableResult
  func answerOpen(config: String = #"{"handlers":[],"version":1.0}"#) throws -> JSONObject {
    let open = try control("open")
    try answer(open, config: config)
    return open
  }

  func answer(_ open: JSONObject, config: String = #"{"handlers":[],"version":1.0}"#) throws {
    let session = open["session"] as? String ?? ""
    let document = open["document"] as? String ?? ""
    try peer.send(#"{"opened":{"session":"\#(session)","document":"\#(document)","config":\#(config)}}"#)
  }

  /// The next wrapped message.
  func wrapped() throws -> (session: String, document: String, body: String) {
    while true {
      let text = try peer.nextText()
      guard text.hasPrefix("[\"") else { continue }
      let head = text.dropFirst(2).prefix(Identifiers.sessionLength + 1 + Identifiers.documentLength)
      return (
        String(head.prefix(Identifiers.sessionLength)), String(head.suffix(Identifiers.documentLength)),
        String(text.dropFirst(Wrapper.prefixLength).dropLast())
      )
    }
  }

  func send(_ body: String, session: String, document: String) throws {
    try peer.send("[\"\(session).\(document)\",\(body)]")
  }
}

/// A page as a test plays it.
final class TestPage {
  let peer: RawPeer
  let document: String
  private(set) var session = ""
  private(set) var key = ""
  private(set) var welcome: JSONObject = [:]

  /// Says hello; without a session it waits for the host's answer to `open`, which the test gives by `host`.
  init(
    _ relay: TestRelay, app: String = "player", host: TestHost? = nil, session: String? = nil,
    key: String? = nil,
    document: String = newDocument(), takes: String? = nil, late: String? = nil, ticket: String? = nil,
    receiveBuffer: Int? = nil
  ) throws {
    self.document = document
    peer = try relay.socket(app, receiveBuffer: receiveBuffer)
    var hello: JSONObject = ["role": "page", "app": app, "document": document]
    hello["session"] = session
    hello["key"] = key
    hello["takes"] = takes
    hello["late"] = late
    hello["ticket"] = ticket
    try peer.send(json(["hello": hello]))
    guard let host else { return }
    try host.answerOpen()
    try readWelcome()
  }

  func readWelcome() throws {
    welcome = try control("welcome") as? JSONObject ?? [:]
    session = welcome["session"] as? String ?? ""
    key = welcome["key"] as? String ?? ""
  }

  /// The second element of the next control array of that name.
  func control(_ name: String) throws -> Any {
    while true {
      guard let items = parsed(try peer.nextText()) as? [Any], items.first as? String == name else {
        continue
      }
      return items.count > 1 ? items[1] : NSNull()
    }
  }
}

/// A session of its own beside the one that is tested: it must go on, whatever happens there.
final class Neighbour {
  let host: TestHost
  let page: TestPage
  private var count = 0

  init(_ relay: TestRelay, app: String = "player", host: TestHost? = nil) throws {
    let host = try host ?? TestHost(relay, app: app)
    self.host = host
    page = try TestPage(relay, app: app, host: host)
  }

  /// One message there and one back; only the page's own may come to the page.
  func echo() throws {
    count += 1
    let question = #"{"n":\#(count),"method":"message","params":{"body":"ä"}}"#
    try page.peer.send(question)
    while true {
      let (session, document, body) = try host.wrapped()
      guard session == page.session else { continue }
      #expect(document == page.document && body == question)
      break
    }
    let answer = #"{"n":\#(count),"method":"evaluate"}"#
    try host.send(answer, session: page.session, document: page.document)
    #expect(try page.peer.nextText() == answer)
  }
}
