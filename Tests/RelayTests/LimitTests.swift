import BridgeProtocol
import Foundation
import Testing

@testable import Relay

extension RelayTests {
  /// What waits, what is read no longer, what is closed.
  @Suite struct LimitTests {
    /// Fills what the kernel buffers between relay and a peer that does not read.
    private let bulk = #"{"x":"\#(String(repeating: "b", count: 60_000))"}"#

    @Test func pageThatFloodsASlowHostIsNotReadUntilHalfIsGone() throws {
      let relay = try TestRelay { $0.limits.pageBacklogBytes = 200_000 }
      let host = try TestHost(relay, receiveBuffer: 4_096)
      let flooding = try TestPage(relay, host: host)
      let quiet = try TestPage(relay, host: host)
      var sent = 0
      // Until the relay no longer reads it, and for what the kernel then takes.
      while try relay.health("pausedSockets") == 0 {
        try flooding.peer.send(bulk)
        sent += 1
      }
      // Its neighbour is read all the same.
      try quiet.peer.send(#"{"n":1}"#)
      var received = 0
      while received < sent {
        let (session, _, body) = try host.wrapped()
        if session == quiet.session {
          #expect(body == #"{"n":1}"#)
        } else {
          #expect(session == flooding.session && body == bulk)
          received += 1
        }
      }
      try flooding.peer.send(#"{"n":2}"#)
      while try host.wrapped().body != #"{"n":2}"# {}
      #expect(try relay.health("pausedSockets") == 0)
    }

    @Test func pausedPageMayLeave() throws {
      let relay = try TestRelay { $0.limits.pageBacklogBytes = 200_000 }
      let host = try TestHost(relay, receiveBuffer: 4_096)
      var flooding: TestPage? = try TestPage(relay, host: host)
      while try relay.health("pausedSockets") == 0 { try flooding?.peer.send(bulk) }
      flooding = nil
      let quiet = try TestPage(relay, host: host)
      try quiet.peer.send(#"{"n":1}"#)
      while try host.wrapped().session != quiet.session {}
      while try relay.health("pages") != 1 {}
      #expect(try relay.health("pausedSockets") == 0)
    }

    /// More messages than the kernel holds for a peer that does not read.
    private let more = 200

    @Test func pageThatDoesNotReadIsClosed() throws {
      let relay = try TestRelay { $0.limits.pageOutboundBytes = 200_000 }
      let neighbour = try Neighbour(relay)
      let slow = try TestPage(relay, host: neighbour.host, receiveBuffer: 4_096)
      for _ in 0..<more { try neighbour.host.send(bulk, session: slow.session, document: slow.document) }
      try neighbour.echo()
      // Read again, it finds the close frame behind what the kernel held.
      #expect(
        try slow.peer.nextClose() == RawPeer.Closed(code: 4_019, reason: "Too much waits for the page."))
      #expect(try neighbour.host.control("away")["code"] as? Int == 4_019)
      try neighbour.echo()
    }

    @Test func hostThatDoesNotReadIsClosed() throws {
      let relay = try TestRelay {
        $0.limits.hostOutboundBytes = 300_000
        $0.limits.pageBacklogBytes = 100_000_000
      }
      let neighbour = try Neighbour(relay, app: "other")
      let host = try TestHost(relay, receiveBuffer: 4_096)
      let page = try TestPage(relay, host: host)
      for _ in 0..<more { try page.peer.send(bulk) }
      try neighbour.echo()
      #expect(
        try host.peer.nextClose() == RawPeer.Closed(code: 4_020, reason: "Too much waits for the host."))
      #expect(try page.control("host") as? String == "away")
      try neighbour.echo()
    }

    @Test func queueAtItsLimitStaysAndOneByteMoreDoesNot() throws {
      for extra in [-1, 0, 1] {
        let relay = try TestRelay { $0.limits.pageOutboundBytes = 100_000 }
        let neighbour = try Neighbour(relay)
        let host = neighbour.host
        let page = try TestPage(relay, host: host, receiveBuffer: 4_096)
        // The neighbour's echo tells that the relay has read what the host sent before.
        while try relay.health("waitingBytes") == 0 {
          try host.send(bulk, session: page.session, document: page.document)
          try neighbour.echo()
        }
        let rest = try 100_000 + extra - relay.health("waitingBytes")
        // A frame of 4 bytes of header, and 8 bytes around the text.
        let text = #"{"x":"\#(String(repeating: "r", count: rest - 4 - 8))"}"#
        try host.send(text, session: page.session, document: page.document)
        try neighbour.echo()
        #expect(try relay.health("waitingBytes") == (extra > 0 ? 0 : 100_000 + extra))
        if extra > 0 {
          #expect(try page.peer.nextClose().code == 4_019)
        } else {
          while try page.peer.nextText() != text {}
        }
      }
    }

    @Test(arguments: [-1, 0, 1])
    func connectionsBeyondTheLimitWaitAndTheOthersAreServed(extra: Int) throws {
      let limit = 6
      let relay = try TestRelay {
        $0.limits.acceptsPerInterval = limit
        $0.limits.acceptInterval = .seconds(600)
      }
      // Two sockets, and a connection that can ask again and again.
      let neighbour = try Neighbour(relay)
      let health = try RawHTTP(port: relay.port)
      func ask(_ name: String) throws -> Int {
        try health.send("GET", "/healthz")
        return try health.answer().json[name] as? Int ?? -1
      }
      #expect(try ask("sockets") == 3)
      let others = try (0..<limit + extra - 3).map { _ in try RawHTTP(port: relay.port) }
      for other in others { try other.send("GET", "/healthz") }
      for other in others.prefix(limit - 3) { #expect(try other.answer().status == 200) }
      if extra > 0 {
        // The last one reached the kernel, and the relay has seen that somebody waits there.
        while try ask("acceptsHeldBack") == 0 {}
      } else {
        #expect(try ask("acceptsHeldBack") == 0)
      }
      try neighbour.echo()
    }

    @Test func connectionsThatWaitedAreTakenInTheirTurn() throws {
      let relay = try TestRelay {
        $0.limits.acceptsPerInterval = 1
        $0.limits.acceptInterval = .milliseconds(20)
      }
      let all = try (0..<10).map { _ in try RawHTTP(port: relay.port) }
      for each in all { try each.send("GET", "/healthz") }
      var counts: [Int] = []
      for each in all { counts.append(try each.answer().json["acceptsHeldBack"] as? Int ?? -1) }
      #expect(counts == counts.sorted())
      #expect(counts[9] >= 8)
    }

    @Test func blocksGoBackToThePool() throws {
      let relay = try TestRelay()
      let neighbour = try Neighbour(relay)
      for _ in 0..<50 {
        try neighbour.page.peer.send(bulk)
        #expect(try neighbour.host.wrapped().body == bulk)
      }
      let page = try TestPage(relay, host: neighbour.host)
      try page.peer.send(Array(#"{"never":"#.utf8), isFinal: false)
      #expect(try relay.health("blocksInUse") <= 2)
      try page.peer.closeNormally(code: 4_001)
      while try relay.health("pages") != 1 {}
      try neighbour.echo()
      #expect(try relay.health("blocksInUse") <= 1)
    }
  }
}
