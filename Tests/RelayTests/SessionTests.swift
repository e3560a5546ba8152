import BridgeProtocol
import Foundation
import Testing

@testable import Relay

/// Hello, welcome, takeover, hosts that come and go.
extension RelayTests {
  @Suite struct SessionTests {
    // MARK: Page-first sessions

    @Test func helloWithoutSessionMakesOne() throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      let page = try TestPage(relay)
      let open = try host.answerOpen(config: #"{"handlers":["a"],"settings":{"x":1.50},"version":3}"#)
      try page.readWelcome()
      #expect(open["document"] as? String == page.document)
      #expect(open["page"] as? String == "fresh")
      #expect(open["resumed"] == nil)
      #expect(page.session.hasPrefix(host.instance) && page.session.count == 33)
      #expect(page.welcome["host"] as? String == "attached")
      #expect((page.welcome["script"] as? String)?.hasPrefix("/b/") == true)
      let attached = try host.control("attached")
      #expect(attached["attach"] as? Int == page.welcome["attach"] as? Int)
      #expect(attached["document"] as? String == page.document)
    }

    @Test func configurationIsPassedOnAsItCame() throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      let page = try TestPage(relay)
      let config =
        #"{"handlers":[],"settings":{"n":1.50,"big":12345678901234567890,"u":"\u00e4\/"},"version":1}"#
      try host.answerOpen(config: config)
      #expect(try page.peer.nextText().contains(#""config":\#(config)"#))
    }

    @Test func newSessionsGoToTheHostWithTheFewest() throws {
      let relay = try TestRelay()
      let first = try TestHost(relay)
      let second = try TestHost(relay)
      for _ in 0..<2 {
        _ = try TestPage(relay, host: first)
        _ = try TestPage(relay, host: second)
      }
    }

    @Test func pageWaitsForItsFirstHost() throws {
      let relay = try TestRelay()
      let keeping = try TestPage(relay, late: "keep")
      #expect(try keeping.peer.nextText() == #"["welcome",{"waiting":true}]"#)
      let reloading = try TestPage(relay, late: "reload")
      #expect(try reloading.peer.nextText() == #"["welcome",{"waiting":true}]"#)
      let host = try TestHost(relay)
      #expect(try reloading.peer.nextText() == #"["host","attached"]"#)
      try host.answerOpen()
      try keeping.readWelcome()
      #expect(keeping.session.hasPrefix(host.instance))
    }

    @Test func latePageReloadsAtOnceWhenAHostIsThere() throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      let page = try TestPage(relay, late: "reload")
      #expect(try page.peer.nextText() == #"["welcome",{"waiting":true}]"#)
      #expect(try page.peer.nextText() == #"["host","attached"]"#)
      _ = host
    }

    @Test func appsDoNotMeet() throws {
      let relay = try TestRelay()
      let host = try TestHost(relay, app: "one")
      let page = try TestPage(relay, app: "two", late: "keep")
      #expect(try page.peer.nextText() == #"["welcome",{"waiting":true}]"#)
      let neighbour = try Neighbour(relay, app: "one", host: host)
      try neighbour.echo()
    }

    @Test func silentHostLeavesThePageWaiting() throws {
      let relay = try TestRelay { $0.limits.openTimeout = .milliseconds(50) }
      let host = try TestHost(relay)
      let page = try TestPage(relay)
      try page.readWelcome()
      #expect(page.welcome["host"] as? String == "away")
      #expect(page.welcome["attach"] == nil)
      // The answer still counts when it comes.
      try host.answerOpen()
      #expect(try page.control("host") as? String == "attached")
    }

    @Test func hostMayEndASession() throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      try host.peer.send(#"{"end":{"session":"\#(page.session)","reason":"done"}}"#)
      #expect(try page.peer.nextText() == #"["host","ended"]"#)
      // The app has a host: the page is to reload.
      #expect(try page.peer.nextText() == #"["host","attached"]"#)
      let neighbour = try Neighbour(relay, host: host)
      try neighbour.echo()
    }

    // MARK: Messages

    @Test func messagesOfADetachedDocumentAreDroppedAndCounted() throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      try host.send(#"{"n":1}"#, session: page.session, document: "other000")
      try host.send(
        #"{"n":2}"#, session: host.instance + String(repeating: "x", count: 22), document: page.document)
      try host.send(#"{"n":3}"#, session: page.session, document: page.document)
      #expect(try page.peer.nextText() == #"{"n":3}"#)
      #expect(try relay.health("messagesDropped") == 2)
    }

    @Test(arguments: [2, 46, 78, 79, 80, 125, 126, 4_000, 30_000, 40_000, 65_000])
    func messagesOfEachSizePassBothWays(size: Int) throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      let text = size == 2 ? "{}" : #"{"x":"\#(String(repeating: "y", count: max(0, size - 8)))"}"#
      for _ in 0..<3 { try page.peer.send(text) }
      for _ in 0..<3 { #expect(try host.wrapped().body == text) }
      for _ in 0..<3 { try host.send(text, session: page.session, document: page.document) }
      for _ in 0..<3 { #expect(try page.peer.nextText() == text) }
    }

    @Test func characterCutAtEachByteOverFragmentsArrives() throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      let text = #"{"a":"ä€😀\u0000"}"#
      let bytes = Array(text.utf8)
      for cut in 0...bytes.count {
        try page.peer.send(Array(bytes[..<cut]), isFinal: false)
        try page.peer.send([], opcode: 9)
        try page.peer.send(Array(bytes[cut...]), opcode: 0)
        #expect(try host.wrapped().body == text)
      }
      for byte in bytes.dropLast() {
        try page.peer.send([byte], opcode: byte == bytes[0] ? 1 : 0, isFinal: false)
      }
      try page.peer.send([bytes[bytes.count - 1]], opcode: 0)
      #expect(try host.wrapped().body == text)
    }

    @Test func wrapperCutAtEachByteOverFragmentsArrives() throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      let text = Array("[\"\(page.session).\(page.document)\",{\"n\":1}]".utf8)
      for cut in 0...text.count {
        try host.peer.send(Array(text[..<cut]), isFinal: false)
        try host.peer.send(Array(text[cut...]), opcode: 0)
        #expect(try page.peer.nextText() == #"{"n":1}"#)
      }
    }

    @Test func piecesOfSeveralPagesDoNotMix() throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      let pages = try (0..<3).map { _ in try TestPage(relay, host: host) }
      let bytes = Array(#"{"x":"\#(String(repeating: "z", count: 50_000))"}"#.utf8)
      for (index, piece) in [bytes[..<20_000], bytes[20_000..<40_000], bytes[40_000...]].enumerated() {
        for page in pages {
          try page.peer.send(Array(piece), opcode: index == 0 ? 1 : 0, isFinal: index == 2)
        }
      }
      var seen: Set<String> = []
      for _ in pages {
        let (session, _, body) = try host.wrapped()
        #expect(body.utf8.elementsEqual(bytes))
        seen.insert(session)
      }
      #expect(seen == Set(pages.map(\.session)))
    }

    @Test func probeIsAnsweredAndNotPassedOn() throws {
      let relay = try TestRelay { $0.limits.aliveInterval = .seconds(600) }
      let host = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      try page.peer.send(BridgeWire.probe)
      #expect(try page.peer.next() == .text(BridgeWire.alive))
      let probe = Array(BridgeWire.probe.utf8)
      try page.peer.send(Array(probe[..<5]), isFinal: false)
      try page.peer.send(Array(probe[5...]), opcode: 0)
      #expect(try page.peer.next() == .text(BridgeWire.alive))
      try page.peer.send(#"{"probe":{}, "n":1}"#)
      #expect(try host.wrapped().body == #"{"probe":{}, "n":1}"#)
    }

    // MARK: Takeover

    @Test func sameDocumentTakesOver() throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      let first = try host.control("attached")
      let again = try TestPage(relay, session: page.session, key: page.key, document: page.document)
      try again.readWelcome()
      #expect(again.welcome["host"] as? String == "attached")
      #expect(again.welcome["config"] == nil && again.welcome["script"] == nil)
      #expect(try page.peer.nextText() == #"["replaced",{}]"#)
      #expect(try page.peer.nextClose().code == 4_002)
      let away = try host.control("away")
      #expect(away["code"] as? Int == 4_002 && away["leaving"] as? Bool == false)
      let second = try host.control("attached")
      #expect(second["attach"] as? Int ?? 0 > first["attach"] as? Int ?? 0)
      try again.peer.send(#"{"n":1}"#)
      #expect(try host.wrapped().body == #"{"n":1}"#)
    }

    @Test(arguments: ["replaces", "returns"])
    func heirTakesOver(takes: String) throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      let heir = try TestPage(relay, session: page.session, key: page.key, takes: takes)
      #expect(try page.peer.nextClose().code == 4_002)
      let open = try host.answerOpen()
      #expect(open["previous"] as? String == page.document)
      #expect(open["takes"] as? String == takes)
      #expect(open["resumed"] as? Bool == true)
      try heir.readWelcome()
      #expect(heir.session == page.session && heir.welcome["host"] as? String == "attached")
    }

    @Test(arguments: ["claim", nil])
    func claimOnALivePageIsRefused(takes: String?) throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      let newcomer = try TestPage(relay, session: page.session, key: page.key, takes: takes)
      try page.peer.answerPing()
      try page.peer.send(#"{"n":1}"#)
      let close = try newcomer.peer.nextClose()
      #expect(close.code == 4_013 && close.reason.contains("lives"))
      #expect(try host.control("refused")["code"] as? Int == 4_013)
      #expect(try host.wrapped().body == #"{"n":1}"#)
    }

    @Test func claimOnADeadPageInherits() throws {
      let relay = try TestRelay { $0.limits.claimTimeout = .milliseconds(50) }
      let host = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      page.peer.answersPings = false
      let newcomer = try TestPage(relay, session: page.session, key: page.key, takes: "claim")
      try host.answerOpen()
      try newcomer.readWelcome()
      #expect(newcomer.session == page.session)
      #expect(try page.peer.nextClose().code == 4_002)
    }

    @Test func claimWinsWhenThePageLeavesMeanwhile() throws {
      let relay = try TestRelay { $0.limits.claimTimeout = .seconds(10) }
      let host = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      page.peer.answersPings = false
      let newcomer = try TestPage(relay, session: page.session, key: page.key, takes: "claim")
      try page.peer.closeNormally(code: 4_001)
      try host.answerOpen()
      try newcomer.readWelcome()
      #expect(newcomer.session == page.session)
    }

    @Test(arguments: [(4_001, true), (1_000, false), (4_999, false)])
    func hostLearnsThatAPageLeft(code: Int, isLeaving: Bool) throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      try page.peer.closeNormally(code: code)
      let away = try host.control("away")
      #expect(away["code"] as? Int == code && away["leaving"] as? Bool == isLeaving)
      #expect(away["session"] as? String == page.session && away["document"] as? String == page.document)
    }

    // MARK: Hosts

    @Test func hostResumesWithTheSameEpoch() throws {
      let relay = try TestRelay()
      var host: TestHost? = try TestHost(relay)
      let (instance, key) = (host?.instance, host?.key)
      let page = try TestPage(relay, host: host)
      let leaving = try TestPage(relay, host: host)
      host = nil
      #expect(try page.control("host") as? String == "away")
      try page.peer.send(#"{"n":1}"#)
      // It leaves while the host is away.
      try leaving.peer.closeNormally(code: 4_001)
      let back = try TestHost(relay, instance: instance, key: key)
      #expect(back.isResumed && back.instance == instance)
      var names: [String] = []
      for _ in 0..<2 { names.append(try back.nextControl().name) }
      #expect(names.sorted() == ["attached", "away"])
      #expect(try page.control("host") as? String == "attached")
      try page.peer.send(#"{"n":2}"#)
      #expect(try back.wrapped().body == #"{"n":2}"#)
      try back.send(#"{"n":3}"#, session: page.session, document: page.document)
      #expect(try page.peer.nextText() == #"{"n":3}"#)
    }

    @Test func hostResumesWithANewEpoch() throws {
      let relay = try TestRelay()
      var host: TestHost? = try TestHost(relay)
      let (instance, key) = (host?.instance, host?.key)
      let page = try TestPage(relay, host: host)
      host = nil
      #expect(try page.control("host") as? String == "away")
      let back = try TestHost(relay, instance: instance, key: key, epoch: "epoch111")
      let open = try back.answerOpen()
      #expect(open["resumed"] as? Bool == true && open["page"] as? String == "known")
      #expect(open["session"] as? String == page.session)
      #expect(try page.control("host") as? String == "attached")
      try page.peer.send(#"{"n":1}"#)
      #expect(try back.wrapped().body == #"{"n":1}"#)
    }

    @Test func secondSocketOfAnInstanceReplacesTheFirst() throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      let second = try TestHost(relay, instance: host.instance, key: host.key)
      #expect(try host.peer.nextClose().code == 4_002)
      #expect(try page.control("host") as? String == "attached")
      try second.send(#"{"n":1}"#, session: page.session, document: page.document)
      #expect(try page.peer.nextText() == #"{"n":1}"#)
      try page.peer.send(#"{"n":2}"#)
      #expect(try second.wrapped().body == #"{"n":2}"#)
      #expect(try relay.request("GET", "/apps").text.contains(#""hosts":1"#))
    }

    @Test func instanceEndsAfterItsGrace() throws {
      let relay = try TestRelay { $0.hostGrace = .milliseconds(50) }
      var host: TestHost? = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      host = nil
      #expect(try page.control("host") as? String == "away")
      #expect(try page.control("host") as? String == "ended")
      _ = try TestHost(relay)
      #expect(try page.peer.nextText() == #"["host","attached"]"#)
    }

    @Test func instanceThatFinishesEndsAtOnce() throws {
      let relay = try TestRelay()
      let other = try TestHost(relay)
      let host = try TestHost(relay)
      let filler = try TestPage(relay, host: other)
      let page = try TestPage(relay, host: host)
      try host.peer.closeNormally(code: 4_000)
      #expect(try page.control("host") as? String == "ended")
      #expect(try page.peer.nextText() == #"["host","attached"]"#)
      #expect(filler.session.hasPrefix(other.instance))
    }

    @Test func keysOutliveTheRelay() throws {
      var relay: TestRelay? = try TestRelay()
      var host: TestHost? = try TestHost(relay!)
      let (instance, key) = (host!.instance, host!.key)
      let page = try TestPage(relay!, host: host)
      host = nil
      relay = nil
      let next = try TestRelay()
      // The page comes first: its instance has its grace from the relay's start.
      let again = try TestPage(next, session: page.session, key: page.key, document: page.document)
      try again.readWelcome()
      #expect(again.welcome["host"] as? String == "away")
      let back = try TestHost(next, instance: instance, key: key)
      let open = try back.answerOpen()
      #expect(open["resumed"] as? Bool == true)
      #expect(try again.control("host") as? String == "attached")
    }

    @Test func sessionOfAnUnknownInstanceEndsAfterTheGrace() throws {
      let relay = try TestRelay { $0.hostGrace = .milliseconds(1) }
      let session = String(repeating: "u", count: 33)
      let key = Keys(secret: Array("a secret for tests only".utf8)).sessionKey(
        app: "player", session: session)
      let host = try TestHost(relay)
      let page = try TestPage(relay, session: session, key: key)
      while true {
        let control = try page.peer.nextText()
        if control == #"["host","ended"]"# { break }
      }
      #expect(try page.peer.nextText() == #"["host","attached"]"#)
      _ = host
    }

    // MARK: Host-first sessions

    @Test func hostFirstSessionIsEnteredByTicket() throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      let session = host.instance + String(repeating: "h", count: 22)
      try host.peer.send(#"{"create":{"session":"\#(session)"}}"#)
      let page = try TestPage(relay, ticket: session + ".secret")
      let open = try host.answerOpen()
      #expect(open["ticket"] as? String == session + ".secret")
      try page.readWelcome()
      #expect(page.session == session && !page.key.isEmpty)
    }

    @Test func ticketThatTheHostRefusesReplacesNobody() throws {
      let relay = try TestRelay { $0.limits.openTimeout = .milliseconds(50) }
      let host = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      let thief = try TestPage(relay, ticket: page.session + ".guess")
      #expect(try host.control("open")["ticket"] as? String == page.session + ".guess")
      #expect(try thief.peer.nextText() == #"["host","ended"]"#)
      try page.peer.send(#"{"n":1}"#)
      #expect(try host.wrapped().body == #"{"n":1}"#)
    }

    @Test func ticketThatSomebodyMadeUpLeavesNoSession() throws {
      let relay = try TestRelay { $0.limits.openTimeout = .milliseconds(50) }
      let host = try TestHost(relay)
      let guess = host.instance + String(repeating: "g", count: 22)
      let page = try TestPage(relay, ticket: guess + ".guess")
      #expect(try host.control("open")["session"] as? String == guess)
      #expect(try page.peer.nextText() == #"["host","ended"]"#)
      let health = try relay.request("GET", "/healthz").json
      #expect(health["sessions"] as? Int == 0)
    }

    // MARK: Signs of life

    @Test func pagesHearTheRelayAndAnswerItsPings() throws {
      let relay = try TestRelay {
        $0.limits.aliveInterval = .milliseconds(40)
        $0.limits.silenceGrace = .seconds(1)
      }
      let page = try TestPage(relay, late: "keep")
      #expect(try page.peer.nextText() == #"["welcome",{"waiting":true}]"#)
      // Reading answers the pings: it stays for longer than silence would be suffered.
      for _ in 0..<30 { #expect(try page.peer.next() == .text(BridgeWire.alive)) }
    }

    @Test func silentSocketsAreClosed() throws {
      let relay = try TestRelay {
        $0.limits.aliveInterval = .milliseconds(40)
        $0.limits.silenceGrace = .milliseconds(20)
      }
      let page = try TestPage(relay, late: "keep")
      page.peer.answersPings = false
      #expect(try page.peer.nextClose().code == 4_017)
      let host = try relay.socket()
      host.answersPings = false
      try host.send(#"{"hello":{"role":"host","app":"player","epoch":"epoch000"}}"#)
      #expect(try host.nextClose().code == 4_017)
    }

    // MARK: The end

    @Test func drainClosesEverySocket() async throws {
      let relay = try TestRelay()
      let host = try TestHost(relay)
      let page = try TestPage(relay, host: host)
      let waiting = try TestPage(relay, app: "other", late: "keep")
      let new = try relay.socket()
      let readers = [host.peer, page.peer, waiting.peer, new].map { peer in
        Task.detached { [peer] in try peer.nextClose() }
      }
      let start = ContinuousClock.now
      await relay.server.drain()
      #expect(ContinuousClock.now - start < .seconds(5))
      for reader in readers { #expect(try await reader.value.code == 1_001) }
      #expect(throws: RawConnection.Failure.self) { try relay.socket() }
    }

    @Test func drainEndsWithinItsTime() async throws {
      let relay = try TestRelay()
      // It never answers the close frame.
      let deaf = try relay.socket()
      let start = ContinuousClock.now
      await relay.server.drain(timeout: .milliseconds(200))
      #expect(ContinuousClock.now - start < .seconds(4))
      _ = deaf
    }
  }

}
