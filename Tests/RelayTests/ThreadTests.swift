import Foundation
import Testing

@testable import Relay

extension RelayTests {
  /// Several service threads, and TLS.
  @Suite struct ThreadTests {
    @Test func appsLiveOnTheirThreads() throws {
      let relay = try TestRelay { $0.threads = 2 }
      let apps = ["a", "b", "c", "d", "player", "browser"]
      let choice = ThreadChoice(threads: 2)
      #expect(Set(apps.map { choice.thread(ofApp: $0) }).count == 2)
      for app in apps {
        let neighbour = try Neighbour(relay, app: app)
        try neighbour.echo()
        #expect(choice.thread(ofInstance: neighbour.host.instance) == choice.thread(ofApp: app))

        let document = newDocument()
        let http = try RawHTTP(port: relay.port)
        try http.send(
          "POST", "/attach?app=\(app)",
          body: #"{"app":"\#(app)","document":"\#(document)","url":"http://x/"}"#)
        try neighbour.host.answerOpen()
        let answer = try http.answer()
        #expect(answer.header("connection") == "close")
        let session = answer.json["session"] as? String ?? ""
        for path in [answer.json["script"] as? String ?? "", "/s/\(session)/x"] {
          let content = try RawHTTP(port: relay.port)
          try content.send("GET", path)
          let id = try neighbour.host.control("content")["id"] as? Int ?? 0
          try neighbour.host.peer.send(#"{"contentHead":{"id":\#(id),"status":200,"length":0}}"#)
          try neighbour.host.peer.send(#"{"contentEnd":{"id":\#(id)}}"#)
          #expect(try content.answer().status == 200)
        }
      }
      #expect(try relay.health("hosts") == 0)
    }

    @Test func reportsGatherAllThreads() throws {
      let relay = try TestRelay { $0.threads = 3 }
      let hosts = try ["a", "b", "c", "d", "e"].map { try TestHost(relay, app: $0) }
      let apps = try relay.request("GET", "/apps").json["apps"] as? [JSONObject]
      #expect(apps?.map { $0["app"] as? String } == ["a", "b", "c", "d", "e"])
      #expect(try relay.health("hosts") == hosts.count)
    }

    @Test func instanceOfAnotherThreadCountIsFound() throws {
      let relay = try TestRelay { $0.threads = 2 }
      let choice = ThreadChoice(threads: 2)
      let wrong = 1 - choice.thread(ofApp: "player")
      let instance = choice.mintInstance(thread: wrong)
      let key = Keys(secret: Array("a secret for tests only".utf8)).instanceKey(
        app: "player", instance: instance)
      let host = try TestHost(relay, instance: instance, key: key)
      let page = try TestPage(relay, host: host)
      let content = try RawHTTP(port: relay.port)
      try content.send("GET", "/s/\(page.session)/x")
      let id = try host.control("content")["id"] as? Int ?? 0
      try host.peer.send(#"{"contentHead":{"id":\#(id),"status":204}}"#)
      #expect(try content.answer().status == 204)
    }

    @Test func firstLineMayComeInPieces() throws {
      let relay = try TestRelay { $0.threads = 2 }
      let connection = try RawConnection(port: relay.port)
      for piece in ["GET /hea", "lthz HTTP/1.1\r\nHo", "st: localhost\r\n", "\r\n"] {
        try connection.write(Array(piece.utf8))
      }
      #expect(try connection.readHead().hasPrefix("HTTP/1.1 200"))
    }

    @Test func lineThatNeverComesEndsTheConnection() throws {
      let relay = try TestRelay {
        $0.threads = 2
        $0.helloTimeout = .milliseconds(50)
      }
      let silent = try RawConnection(port: relay.port)
      #expect(try !silent.readSome())
      let half = try RawConnection(port: relay.port)
      try half.write(Array("GET /".utf8))
      // What it has sent is not read, so that it is reset rather than ended.
      #expect((try? half.readSome()) != true)
    }

    @Test func drainReachesAllThreads() async throws {
      let relay = try TestRelay { $0.threads = 2 }
      let hosts = try ["a", "b", "c", "d"].map { try TestHost(relay, app: $0) }
      let server = relay.server
      async let drained: Void = server.drain()
      for host in hosts { #expect(try host.peer.nextClose().code == 1_001) }
      await drained
    }

    @Test func takenPortIsTold() throws {
      let relay = try TestRelay()
      #expect {
        _ = try TestRelay { $0.listen.port = relay.port }
      } throws: {
        ($0 as? RelayError)?.code == .addressInUse
      }
    }

    @Test func settingsAreChecked() {
      func code(_ change: (inout RelayConfiguration) -> Void) -> RelayError.Code? {
        var configuration = RelayConfiguration(secret: [UInt8](repeating: 1, count: 16))
        change(&configuration)
        do {
          _ = try RelayServer(configuration)
          return nil
        } catch {
          return error.code
        }
      }
      #expect(code { _ in } == nil)
      #expect(code { $0.dev = false } == .developmentOnly)
      #expect(code { $0.listen.host = "0.0.0.0" } == .addressNotLoopback)
      #expect(code { $0.secret = [1] } == .secretUnusable)
      #expect(code { $0.threads = 0 } == .invalidConfiguration)
      #expect(code { $0.tlsKey = "k" } == .invalidConfiguration)
      #expect(
        code {
          $0.threads = 2
          $0.tlsKey = "k"
          $0.tlsCertificate = "c"
        } == .threadsNeedPlainText)
    }

    @Test func unusableCertificateIsTold() {
      #expect {
        _ = try TestRelay {
          $0.tlsCertificate = "/none.pem"
          $0.tlsKey = "/none.pem"
        }
      } throws: {
        ($0 as? RelayError)?.code == .certificateUnusable
      }
    }
  }
}
