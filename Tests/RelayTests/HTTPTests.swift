import BridgeProtocol
import Foundation
import Testing

@testable import Relay

extension RelayTests {
  /// Attach, one-time scripts, content and files over HTTP.
  @Suite struct HTTPTests {
    private func body(_ more: JSONObject = [:], document: String = newDocument()) -> String {
      let base: JSONObject = [
        "app": "player", "document": document, "url": "http://127.0.0.1/page", "client": ["kind": "page"],
      ]
      return json(base.merging(more) { $1 })
    }

    /// Attaches while the host answers.
    private func attach(
      _ relay: TestRelay, _ host: TestHost, _ more: JSONObject = [:], document: String = newDocument(),
      headers: [(String, String)] = []
    ) throws -> HTTPAnswer {
      let http = try RawHTTP(port: relay.port)
      try http.send(
        "POST", "/attach?app=player", headers: headers, body: body(more, document: document))
      try host.answerOpen()
      return try http.answer()
    }

    // MARK: Attach

    @Test func attachMakesASessionAndItsScript() throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      let document = newDocument()
      let answer = try attach(relay, host, document: document)
      #expect(answer.status == 200)
      let session = answer.json["session"] as? String ?? ""
      let key = answer.json["key"] as? String ?? ""
      #expect(session.hasPrefix(host.instance) && key.count == 43)

      let script = try RawHTTP(port: relay.port)
      let path = answer.json["script"] as? String ?? ""
      try script.send("GET", path)
      let content = try host.control("content")
      #expect(content["kind"] as? String == "bootstrap" && content["document"] as? String == document)
      let id = content["id"] as? Int ?? 0
      try host.peer.send(
        #"{"contentHead":{"id":\#(id),"status":200,"headers":[["Content-Type","text/javascript"]]}}"#)
      for piece in ["boot(", "1)"] {
        try host.peer.send(
          #"{"contentPart":{"id":\#(id),"base64":"\#(Data(piece.utf8).base64EncodedString())"}}"#)
      }
      try host.peer.send(#"{"contentEnd":{"id":\#(id)}}"#)
      let bootstrap = try script.answer()
      #expect(bootstrap.status == 200 && bootstrap.text == "boot(1)")
      #expect(bootstrap.header("cache-control") == "no-store")
      #expect(bootstrap.header("cross-origin-resource-policy") == "cross-origin")
      #expect(bootstrap.header("content-type") == "text/javascript; charset=utf-8")
      #expect(try relay.request("GET", path).status == 410)

      let page = try TestPage(relay, session: session, key: key, document: document)
      try page.readWelcome()
      #expect(page.welcome["host"] as? String == "attached")
      try page.peer.send(#"{"n":1}"#)
      #expect(try host.wrapped().session == session)
    }

    @Test func attachWithoutHostSaysWaiting() throws {
      let relay = try TestRelay()
      let answer = try relay.request("POST", "/attach?app=player", body: body())
      #expect(answer.status == 200 && answer.json["waiting"] as? String == "no host")
    }

    @Test func attachWithSilentHostSaysWaiting() throws {
      let relay = try TestRelay { $0.limits.openTimeout = .milliseconds(50) }
      let host = try TestHost(relay)
      let answer = try relay.request("POST", "/attach?app=player", body: body())
      #expect(answer.json["waiting"] as? String == "host silent")
      #expect(try host.control("open")["page"] as? String == "fresh")
    }

    @Test func heirAttachesToItsSession() throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      let document = newDocument()
      let answer = try attach(
        relay, host, ["session": page.session, "key": page.key, "takes": "replaces"], document: document)
      #expect(answer.json["session"] as? String == page.session)
      #expect(answer.json["claimed"] == nil)
      // The grant is enough: the hello names no right.
      let heir = try TestPage(relay, session: page.session, key: page.key, document: document)
      try heir.readWelcome()
      #expect(heir.welcome["host"] as? String == "attached")
      #expect(try page.peer.nextClose().code == 4_002)
    }

    @Test func claimOfALivePageGetsANewSession() throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      let http = try RawHTTP(port: relay.port)
      try http.send(
        "POST", "/attach", body: body(["session": page.session, "key": page.key, "takes": "claim"]))
      try page.peer.answerPing()
      try host.answerOpen()
      let answer = try http.answer()
      #expect(answer.json["claimed"] as? Bool == false)
      #expect(answer.json["session"] as? String != page.session)
      try page.peer.send(#"{"n":1}"#)
      #expect(try host.wrapped().body == #"{"n":1}"#)
    }

    @Test func claimOfADeadPageInherits() throws {
      let relay = try TestRelay { $0.limits.claimTimeout = .milliseconds(50) }
      let host = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      page.peer.answersPings = false
      let answer = try attach(relay, host, ["session": page.session, "key": page.key])
      #expect(answer.json["session"] as? String == page.session)
    }

    @Test func wrongKeyIsRefused() throws {
      let relay = try TestRelay()
      let neighbour = try Neighbour(relay)
      for more in [
        ["session": neighbour.page.session, "key": "wrong"], ["session": neighbour.page.session],
      ] {
        let answer = try relay.request("POST", "/attach?app=player", body: body(more))
        #expect(answer.status == 403)
        #expect((answer.json["error"] as? JSONObject)?["code"] as? String == "wrongKey")
      }
      #expect(try neighbour.host.control("refused")["code"] as? Int == 403)
      try neighbour.echo()
    }

    @Test func attachWaitsForAnInstanceThatComesBack() throws {
      let relay = try TestRelay()
      var host: TestHost? = try TestHost(relay)
      let (instance, key) = (host?.instance, host?.key)
      let page = try TestPage(relay, host: host)
      host = nil
      #expect(try page.control("host") as? String == "away")
      let http = try RawHTTP(port: relay.port)
      try http.send(
        "POST", "/attach?app=player",
        body: body(["session": page.session, "key": page.key, "takes": "replaces"]))
      let back = try TestHost(relay, instance: instance, key: key)
      try back.answerOpen()
      #expect(try http.answer().json["session"] as? String == page.session)
    }

    @Test func attachGoesToAnotherHostWhenTheInstanceStaysAway() throws {
      let relay = try TestRelay { $0.limits.openTimeout = .milliseconds(100) }
      var host: TestHost? = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      host = nil
      #expect(try page.control("host") as? String == "away")
      let other = try TestHost(relay)
      let answer = try attach(relay, other, ["session": page.session, "key": page.key, "takes": "replaces"])
      #expect((answer.json["session"] as? String)?.hasPrefix(other.instance) == true)
    }

    @Test func attachToASessionThatTheHostHasEndedGetsANewOne() throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      let session = host.instance + String(repeating: "e", count: 22)
      let key = Keys(secret: Array("a secret for tests only".utf8)).sessionKey(
        app: "player", session: session)
      let http = try RawHTTP(port: relay.port)
      try http.send("POST", "/attach?app=player", body: body(["session": session, "key": key]))
      #expect(try host.control("open")["session"] as? String == session)
      try host.peer.send(#"{"end":{"session":"\#(session)"}}"#)
      try host.answerOpen()
      #expect(try http.answer().json["session"] as? String != session)
    }

    @Test func ticketWinsOverAKey() throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      let session = host.instance + String(repeating: "t", count: 22)
      let answer = try attach(
        relay, host, ["session": page.session, "key": page.key, "ticket": session + ".x"])
      #expect(answer.json["session"] as? String == session)
    }

    @Test(arguments: [(65_536, 200), (65_537, 413), (200_000, 413)])
    func attachBodyIsLimited(size: Int, status: Int) throws {
      let relay = try TestRelay()
      let text = body(["url": ""], document: "doc00000")
      let padded = text.replacingOccurrences(
        of: #""url":"""#, with: #""url":"\#(String(repeating: "u", count: size - text.utf8.count))""#)
      #expect(padded.utf8.count == size)
      #expect(try relay.request("POST", "/attach?app=player", body: padded).status == status)
    }

    @Test(arguments: [
      "", "{}", "[]", "no JSON", #"{"app":"player"}"#, #"{"app":"player","document":"short"}"#,
      #"{"app":"other","document":"doc00000"}"#, #"{"app":"-","document":"doc00000"}"#,
      #"{"app":"player","document":"doc00000","session":"x"}"#,
    ])
    func malformedAttachIsRefused(text: String) throws {
      let relay = try TestRelay()
      let answer = try relay.request("POST", "/attach?app=player", body: text)
      #expect(answer.status == 400)
      #expect((answer.json["error"] as? JSONObject)?["code"] as? String == "malformed")
    }

    @Test func attachAnswersAllowedOriginsOnly() throws {
      let relay = try TestRelay { $0.allowedOrigins = ["http://app.localhost:3000"] }
      let host = try TestHost(relay)
      let origin = ("Origin", "http://app.localhost:3000")
      let answer = try attach(relay, host, headers: [origin])
      #expect(answer.header("access-control-allow-origin") == origin.1)
      #expect(answer.header("vary") == "Origin")
      let preflight = try relay.request(
        "OPTIONS", "/attach?app=player",
        headers: [origin, ("Access-Control-Request-Private-Network", "true")])
      #expect(preflight.status == 204)
      #expect(preflight.header("access-control-allow-origin") == origin.1)
      #expect(preflight.header("access-control-allow-headers") == "authorization, content-type")
      #expect(preflight.header("access-control-allow-private-network") == "true")
      #expect(preflight.header("access-control-max-age") == "600")
      let foreign = ("Origin", "http://evil.example")
      for method in ["POST", "OPTIONS"] {
        let refused = try relay.request(
          method, "/attach?app=player", headers: [foreign], body: method == "POST" ? body() : nil)
        #expect(refused.status == 403)
        #expect(refused.header("access-control-allow-origin") == nil)
        #expect(try host.control("refused")["origin"] as? String == foreign.1)
      }
    }

    @Test func otherMethodsAreRefused() throws {
      let relay = try TestRelay()
      let attach = try relay.request("GET", "/attach")
      #expect(attach.status == 405 && attach.header("allow") == "POST, OPTIONS")
      #expect(try relay.request("POST", "/apps", body: "").status == 405)
      #expect(try relay.request("DELETE", "/healthz").header("allow") == "GET, HEAD")
    }

    @Test func pipelinedRequestsAreAnsweredInOrder() throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      let http = try RawHTTP(port: relay.port)
      try http.send("POST", "/attach?app=player", body: body())
      try http.send("GET", "/apps")
      try http.send("GET", "/nothing")
      try host.answerOpen()
      #expect(try http.answer().json["session"] != nil)
      #expect(try http.answer().json["apps"] != nil)
      #expect(try http.answer().status == 404)
    }

    @Test func clientsThatLeaveWhileTheyWaitAreDropped() throws {
      let relay = try TestRelay { $0.limits.aliveInterval = .milliseconds(80) }
      let host = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      var http: RawHTTP? = try RawHTTP(port: relay.port)
      try http?.send("GET", "/s/\(page.session)/slow")
      let content = try host.control("content")
      http = nil
      #expect(try host.control("contentCancel")["id"] as? Int == content["id"] as? Int)
    }

    // MARK: One-time scripts

    @Test func scriptsLiveForATime() throws {
      // Its time is over in the loop's next turn, before a request for it can come.
      let relay = try TestRelay { $0.limits.scriptLifetime = .zero }
      let host = try TestHost(relay)
      let path = try attach(relay, host).json["script"] as? String ?? ""
      #expect(try relay.request("GET", path).status == 410)
      #expect(try relay.request("GET", "/b/short.js").status == 404)
    }

    @Test func scriptsAreForAllowedOriginsOnly() throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      let path = try attach(relay, host).json["script"] as? String ?? ""
      #expect(try relay.request("GET", path, headers: [("Origin", "http://evil.example")]).status == 403)
      #expect(try relay.request("POST", path, body: "").status == 405)
    }

    // MARK: Content

    /// Answers a content request in parts.
    private func serve(
      _ host: TestHost, status: Int = 200, headers: String = "[]", length: Int? = nil, parts: [[UInt8]]
    ) throws -> JSONObject {
      let content = try host.control("content")
      let id = content["id"] as? Int ?? 0
      let member = length.map { #","length":\#($0)"# } ?? ""
      try host.peer.send(
        #"{"contentHead":{"id":\#(id),"status":\#(status),"headers":\#(headers)\#(member)}}"#)
      for part in parts {
        try host.peer.send(
          #"{"contentPart":{"id":\#(id),"base64":"\#(Data(part).base64EncodedString())"}}"#)
      }
      try host.peer.send(#"{"contentEnd":{"id":\#(id)}}"#)
      return content
    }

    @Test func hostServesContent() throws {
      let relay = try TestRelay()
      let neighbour = try Neighbour(relay)
      let http = try RawHTTP(port: relay.port)
      try http.send(
        "GET", "/s/\(neighbour.page.session)/a%20b/c.html?x=1&y=%26%2B%25&z",
        headers: [("Accept-Language", "de"), ("If-None-Match", "\"t\"")])
      let content = try serve(
        neighbour.host, status: 200,
        headers:
          #"[["Content-Type","text/html"],["X-Own","1"],["Connection","close"],["Content-Length","9"]]"#,
        parts: [Array("<p>".utf8), Array("ä</p>".utf8)])
      #expect(content["kind"] as? String == "resource" && content["method"] as? String == "GET")
      #expect(content["session"] as? String == neighbour.page.session)
      #expect(content["path"] as? String == "/a%20b/c.html?x=1&y=%26%2B%25&z")
      let headers = content["headers"] as? [[String]] ?? []
      #expect(headers.contains(["accept-language", "de"]) && headers.contains(["if-none-match", "\"t\""]))
      let answer = try http.answer()
      #expect(answer.status == 200 && answer.text == "<p>ä</p>")
      #expect(answer.header("content-type") == "text/html" && answer.header("x-own") == "1")
      #expect(answer.header("transfer-encoding") == "chunked" && answer.header("content-length") == nil)
      try neighbour.echo()
    }

    @Test func aBodyThatComesBehindItsAnswerIsNoPartOfTheNextRequest() throws {
      let relay = try TestRelay()
      let neighbour = try Neighbour(relay)
      let http = try RawHTTP(port: relay.port)
      let text = String(repeating: "x", count: 300_000)
      func post(_ path: String, _ body: String) -> [UInt8] {
        Array(
          "POST \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8
        )
      }
      let request = post("/apps", text) + post("/s/\(neighbour.page.session)/form", "own")
      let rest = request.count - 100_000
      try http.write(Array(request[..<rest]))
      let answer = try http.answer()
      #expect(answer.status == 405 && answer.header("connection") == "close")
      try http.write(Array(request[rest...]))
      #expect(throws: (any Error).self) { try http.answer() }
      let other = try RawHTTP(port: relay.port)
      try other.send("POST", "/s/\(neighbour.page.session)/form", body: "other")
      _ = try neighbour.host.control("content")
      let body = try neighbour.host.control("contentBody")
      #expect(body["base64"] as? String == Data("other".utf8).base64EncodedString())
    }

    @Test func anErrorInTheAnswersPlaceEndsTheConnection() throws {
      let relay = try TestRelay()
      let neighbour = try Neighbour(relay)
      let http = try RawHTTP(port: relay.port)
      try http.send("GET", "/s/\(neighbour.page.session)/a")
      let id = try neighbour.host.control("content")["id"] as? Int ?? 0
      try neighbour.host.peer.send(#"{"contentEnd":{"id":\#(id),"error":"none"}}"#)
      #expect(throws: (any Error).self) { try http.answer() }
      try neighbour.echo()
    }

    @Test func aPageOfAnAppsSchemeFindsTheRootOfItsHost() throws {
      let relay = try TestRelay()
      let session = String(repeating: "s", count: 33)
      let own = "http://127.0.0.1:\(relay.port)"
      func location(_ path: String, _ referer: String) throws -> String? {
        let answer = try relay.request("GET", path, headers: [("Referer", referer)])
        return answer.status == 307 ? answer.header("location") : nil
      }
      let page = "\(own)/s/\(session)/_pagebridge/scheme/shop/main/a/b.html?x"
      #expect(
        try location("/img/a%20b.png?q=1", page)
          == "/s/\(session)/_pagebridge/scheme/shop/main/img/a%20b.png?q=1")
      #expect(try location("/", page) == "/s/\(session)/_pagebridge/scheme/shop/main/")
      #expect(try location("/bridge.js", page) == nil)
      #expect(try location("/s/\(session)/x", page) == nil)
      #expect(try location("/apps", "\(own)/s/\(session)/files/1/a.html") == nil)
      #expect(try location("/apps", page.replacingOccurrences(of: own, with: "http://evil.example")) == nil)
    }

    @Test func requestBodiesReachTheHost() throws {
      let relay = try TestRelay()
      let neighbour = try Neighbour(relay)
      let text = String(repeating: "0123456789", count: 5_000)
      let http = try RawHTTP(port: relay.port)
      try http.send("POST", "/s/\(neighbour.page.session)/form", body: text)
      let content = try neighbour.host.control("content")
      #expect(content["method"] as? String == "POST")
      var received = Data()
      while true {
        let body = try neighbour.host.control("contentBody")
        #expect(body["id"] as? Int == content["id"] as? Int)
        let piece = Data(base64Encoded: body["base64"] as? String ?? "") ?? Data()
        #expect(piece.count <= 18_000)
        received += piece
        if body["last"] as? Bool == true { break }
      }
      #expect(received == Data(text.utf8))
      let id = content["id"] as? Int ?? 0
      try neighbour.host.peer.send(#"{"contentHead":{"id":\#(id),"status":204}}"#)
      try neighbour.host.peer.send(#"{"contentEnd":{"id":\#(id)}}"#)
      #expect(try http.answer().status == 204)
    }

    @Test func largeContentFlowsByCredit() throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      let http = try RawHTTP(port: relay.port)
      try http.send("GET", "/s/\(page.session)/large")
      let id = try host.control("content")["id"] as? Int ?? 0
      let part = [UInt8](repeating: 65, count: 18_000)
      let count = 100
      try host.peer.send(#"{"contentHead":{"id":\#(id),"status":200,"length":\#(count * part.count)}}"#)
      let reading = Reading(http)
      var credit = 262_144
      var granted = 0
      for _ in 0..<count {
        while credit < part.count {
          let more = try host.control("contentCredit")["bytes"] as? Int ?? 0
          credit += more
          granted += more
        }
        credit -= part.count
        try host.peer.send(
          #"{"contentPart":{"id":\#(id),"base64":"\#(Data(part).base64EncodedString())"}}"#)
      }
      try host.peer.send(#"{"contentEnd":{"id":\#(id)}}"#)
      #expect(reading.answer()?.body.count == count * part.count)
      #expect(granted >= count * part.count - 262_144)
      #expect(credit <= 262_144)
    }

    @Test func hostThatIgnoresItsCreditLosesTheAnswer() throws {
      let relay = try TestRelay { $0.limits.contentCreditBytes = 20_000 }
      let neighbour = try Neighbour(relay)
      let http = try RawHTTP(port: relay.port)
      try http.send("GET", "/s/\(neighbour.page.session)/large")
      let parts = (0..<20).map { _ in [UInt8](repeating: 65, count: 18_000) }
      _ = try serve(neighbour.host, length: 360_000, parts: parts)
      #expect(try neighbour.host.control("contentCancel")["id"] as? Int == 1)
      #expect(throws: RawConnection.Failure.self) { try http.answer() }
      try neighbour.echo()
    }

    @Test(arguments: [(18_000, true), (18_001, false)])
    func contentPartsAreLimited(size: Int, isAccepted: Bool) throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      let http = try RawHTTP(port: relay.port)
      try http.send("GET", "/s/\(page.session)/x")
      _ = try serve(host, parts: [[UInt8](repeating: 65, count: size)])
      if isAccepted {
        #expect(try http.answer().body.count == size)
      } else {
        #expect(try host.peer.nextClose().code == 4_018)
      }
    }

    @Test(arguments: [
      ("bytes=0-3", 206, "0123", "bytes 0-3/10"), ("bytes=4-", 206, "456789", "bytes 4-9/10"),
      ("bytes=-2", 206, "89", "bytes 8-9/10"), ("bytes=8-100", 206, "89", "bytes 8-9/10"),
      ("bytes=10-", 416, "", "bytes */10"), ("bytes=1-2,4-5", 200, "0123456789", nil),
      ("lines=1-2", 200, "0123456789", nil),
    ])
    func relayCutsRangesOfHostContent(range: String, status: Int, text: String, contentRange: String?) throws
    {
      let relay = try TestRelay()
      let neighbour = try Neighbour(relay)
      let http = try RawHTTP(port: relay.port)
      try http.send("GET", "/s/\(neighbour.page.session)/video", headers: [("Range", range)])
      _ = try serve(
        neighbour.host, length: 10, parts: [Array("012".utf8), Array("3456".utf8), Array("789".utf8)])
      let answer = try http.answer()
      #expect(answer.status == status && answer.text == text)
      #expect(answer.header("content-range") == contentRange)
      #expect(answer.header("accept-ranges") == "bytes")
      try neighbour.echo()
    }

    @Test func hostsOwnRangesPassThrough() throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      let http = try RawHTTP(port: relay.port)
      try http.send("GET", "/s/\(page.session)/video", headers: [("Range", "bytes=2-3")])
      _ = try serve(
        host, status: 206, headers: #"[["Content-Range","bytes 2-3/10"]]"#, length: 2,
        parts: [Array("23".utf8)])
      let answer = try http.answer()
      #expect(answer.status == 206 && answer.text == "23")
    }

    @Test func headGetsNoBody() throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      let http = try RawHTTP(port: relay.port)
      try http.send("HEAD", "/s/\(page.session)/x")
      let content = try serve(host, length: 3, parts: [Array("abc".utf8)])
      #expect(content["method"] as? String == "HEAD")
      #expect(try http.answer().header("content-length") == "3")
      try http.send("GET", "/healthz")
      #expect(try http.answer().status == 200)
    }

    @Test func wrongAnswersOfHostsAreTold() throws {
      let relay = try TestRelay { $0.limits.contentTimeout = .milliseconds(50) }
      let neighbour = try Neighbour(relay)
      let path = "/s/\(neighbour.page.session)/x"
      for head in [
        #""status":99"#, #""status":600"#, #""status":200,"headers":[["a b","c"]]"#,
        #""status":200,"headers":[["a","c\r\nd: e"]]"#,
      ] {
        let http = try RawHTTP(port: relay.port)
        try http.send("GET", path)
        let id = try neighbour.host.control("content")["id"] as? Int ?? 0
        try neighbour.host.peer.send(#"{"contentHead":{"id":\#(id),\#(head)}}"#)
        #expect(try http.answer().status == 502)
      }
      let early = try RawHTTP(port: relay.port)
      try early.send("GET", path)
      let id = try neighbour.host.control("content")["id"] as? Int ?? 0
      try neighbour.host.peer.send(#"{"contentEnd":{"id":\#(id)}}"#)
      #expect(try early.answer().status == 502)
      #expect(try relay.request("GET", path).status == 504)
      try neighbour.echo()
    }

    @Test func contentOfAnAbsentHostIsUnavailable() throws {
      let relay = try TestRelay()
      #expect(try relay.request("GET", "/s/\(String(repeating: "n", count: 33))/x").status == 503)
      #expect(try relay.request("GET", "/s/short/x").status == 404)
      var host: TestHost? = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      let http = try RawHTTP(port: relay.port)
      try http.send("GET", "/s/\(page.session)/x")
      _ = try host?.control("content")
      host = nil
      #expect(try http.answer().status == 503)
    }

    @Test func answerThatBreaksOffIsCutOff() throws {
      let relay = try TestRelay()
      let neighbour = try Neighbour(relay)
      let http = try RawHTTP(port: relay.port)
      try http.send("GET", "/s/\(neighbour.page.session)/x")
      let id = try neighbour.host.control("content")["id"] as? Int ?? 0
      try neighbour.host.peer.send(#"{"contentHead":{"id":\#(id),"status":200,"length":10}}"#)
      try neighbour.host.peer.send(#"{"contentPart":{"id":\#(id),"base64":"YQ=="}}"#)
      try neighbour.host.peer.send(#"{"contentEnd":{"id":\#(id),"error":"disk"}}"#)
      #expect(throws: RawConnection.Failure.self) { try http.answer() }
      try neighbour.echo()
    }

    @Test func foreignOriginsMayNotPostContent() throws {
      let relay = try TestRelay()
      let neighbour = try Neighbour(relay)
      let answer = try relay.request(
        "POST", "/s/\(neighbour.page.session)/x", headers: [("Origin", "http://evil.example")], body: "x")
      #expect(answer.status == 403)
      #expect(try neighbour.host.control("refused")["code"] as? Int == 403)
    }

    // MARK: What the relay knows itself

    @Test func appsAreListed() throws {
      let relay = try TestRelay()
      #expect(try relay.request("GET", "/apps").text == "{\"apps\":[]}\n")
      let host = try TestHost(relay, name: "Player \"host\"")
      let page = try TestPage(relay, host: host)
      let answer = try relay.request("GET", "/apps")
      #expect(
        answer.text
          == "{\"apps\":[{\"app\":\"player\",\"hosts\":1,\"pages\":1,\"names\":[\"Player \\\"host\\\"\"]}]}\n"
      )
      #expect(answer.header("cache-control") == "no-store")
      _ = page
    }

    @Test func healthCountsWhatHappened() throws {
      let relay = try TestRelay()
      let neighbour = try Neighbour(relay)
      try neighbour.echo()
      let health = try relay.request("GET", "/healthz").json
      #expect(health["status"] as? String == "ok")
      #expect(health["hosts"] as? Int == 1 && health["pages"] as? Int == 1 && health["sessions"] as? Int == 1)
      #expect(health["messagesToHosts"] as? Int == 1 && health["messagesToPages"] as? Int == 1)
      #expect(health["messagesDropped"] as? Int == 0)
    }

    // MARK: Files

    private func withFiles(_ work: (TestRelay, URL) throws -> Void) throws {
      let root = FileManager.default.temporaryDirectory.appendingPathComponent("pagebridge-web-\(UUID())")
      defer { try? FileManager.default.removeItem(at: root) }
      for folder in ["viewer", "pages/player", ".hidden"] {
        try FileManager.default.createDirectory(
          at: root.appendingPathComponent(folder), withIntermediateDirectories: true)
      }
      let files = [
        "index.html": "index", "bridge.js": "bridge", "viewer/index.html": "viewer",
        "pages/player/index.html": "player", "pages/player/clip.mp4": "0123456789", ".hidden/x": "x",
        "ä b.txt": "umlaut",
      ]
      for (name, text) in files { try Data(text.utf8).write(to: root.appendingPathComponent(name)) }
      try Data("outside".utf8).write(to: root.appendingPathExtension("secret"))
      try FileManager.default.createSymbolicLink(
        at: root.appendingPathComponent("link.txt"), withDestinationURL: root.appendingPathExtension("secret")
      )
      let relay = try TestRelay { $0.webRoot = root.path }
      try work(relay, root)
    }

    @Test func filesAreServed() throws {
      try withFiles { relay, _ in
        for (path, text, type) in [
          ("/", "index", "text/html; charset=utf-8"),
          ("/bridge.js", "bridge", "text/javascript; charset=utf-8"),
          ("/view/player", "viewer", "text/html; charset=utf-8"),
          ("/pages/player/", "player", "text/html; charset=utf-8"),
          ("/pages/player/clip.mp4", "0123456789", "video/mp4"),
          ("/%C3%A4%20b.txt", "umlaut", "text/plain; charset=utf-8"),
        ] {
          let answer = try relay.request("GET", path, headers: [("Origin", "http://evil.example")])
          #expect(answer.status == 200 && answer.text == text, "\(path)")
          #expect(answer.header("content-type") == type)
          #expect(answer.header("x-content-type-options") == "nosniff")
        }
        let bridge = try relay.request("GET", "/bridge.js")
        #expect(bridge.header("cross-origin-resource-policy") == "cross-origin")
        #expect(bridge.header("access-control-allow-origin") == "*")
        let folder = try relay.request("GET", "/pages/player")
        #expect(folder.status == 301 && folder.header("location") == "/pages/player/")
      }
    }

    @Test func nothingOutsideOfTheFolderIsServed() throws {
      try withFiles { relay, root in
        let secret = root.lastPathComponent + ".secret"
        for path in [
          "/../\(secret)", "/%2e%2e/\(secret)", "/pages/..%2f..%2f\(secret)",
          "/pages/%2e%2e/%2e%2e/\(secret)",
          "/link.txt", "/.hidden/x", "/none", "/pages/", "/view/", "/view/-", "/view/a/b", "//etc/passwd",
        ] {
          let answer = try relay.request("GET", path)
          #expect(answer.status == 404, "\(path)")
          #expect(!answer.text.contains("outside"))
        }
      }
    }

    @Test func filesHaveValidators() throws {
      try withFiles { relay, _ in
        let first = try relay.request("GET", "/bridge.js")
        let tag = first.header("etag") ?? ""
        let modified = first.header("last-modified") ?? ""
        for header in [
          ("If-None-Match", tag), ("If-None-Match", "\"x\", W/\(tag)"), ("If-None-Match", "*"),
          ("If-Modified-Since", modified),
        ] {
          let again = try relay.request("GET", "/bridge.js", headers: [header])
          #expect(again.status == 304 && again.body.isEmpty)
          #expect(again.header("etag") == tag)
        }
        let changed = try relay.request(
          "GET", "/bridge.js", headers: [("If-None-Match", "\"old\""), ("If-Modified-Since", modified)])
        #expect(changed.status == 200)
        let old = try relay.request(
          "GET", "/bridge.js", headers: [("If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT")])
        #expect(old.status == 200)
      }
    }

    @Test func filesHaveRangesAndHead() throws {
      try withFiles { relay, root in
        let path = "/pages/player/clip.mp4"
        let part = try relay.request("GET", path, headers: [("Range", "bytes=2-4")])
        #expect(part.status == 206 && part.text == "234" && part.header("content-range") == "bytes 2-4/10")
        let beyond = try relay.request("GET", path, headers: [("Range", "bytes=10-")])
        #expect(beyond.status == 416 && beyond.header("content-range") == "bytes */10")
        let stale = try relay.request(
          "GET", path, headers: [("Range", "bytes=2-4"), ("If-Range", "\"old\"")])
        #expect(stale.status == 200 && stale.text == "0123456789")
        let fresh = try relay.request(
          "GET", path, headers: [("Range", "bytes=2-4"), ("If-Range", part.header("etag") ?? "")])
        #expect(fresh.status == 206)
        let head = try relay.request("HEAD", path)
        #expect(head.status == 200 && head.header("content-length") == "10" && head.body.isEmpty)
        #expect(try relay.request("POST", path, body: "x").header("allow") == "GET, HEAD")
        // Larger than a block and than what the kernel takes at once.
        let large = Data((0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try large.write(to: root.appendingPathComponent("large.bin"))
        let http = try RawHTTP(port: relay.port)
        try http.send("GET", "/large.bin")
        #expect(try Data(http.answer().body) == large)
        try http.send("GET", "/large.bin", headers: [("Range", "bytes=4000000-")])
        #expect(try Data(http.answer().body) == large[4_000_000...])
      }
    }
  }
}

/// Reads an answer on a thread of its own.
private final class Reading: @unchecked Sendable {
  // Sendable because the semaphore orders what the thread writes before what the test reads.
  private var result: HTTPAnswer?
  private let done = DispatchSemaphore(value: 0)

  init(_ http: RawHTTP) {
    Thread.detachNewThread { [self] in
      result = try? http.answer()
      done.signal()
    }
  }

  func answer() -> HTTPAnswer? {
    done.wait()
    return result
  }
}
