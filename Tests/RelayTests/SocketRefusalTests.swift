import BridgeProtocol
import Foundation
import Testing

@testable import Relay

/// Each violation has its own close code and text, and the neighbours go on.
extension RelayTests {
  @Suite struct SocketRefusalTests {
    /// Runs a violation between two echoes of a session beside it.
    private func beside(
      helloTimeout: Duration = .seconds(5), _ violate: (TestRelay, Neighbour) throws -> Void
    ) throws {
      let relay = try TestRelay { $0.helloTimeout = helloTimeout }
      let neighbour = try Neighbour(relay)
      try neighbour.echo()
      try violate(relay, neighbour)
      try neighbour.echo()
    }

    private func expect(_ peer: RawPeer, _ code: CloseCode, _ words: String) throws {
      let close = try peer.nextClose()
      #expect(close.code == Int(code.rawValue))
      #expect(close.reason.contains(words), "\(close.reason)")
      #expect(close.reason.utf8.count <= 123)
    }

    private func hello(_ members: JSONObject) -> String { json(["hello": members]) }

    private func page(_ more: JSONObject = [:]) -> JSONObject {
      ["role": "page", "app": "player", "document": "doc00000"].merging(more) { $1 }
    }

    @Test func noSubprotocolIsAcceptedAndClosed() throws {
      try beside { relay, _ in
        try expect(try relay.socket(subprotocol: nil), .subprotocolMissing, "pagebridge.v1")
      }
    }

    @Test(arguments: ["chat", "pagebridge.v2", "pagebridge.v10, other"])
    func wrongSubprotocolIsRefused(name: String) throws {
      try beside { relay, _ in
        let peer = try relay.socket(subprotocol: name)
        #expect(peer.refusal?.status == 400)
        #expect(peer.refusal?.text.contains("subprotocol") == true)
      }
    }

    @Test func subprotocolMayBeOneOfSeveral() throws {
      let relay = try TestRelay()
      #expect(try relay.socket(subprotocol: "other, pagebridge.v1").refusal == nil)
    }

    @Test func otherWebSocketPathsAreRefused() throws {
      let relay = try TestRelay()
      #expect(try RawPeer(port: relay.port, path: "/elsewhere").refusal?.status == 404)
      #expect(try RawPeer(port: relay.port, path: "/ws/a/b").refusal?.status == 404)
    }

    @Test(arguments: [#"{"n":1}"#, "[]", "1", "\"hello\"", "no JSON", ""])
    func firstMessageMustBeHello(text: String) throws {
      try beside { relay, _ in
        let peer = try relay.socket()
        try peer.send(text)
        try expect(peer, .expectedHello, "hello")
      }
    }

    @Test(arguments: [#"{"hello":{"#, #"{"hello":7}"#, #"{"hello":"#])
    func helloMustBeJSON(text: String) throws {
      try beside { relay, _ in
        let peer = try relay.socket()
        try peer.send(text)
        try expect(peer, .malformedHello, "hello")
      }
    }

    @Test func helloMembersMustHaveTheirShape() throws {
      try beside { relay, _ in
        for members in [
          page(["document": "short"]), page(["document": 5]), page(["takes": "all"]), page(["late": 1]),
          ["role": "page", "app": "player"], ["role": "host", "app": "player"],
          ["role": "host", "app": "player", "epoch": "short"],
        ] {
          let peer = try relay.socket()
          try peer.send(hello(members))
          try expect(peer, .malformedHello, "hello")
        }
      }
    }

    @Test(arguments: [(16_383, false), (16_384, false), (16_385, true), (70_000, true)])
    func helloSizeIsLimited(size: Int, isRefused: Bool) throws {
      try beside { relay, _ in
        var text = hello(page(["late": "reload", "url": ""]))
        text = text.replacingOccurrences(
          of: #""url":"""#, with: #""url":"\#(String(repeating: "u", count: size - text.utf8.count))""#)
        #expect(text.utf8.count == size)
        let peer = try relay.socket()
        try peer.send(text)
        if isRefused {
          try expect(peer, .helloTooLarge, "16384")
        } else {
          #expect(try peer.nextText() == #"["welcome",{"waiting":true}]"#)
        }
      }
    }

    @Test func roleMustBeKnown() throws {
      try beside { relay, _ in
        for role in ["viewer", 1, NSNull()] as [Any] {
          let peer = try relay.socket()
          try peer.send(hello(page(["role": role])))
          try expect(peer, .unknownRole, "role")
        }
      }
    }

    @Test func appMustBeThatOfTheURL() throws {
      try beside { relay, _ in
        let peer = try relay.socket()
        try peer.send(hello(page(["app": "other"])))
        try expect(peer, .wrongApp, "app")
        let odd = try relay.socket("-odd")
        try odd.send(hello(page(["app": "-odd"])))
        try expect(odd, .wrongApp, "app")
      }
    }

    @Test func sessionMustHaveItsShape() throws {
      try beside { relay, neighbour in
        for session in ["short", String(repeating: "!", count: 33), String(repeating: "a", count: 34)] {
          let peer = try relay.socket()
          try peer.send(hello(page(["session": session, "key": "k"])))
          try expect(peer, .wrongSession, "session")
        }
        let host = try relay.socket()
        try host.send(
          hello(["role": "host", "app": "player", "epoch": "epoch000", "instance": "x", "key": "k"]))
        try expect(host, .wrongSession, "instance")
      }
    }

    @Test func keyMustFit() throws {
      try beside { relay, neighbour in
        for key in ["", "wrong", neighbour.host.key] {
          let peer = try relay.socket()
          try peer.send(hello(page(["session": neighbour.page.session, "key": key])))
          try expect(peer, .wrongKey, "key")
        }
        let without = try relay.socket()
        try without.send(hello(page(["session": neighbour.page.session])))
        try expect(without, .wrongKey, "key")
        let host = try relay.socket()
        try host.send(
          hello([
            "role": "host", "app": "player", "epoch": "epoch000", "instance": neighbour.host.instance,
            "key": neighbour.page.key,
          ]))
        try expect(host, .wrongKey, "key")
      }
    }

    @Test func keyOfAnotherAppDoesNotFit() throws {
      let relay = try TestRelay()
      let neighbour = try Neighbour(relay)
      let peer = try relay.socket("other")
      try peer.send(
        hello(page(["app": "other", "session": neighbour.page.session, "key": neighbour.page.key])))
      try expect(peer, .wrongKey, "key")
      try neighbour.echo()
    }

    @Test func helloMustComeInTime() throws {
      try beside(helloTimeout: .milliseconds(50)) { relay, _ in
        try expect(try relay.socket(), .helloTimeout, "in time")
      }
    }

    @Test func binaryMessagesEndTheirSocket() throws {
      try beside { relay, neighbour in
        let early = try relay.socket()
        try early.send([1, 2, 3], opcode: 2)
        try expect(early, .binaryMessage, "Binary")
        let page = try TestPage(relay, host: neighbour.host)
        try page.peer.send(Array("{}".utf8), opcode: 2)
        try expect(page.peer, .binaryMessage, "Binary")
        let host = try TestHost(relay, app: "other")
        try host.peer.send(Array("{}".utf8), opcode: 2)
        try expect(host.peer, .binaryMessage, "Binary")
      }
    }

    @Test(arguments: [
      [0xFF], [0xC3], [0xC3, 0x28], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE0, 0x80, 0x80],
      [0xC0, 0x80],
    ])
    func brokenUTF8EndsItsSocket(bytes: [Int]) throws {
      try beside { relay, neighbour in
        let page = try TestPage(relay, host: neighbour.host)
        try page.peer.send(Array(#"{"a":""#.utf8) + bytes.map { UInt8($0) } + Array(#""}"#.utf8))
        try expect(page.peer, .invalidText, "UTF-8")
      }
    }

    @Test func brokenUTF8AcrossFragmentsEndsItsSocket() throws {
      try beside { relay, neighbour in
        let text = Array(#"{"a":"€😀"}"#.utf8)
        // A character that is never finished, cut at each place, and one that is cut short by the end.
        for cut in 7..<text.count - 3 {
          let page = try TestPage(relay, host: neighbour.host)
          var broken = text
          broken[text.count - 3] = 0x41
          try page.peer.send(Array(broken[..<cut]), isFinal: false)
          try page.peer.send(Array(broken[cut...]), opcode: 0)
          try expect(page.peer, .invalidText, "UTF-8")
        }
        let page = try TestPage(relay, host: neighbour.host)
        try page.peer.send(Array(text[..<7]), isFinal: false)
        try page.peer.send([], opcode: 0)
        try expect(page.peer, .invalidText, "UTF-8")
      }
    }

    @Test(arguments: [(65_535, false), (65_536, false), (65_537, true), (200_000, true)])
    func wireMessagesAreLimited(size: Int, isRefused: Bool) throws {
      try beside { relay, neighbour in
        let text = #"{"n":1,"x":"\#(String(repeating: "x", count: size - 14))"}"#
        #expect(text.utf8.count == size)
        for isCut in [false, true] {
          let page = try TestPage(relay, host: neighbour.host)
          if isCut {
            let bytes = Array(text.utf8)
            try? page.peer.send(Array(bytes[..<1_000]), isFinal: false)
            try? page.peer.send(Array(bytes[1_000...]), opcode: 0)
          } else {
            try? page.peer.send(text)
          }
          if isRefused {
            try expect(page.peer, .messageTooBig, "65536")
          } else {
            #expect(try neighbour.host.wrapped().body == text)
          }
        }
      }
    }

    @Test func hostsMessagesAreLimited() throws {
      try beside { relay, _ in
        let host = try TestHost(relay, app: "other")
        let page = try TestPage(relay, app: "other", host: host)
        let room = 65_536 - Wrapper.overhead
        let text = #"{"x":"\#(String(repeating: "x", count: room - 8))"}"#
        try host.send(text, session: page.session, document: page.document)
        let echoed = try page.peer.nextText()
        #expect(echoed == text)
        try? host.send(
          text.replacingOccurrences(of: "}", with: " }"), session: page.session, document: page.document)
        try expect(host.peer, .messageTooBig, "65536")
      }
    }

    @Test func hostMayWrapItsOwnSessionsOnly() throws {
      try beside { relay, neighbour in
        let host = try TestHost(relay)
        try host.send(
          #"{"n":1,"method":"evaluate"}"#, session: neighbour.page.session, document: neighbour.page.document)
        try expect(host.peer, .notYourSession, "another instance")
        for control in ["end", "create"] {
          let host = try TestHost(relay)
          try host.peer.send(#"{"\#(control)":{"session":"\#(neighbour.page.session)"}}"#)
          try expect(host.peer, .notYourSession, "another instance")
        }
        let opened = try TestHost(relay)
        try opened.peer.send(
          #"{"opened":{"session":"\#(neighbour.page.session)","document":"doc00000","config":{}}}"#)
        try expect(opened.peer, .notYourSession, "another instance")
      }
    }

    @Test func wrapperMustHaveItsShape() throws {
      try beside { relay, _ in
        let session = String(repeating: "s", count: 33)
        for text in [
          "[]", #"["alive"]"#, "[1]", #"["\#(session).doc0000",{}]"#, #"["\#(session).doc00000",[]]"#,
          #"["\#(session)_doc00000",{}]"#, #"["\#(session).doc00000",{}}"#, #"["\#(session).doc00000", {}]"#,
        ] {
          let host = try TestHost(relay)
          try host.peer.send(text)
          try expect(host.peer, .malformedWrapper, "wrapper")
        }
      }
    }

    @Test func unknownControlValuesEndTheirSocket() throws {
      try beside { relay, neighbour in
        for text in [#"{"shutdown":{}}"#, "{}", #"{"hello":{}}"#, "hello", "", "7"] {
          let host = try TestHost(relay)
          try host.peer.send(text)
          try expect(host.peer, .unknownControl, "control value")
        }
        for text in [#"["welcome",{}]"#, "probe", "", "\"{\""] {
          let page = try TestPage(relay, host: neighbour.host)
          try page.peer.send(text)
          try expect(page.peer, .unknownControl, "object")
        }
      }
    }

    @Test func knownControlValuesMustHaveTheirShape() throws {
      try beside { relay, _ in
        for text in [
          #"{"opened":{}}"#, #"{"opened":5}"#, #"{"opened":{"session":"x","document":"doc00000"}}"#,
          #"{"end":{"#,
          #"{"create":{"session":5}}"#, #"{"contentHead":{"id":"1","status":200}}"#,
          #"{"contentHead":{"id":1,"status":200,"headers":[["one"]]}}"#, #"{"contentPart":{"id":1}}"#,
          #"{"end":{"session":"\#(String(repeating: "s", count: 33))"},"more":1}"#,
        ] {
          let host = try TestHost(relay)
          try host.peer.send(text)
          try expect(host.peer, .malformedControl, "control value")
        }
      }
    }

    @Test func originMayNotHost() throws {
      try beside { relay, _ in
        let peer = try relay.socket(headers: [("Origin", "http://127.0.0.1:\(relay.port)")])
        try peer.send(hello(["role": "host", "app": "player", "epoch": "epoch000"]))
        try expect(peer, .originMayNotHost, "Origin")
      }
    }

    @Test(arguments: ["https://evil.example", "null", "http://localhost:1", "http://127.0.0.1"])
    func foreignOriginsAreRefusedAndHostsToldSo(origin: String) throws {
      try beside { relay, neighbour in
        let peer = try relay.socket(headers: [("Origin", origin)])
        #expect(peer.refusal?.status == 403)
        #expect(peer.refusal?.text.contains(origin) == true)
        let refused = try neighbour.host.control("refused")
        #expect(refused["origin"] as? String == origin)
        #expect(refused["code"] as? Int == 403)
        #expect(refused["address"] as? String == "127.0.0.1")
      }
    }

    @Test func ownAndAllowedOriginsMayAttach() throws {
      let relay = try TestRelay { $0.allowedOrigins = ["http://localhost:5173"] }
      for origin in ["http://127.0.0.1:\(relay.port)", "http://localhost:5173"] {
        #expect(try relay.socket(headers: [("Origin", origin)]).refusal == nil)
      }
    }

    @Test(arguments: ["evil.example", "127.0.0.1.evil.example:80", "10.0.0.1", "[::2]"])
    func foreignHostNamesAreRefused(host: String) throws {
      try beside { relay, _ in
        let socket = try relay.socket(host: host)
        #expect(socket.refusal?.status == 421)
        let answer = try relay.request("GET", "/healthz", host: host)
        #expect(answer.status == 421)
      }
    }

    @Test(arguments: ["localhost", "localhost:8080", "app.localhost:1", "127.1.2.3", "[::1]:80"])
    func loopbackHostNamesAreAccepted(host: String) throws {
      let relay = try TestRelay()
      #expect(try relay.request("GET", "/healthz", host: host).status == 200)
    }

    @Test func largeCookiesWork() throws {
      let relay = try TestRelay()
      let cookie = ("Cookie", "a=" + String(repeating: "c", count: 12 * 1_024))
      #expect(try relay.request("GET", "/healthz", headers: [cookie]).status == 200)
      let peer = try relay.socket(headers: [cookie])
      #expect(peer.refusal == nil)
    }

    @Test func headersAreLimited() throws {
      let relay = try TestRelay()
      func status(cookie: Int) throws -> Int {
        let headers = [("Cookie", String(repeating: "c", count: cookie))]
        return try relay.request("GET", "/healthz", headers: headers, host: "127.0.0.1").status
      }
      // Path, HTTP version and Host count, too.
      let others = "/healthz".utf8.count + "127.0.0.1".utf8.count + "1.1".utf8.count
      let fits = (0..<40).last { (try? status(cookie: 16_384 - others - 20 + $0)) == 200 }
      #expect(fits != nil && fits != 39)
      #expect(try status(cookie: 17_000) == 431)
      #expect(try status(cookie: 30_000) == 431)
    }

    @Test func hostilePayloadsChangeNothingForOthers() throws {
      try beside { relay, neighbour in
        let page = try TestPage(relay, host: neighbour.host)
        let victim = neighbour.page
        for text in [
          #"{"x":1}] ["\#(victim.session).\#(victim.document)",{"n":1}]"#,
          #"{"end":{"session":"\#(victim.session)"}}"#, #"{"opened":{"session":"\#(victim.session)"}}"#,
          #"{"hello":{"role":"host","app":"player","epoch":"epoch000"}}"#,
          #"{"contentCancel":{"id":1}}"#, "{\"a\":\"\u{0}\"}", #"{"probe":{} }"#, "{",
        ] {
          try page.peer.send(text)
          let (session, document, body) = try neighbour.host.wrapped()
          #expect(session == page.session && document == page.document && body == text)
          try neighbour.echo()
        }
        for text in [#"{"x":1}],["welcome",{}"#, #"{"replaced":{}}"#] {
          try neighbour.host.send(text, session: page.session, document: page.document)
          #expect(try page.peer.nextText() == text)
        }
      }
    }
  }
}
