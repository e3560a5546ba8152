import BridgeProtocol
import Foundation
import Testing

@testable import Relay

extension RelayTests {
  /// Pages that stand still until their host has answered.
  @Suite struct DialogTests {
    private func body(_ page: TestPage, _ more: JSONObject = [:]) -> JSONObject {
      let base: JSONObject = [
        "app": "player", "session": page.session, "key": page.key, "document": page.document,
        "kind": "confirm", "text": "Sure?", "frame": ["main": true, "url": "http://127.0.0.1/page"],
        "after": 3,
      ]
      return base.merging(more) { $1 }
    }

    private func ask(_ relay: TestRelay, _ page: TestPage, _ more: JSONObject = [:]) throws -> RawHTTP {
      let http = try RawHTTP(port: relay.port)
      try http.send("POST", "/dialog?app=player", body: json(body(page, more)))
      return http
    }

    /// The number of the host's next dialog.
    private func nextDialog(_ host: TestHost) throws -> Int {
      try #require(try host.control("dialog")["id"] as? Int)
    }

    private func answer(_ host: TestHost, _ page: TestPage, _ id: Int, _ rest: String) throws {
      try host.peer.send(#"{"dialogAnswer":{"id":\#(id),"session":"\#(page.session)"\#(rest)}}"#)
    }

    private func code(_ answer: HTTPAnswer) -> String? {
      (answer.json["error"] as? JSONObject)?["code"] as? String
    }

    @Test func hostIsToldWhatThePageAsks() throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      let http = try ask(
        relay, page, ["kind": "prompt", "text": "Ä \"\u{2028}\" \\ 😀", "default": "x", "unknown": 1])
      let dialog = try host.control("dialog")
      #expect(dialog["session"] as? String == page.session)
      #expect(dialog["document"] as? String == page.document)
      #expect(dialog["kind"] as? String == "prompt")
      #expect(dialog["text"] as? String == "Ä \"\u{2028}\" \\ 😀")
      #expect(dialog["default"] as? String == "x" && dialog["after"] as? Int == 3)
      #expect((dialog["frame"] as? JSONObject)?["url"] as? String == "http://127.0.0.1/page")
      #expect(dialog["key"] == nil && dialog["unknown"] == nil)
      try answer(host, page, try #require(dialog["id"] as? Int), #","value":"ü \"q\"""#)
      let reply = try http.answer()
      #expect(reply.status == 200 && reply.json["value"] as? String == "ü \"q\"")
      #expect(reply.header("cache-control") == "no-store")
    }

    @Test(arguments: [
      (#","value":true"#, #"{"value":true}"#), (#","value":false"#, #"{"value":false}"#),
      (#","value":null"#, #"{"value":null}"#), ("", #"{"value":null}"#),
      (#","value":{"a":[1,"}"]}"#, #"{"value":{"a":[1,"}"]}}"#),
    ])
    func answersArePassedOnAsTheyCame(rest: String, expected: String) throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      let http = try ask(relay, page)
      try answer(host, page, try nextDialog(host), rest)
      #expect(try http.answer().text == expected)
    }

    @Test func hostMayLetTheBrowserShowTheDialog() throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      let http = try ask(relay, page)
      let id = try nextDialog(host)
      try answer(host, page, id, #","present":true"#)
      let reply = try http.answer()
      #expect(reply.json["present"] as? Bool == true && reply.json["id"] as? Int == id)
    }

    @Test func othersGoOnWhileAPageStandsStill() throws {
      let relay = try TestRelay()
      let neighbour = try Neighbour(relay)
      let page = try TestPage(relay, host: neighbour.host)
      let http = try ask(relay, page)
      let id = try nextDialog(neighbour.host)
      for _ in 0..<3 { try neighbour.echo() }
      // The page's own socket, too.
      try page.peer.send(#"{"n":1}"#)
      #expect(try neighbour.host.wrapped().body == #"{"n":1}"#)
      #expect(try relay.health("heldDialogs") == 1 && relay.health("dialogs") == 1)
      try answer(neighbour.host, page, id, #","value":true"#)
      #expect(try http.answer().json["value"] as? Bool == true)
      #expect(try relay.health("heldDialogs") == 0)
    }

    @Test func severalDialogsAreAnsweredInAnyOrder() throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      let first = try ask(relay, page)
      let firstID = try nextDialog(host)
      let second = try ask(relay, page)
      let secondID = try nextDialog(host)
      #expect(firstID != secondID)
      try answer(host, page, secondID, #","value":"second""#)
      #expect(try second.answer().json["value"] as? String == "second")
      try answer(host, page, firstID, #","value":"first""#)
      #expect(try first.answer().json["value"] as? String == "first")
      // Both are over: a further answer means nothing, and the host goes on.
      try answer(host, page, firstID, #","value":"again""#)
      try page.peer.send(#"{"n":1}"#)
      #expect(try host.wrapped().body == #"{"n":1}"#)
    }

    @Test(arguments: [-1, 0, 1])
    func bodyIsLimited(extra: Int) throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      let size = Limits.maxDialogBytes + extra
      let empty = json(body(page, ["text": ""])).utf8.count
      let http = try ask(relay, page, ["text": String(repeating: "t", count: size - empty)])
      if extra > 0 {
        let reply = try http.answer()
        #expect(reply.status == 413 && code(reply) == "tooLarge")
        #expect(reply.text.contains("\(Limits.maxDialogBytes) bytes"))
      } else {
        var text = ""
        while !text.hasPrefix(#"{"dialog":"#) { text = try host.peer.nextText() }
        // What the host is told keeps to the wire's limit, too.
        #expect(text.utf8.count <= Limits.maxWireBytes)
        let dialog = (parsed(text) as? JSONObject)?["dialog"] as? JSONObject
        #expect((dialog?["text"] as? String)?.count == size - empty)
      }
    }

    @Test(arguments: [2, 3])
    func dialogsOfASessionAreLimited(count: Int) throws {
      let relay = try TestRelay { $0.limits.heldDialogs = 3 }
      let host = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      var held: [RawHTTP] = []
      for _ in 0..<count {
        held.append(try ask(relay, page))
        _ = try nextDialog(host)
      }
      let last = try ask(relay, page)
      if count == 3 {
        let reply = try last.answer()
        #expect(reply.status == 429 && code(reply) == "tooManyDialogs")
        // The limit is each session's own.
        let other = try TestPage(relay, host: host)
        let http = try ask(relay, other)
        try answer(host, other, try nextDialog(host), #","value":true"#)
        #expect(try http.answer().json["value"] as? Bool == true)
      } else {
        try answer(host, page, try nextDialog(host), #","value":true"#)
        #expect(try last.answer().json["value"] as? Bool == true)
      }
    }

    @Test func wrongKeysAndOldDocumentsAreRefused() throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      let wrongKey = try ask(relay, page, ["key": "wrong"]).answer()
      #expect(wrongKey.status == 403 && code(wrongKey) == "wrongKey")
      #expect(try host.control("refused")["code"] as? Int == 403)
      let other = try ask(relay, page, ["document": newDocument()]).answer()
      #expect(other.status == 409 && code(other) == "notCurrent")
      #expect(try host.control("refused")["code"] as? Int == 409)
    }

    @Test(arguments: [
      "", "{}", "no JSON", "[]", #"{"kind":"shout"}"#, #"{"kind":1}"#, #"{"after":-1}"#, #"{"after":"3"}"#,
      #"{"text":null}"#, #"{"default":5}"#, #"{"frame":"main"}"#, #"{"frame":{}}"#, #"{"document":"short"}"#,
      #"{"session":"x"}"#, #"{"app":"other"}"#,
    ])
    func malformedDialogIsRefused(change: String) throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      let more = parsed(change) as? JSONObject
      let text = more.map { $0.isEmpty ? "{}" : json(body(page, $0)) } ?? change
      let reply = try relay.request("POST", "/dialog?app=player", body: text)
      #expect(reply.status == 400 && code(reply) == "malformed")
    }

    @Test func textThatIsNotUTF8IsRefused() throws {
      let relay = try TestRelay()
      let neighbour = try Neighbour(relay)
      var bytes = Array(json(body(neighbour.page)).utf8)
      let place = try #require(bytes.firstRange(of: Array("Sure".utf8))?.lowerBound)
      bytes[place] = 0xFF
      let http = try RawHTTP(port: relay.port)
      let head =
        "POST /dialog?app=player HTTP/1.1\r\nHost: 127.0.0.1:\(relay.port)\r\nContent-Length: \(bytes.count)\r\n\r\n"
      try http.write(Array(head.utf8) + bytes)
      #expect(try http.answer().status == 400)
      try neighbour.echo()
    }

    @Test func originsAndMethodsAreThoseOfAttach() throws {
      let relay = try TestRelay { $0.allowedOrigins = ["http://app.localhost:3000"] }
      let host = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      let origin = ("Origin", "http://app.localhost:3000")
      let http = try RawHTTP(port: relay.port)
      try http.send("POST", "/dialog?app=player", headers: [origin], body: json(body(page)))
      try answer(host, page, try nextDialog(host), #","value":true"#)
      let reply = try http.answer()
      #expect(reply.header("access-control-allow-origin") == origin.1 && reply.header("vary") == "Origin")
      let preflight = try relay.request("OPTIONS", "/dialog?app=player", headers: [origin])
      #expect(preflight.status == 204 && preflight.header("access-control-allow-methods") == "POST")
      #expect(preflight.header("access-control-allow-origin") == origin.1)
      let foreign = ("Origin", "http://evil.example")
      for method in ["POST", "OPTIONS"] {
        let refused = try relay.request(
          method, "/dialog?app=player", headers: [foreign], body: method == "POST" ? json(body(page)) : nil)
        #expect(refused.status == 403 && refused.header("access-control-allow-origin") == nil)
        #expect(try host.control("refused")["origin"] as? String == foreign.1)
      }
      let read = try relay.request("GET", "/dialog?app=player")
      #expect(read.status == 405 && read.header("allow") == "POST, OPTIONS")
    }

    // MARK: Without an answer

    @Test func pageWithoutHostOrSessionAnswersForItself() throws {
      let relay = try TestRelay()
      var host: TestHost? = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      let session = try #require(host).instance + String(repeating: "x", count: 22)
      let keys = Keys(secret: Array("a secret for tests only".utf8))
      let key = keys.sessionKey(app: "player", session: session)
      let unknown = try ask(relay, page, ["session": session, "key": key]).answer()
      #expect(unknown.status == 200 && unknown.json["unanswered"] as? String == "no session")
      host = nil
      #expect(try page.control("host") as? String == "away")
      #expect(try ask(relay, page).answer().json["unanswered"] as? String == "no host")
    }

    @Test func hostThatGoesLeavesTheDialogUnanswered() throws {
      let relay = try TestRelay()
      var host: TestHost? = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      let http = try ask(relay, page)
      _ = try nextDialog(#require(host))
      host = nil
      #expect(try http.answer().json["unanswered"] as? String == "host gone")
    }

    @Test func endedSessionLeavesTheDialogUnanswered() throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      let http = try ask(relay, page)
      let id = try nextDialog(host)
      try host.peer.send(#"{"end":{"session":"\#(page.session)"}}"#)
      #expect(try http.answer().json["unanswered"] as? String == "session over")
      #expect(try host.control("dialogCancel")["id"] as? Int == id)
    }

    @Test func hostLearnsThatThePageIsGone() throws {
      let relay = try TestRelay { $0.limits.aliveInterval = .milliseconds(80) }
      let host = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      var http: RawHTTP? = try ask(relay, page)
      let id = try nextDialog(host)
      #expect(http != nil)
      http = nil
      let cancel = try host.control("dialogCancel")
      #expect(cancel["id"] as? Int == id && cancel["session"] as? String == page.session)
      while try relay.health("heldDialogs") != 0 {}
      try answer(host, page, id, #","value":true"#)
      try page.peer.send(#"{"n":1}"#)
      #expect(try host.wrapped().body == #"{"n":1}"#)
    }

    @Test func leavingPageCancelsItsDialogAndACutOneDoesNot() throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      var cut: TestPage? = try TestPage(relay, host: host)
      let cutPage = try #require(cut)
      let (session, document, key) = (cutPage.session, cutPage.document, cutPage.key)
      let held = try ask(relay, cutPage)
      let heldID = try nextDialog(host)
      try cutPage.peer.send(Array("{".utf8), isFinal: false)
      let leaving = try TestPage(relay, host: host)
      let http = try ask(relay, leaving)
      let id = try nextDialog(host)
      try leaving.peer.closeNormally(code: 4_001)
      #expect(try host.control("dialogCancel")["id"] as? Int == id)
      #expect(try http.answer().json["unanswered"] as? String == "page gone")
      cut = nil
      // The same document is back on another socket; its dialog has waited.
      let back = try TestPage(relay, session: session, key: key, document: document)
      try back.readWelcome()
      try answer(host, back, heldID, #","value":true"#)
      #expect(try held.answer().json["value"] as? Bool == true)
    }

    @Test func nextDocumentCancelsTheDialogsOfTheLast() throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      let http = try ask(relay, page)
      let id = try nextDialog(host)
      let heir = try TestPage(relay, session: page.session, key: page.key, takes: "replaces")
      #expect(try host.control("dialogCancel")["id"] as? Int == id)
      try host.answerOpen()
      try heir.readWelcome()
      #expect(try http.answer().json["unanswered"] as? String == "page gone")
    }

    @Test func threadsAnswerDialogsOfTheirApps() throws {
      let relay = try TestRelay { $0.threads = 2 }
      for app in ["a", "b", "c", "player"] {
        let host = try TestHost(relay, app: app)
        let page = try TestPage(relay, app: app, host: host)
        let http = try RawHTTP(port: relay.port)
        try http.send("POST", "/dialog?app=\(app)", body: json(body(page, ["app": app])))
        try answer(host, page, try nextDialog(host), #","value":"\#(app)""#)
        #expect(try http.answer().json["value"] as? String == app)
      }
    }

    @Test func drainLetsPagesGoOn() async throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      var http: RawHTTP? = try ask(relay, page)
      _ = try nextDialog(host)
      async let drained: Void = relay.server.drain(timeout: .seconds(1))
      #expect(try http?.answer().json["unanswered"] as? String == "relay stops")
      http = nil
      #expect(try host.peer.nextClose().code == 1_001)
      #expect(try page.peer.nextClose().code == 1_001)
      await drained
    }

    @Test func answersOfTheWrongShapeOrSessionEndTheHost() throws {
      let relay = try TestRelay()
      let neighbour = try Neighbour(relay)
      for text in [
        #"{"dialogAnswer":{"id":1}}"#, #"{"dialogAnswer":{"id":"1","session":"\#(neighbour.page.session)"}}"#,
        #"{"dialogAnswer":{"id":1,"session":"\#(neighbour.page.session)","present":"yes"}}"#,
      ] {
        let host = try TestHost(relay)
        try host.peer.send(text)
        #expect(try host.peer.nextClose().code == 4_018)
      }
      let host = try TestHost(relay)
      try answer(host, neighbour.page, 1, "")
      #expect(try host.peer.nextClose().code == 4_012)
      try neighbour.echo()
    }
  }
}
