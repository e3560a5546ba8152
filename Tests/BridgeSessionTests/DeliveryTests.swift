import BridgeProtocol
import BridgeSession
import Testing

@Suite struct DeliveryTests {
  @Test func messagesArriveInOrder() throws {
    var link = Link()
    link.connect()
    for number in 1...1_000 { try link.post("\(number)") }
    try link.carry()
    #expect(link.hostReceived.map(\.paramsText) == (1...1_000).map(String.init))
  }

  @Test func postsBeforeTheFirstSocketWaitInOrder() throws {
    var link = Link()
    try link.post("1")
    try link.post("2")
    link.connect()
    try link.post("3")
    try link.carry()
    #expect(link.hostReceived.map(\.paramsText) == ["1", "2", "3"])
  }

  @Test(arguments: 0..<20)
  func cutsAnywhereLoseDoubleAndReorderNothing(seed: Int) throws {
    var random = SplitMix(state: UInt64(seed))
    var link = Link()
    link.connect()
    var posted = 0
    var called: [String] = []
    while posted < 1_000 {
      for _ in 0..<Int.random(in: 0...40, using: &random) where posted < 1_000 {
        posted += 1
        try link.post("\(posted)")
        called.append(link.evaluate("\(posted)"))
      }
      try link.carry(Int.random(in: 0...60, using: &random))
      if Int.random(in: 0..<4, using: &random) == 0 {
        link.cut()
        link.connect()
      }
      if Int.random(in: 0..<5, using: &random) == 0 { link.acknowledge() }
    }
    try link.carry()
    #expect(link.hostReceived.map(\.paramsText) == (1...1_000).map(String.init))
    #expect(link.pageReceived.map(\.paramsText) == (1...1_000).map(String.init))
    #expect(link.pageReceived.compactMap(\.id) == called)
  }

  @Test func bothEndsTellWhatBecameOfTheirMessages() throws {
    var link = Link()
    link.connect()
    try link.carry()
    try link.post("1")
    #expect(link.page.delivery.inFlight == 1 && link.page.delivery.held == 1)
    try link.post("2")
    link.loseOneToHost()
    try link.carry()
    #expect(link.host.delivery.gaps == 1)
    link.cut()
    _ = link.evaluate("3")
    #expect(link.host.delivery.waiting == 1 && link.host.delivery.bytes > 0)
    link.connect()
    try link.carry()
    link.acknowledge()
    try link.carry()
    #expect(link.host.delivery.resumes == 1 && link.page.delivery.resumes == 1)
    #expect(link.page.delivery.held == 0 && link.page.delivery.bytes == 0)
    try link.post("4")
    link.restartHost(epoch: "epoch--2")
    link.connect()
    try link.carry()
    #expect(link.page.delivery.redeliveries == 1 && link.host.delivery.redeliveries == 1)
  }

  @Test func aLostMessageIsAskedForAtOnce() throws {
    var link = Link()
    link.connect()
    try link.carry()
    for number in 1...5 { try link.post("\(number)") }
    link.loseOneToHost()
    try link.carry()
    #expect(link.hostReceived.map(\.paramsText) == ["1", "2", "3", "4", "5"])
  }

  @Test func anAcknowledgementThatDiedWithItsSocketComesAgain() throws {
    var link = Link()
    link.connect()
    try link.post("1")
    let call = link.evaluate("2")
    try link.carry()
    // Both sides acknowledge, and nobody hears it.
    link.acknowledge()
    link.cut()
    #expect(link.page.pendingMessages == 1)
    link.connect()
    try link.carry()
    link.acknowledge()
    try link.carry()
    #expect(link.page.pendingMessages == 0)
    #expect(link.hostReceived.map(\.paramsText) == ["1"])
    #expect(link.pageReceived.compactMap(\.id) == [call])
  }

  @Test func longMessagesCrossInPartsThatFitTheWire() throws {
    var link = Link()
    link.connect()
    let text = String(repeating: "é😀\"\\\u{1}x", count: 60_000)
    var writer = JSONWriter()
    writer.string(text)
    let params = String(decoding: writer.bytes, as: UTF8.self)
    try link.post(params)
    _ = link.evaluate(params)
    try link.post("\"after\"")
    try link.carry()
    #expect(link.hostReceived.count == 2)
    #expect(try WireValue(json: link.hostReceived[0].params!).string == text)
    #expect(link.hostReceived[1].paramsText == "\"after\"")
    #expect(try WireValue(json: link.pageReceived[0].params!).string == text)
  }

  @Test func everyWireMessageOfALongOneFitsItsLimitWithTheWrapper() throws {
    var channel = DocumentChannel(role: .host, document: "document", epoch: "epoch--1")
    _ = channel.attach(1)
    _ = try channel.receive(
      Envelope(Envelope.Sync(attach: 1, document: "document", epoch: "epoch--1", base: 1, received: 0).bytes))
    let text = String(repeating: "\u{1}😀é\"", count: 40_000)
    var writer = JSONWriter()
    writer.raw(#""params":"#)
    writer.string(text)
    writer.raw("}")
    var largest = 0
    var sent = 0
    for action in try channel.send(writer.bytes) {
      guard case .send(let bytes) = action else { continue }
      #expect(String(validating: bytes, as: UTF8.self) != nil)
      largest = max(largest, bytes.count)
      sent += 1
    }
    #expect(largest + Wrapper.overhead <= Limits.maxWireBytes)
    #expect(sent > 10)
  }

  @Test func aMessageAtTheLimitIsSentAndOneAboveIsRefusedWithLimitAndSize() throws {
    let head = #""method":"message","params":"#
    func message(_ size: Int) -> [UInt8] {
      let filler = String(repeating: "x", count: size - head.utf8.count - 3)
      return Array((head + "\"" + filler + "\"}").utf8)
    }
    var channel = DocumentChannel(role: .page, document: "document", epoch: "")
    _ = try channel.send(message(Limits.maxMessageBytes))
    channel = DocumentChannel(role: .page, document: "document", epoch: "")
    _ = try channel.send(message(Limits.maxMessageBytes - 1))
    let error = #expect(throws: ChannelError.self) { try channel.send(message(Limits.maxMessageBytes + 1)) }
    #expect(error?.code == .messageTooBig)
    #expect(error?.context.contains("\(Limits.maxMessageBytes)") == true)
    #expect(error?.context.contains("\(Limits.maxMessageBytes + 1)") == true)
  }

  @Test func theWindowStopsAtItsCountAndOpensWithAcknowledgements() throws {
    var channel = DocumentChannel(role: .page, document: "document", epoch: "")
    _ = channel.attach(1)
    _ = try channel.receive(
      Envelope(Envelope.Sync(attach: 1, document: "document", epoch: "epoch--1", base: 1, received: 0).bytes))
    var sent = 0
    for _ in 0..<Limits.windowMessages + 10 { sent += try channel.send(Array(#""method":"x"}"#.utf8)).count }
    #expect(sent == Limits.windowMessages)
    #expect(!channel.isDrained)
    let more = try channel.receive(Envelope(Array(#"{"a":4,"d":0}"#.utf8)))
    #expect(more.count == 4)
    #expect(channel.pendingMessages == Limits.windowMessages + 10)
    _ = try channel.receive(Envelope(Array(#"{"a":10,"d":10}"#.utf8)))
    #expect(channel.pendingMessages == Limits.windowMessages)
    #expect(channel.isDrained)
  }

  @Test func theWindowStopsAtItsBytes() throws {
    var channel = DocumentChannel(role: .page, document: "document", epoch: "")
    _ = channel.attach(1)
    _ = try channel.receive(
      Envelope(Envelope.Sync(attach: 1, document: "document", epoch: "epoch--1", base: 1, received: 0).bytes))
    let body = Array(("\"method\":\"" + String(repeating: "x", count: 30_000) + "\"}").utf8)
    var sent = 0
    for _ in 0..<40 { sent += try channel.send(body).count }
    #expect(sent == Limits.windowBytes / body.count)
  }

  @Test func retentionRefusesWhatItCannotKeep() throws {
    var channel = DocumentChannel(role: .page, document: "document", epoch: "")
    let body = Array(("\"method\":\"" + String(repeating: "x", count: 1_000_000) + "\"}").utf8)
    let error = #expect(throws: ChannelError.self) { while true { _ = try channel.send(body) } }
    #expect(error?.code == .retentionFull)
    #expect(channel.pendingBytes <= Limits.retentionBytes)
  }

  @Test func sixteenMessagesBringABareAcknowledgement() throws {
    var link = Link()
    link.hostHandles = false
    link.connect()
    try link.carry()
    for number in 1..<Limits.acknowledgeMessages { try link.post("\(number)") }
    try link.carry()
    #expect(link.page.pendingMessages == Limits.acknowledgeMessages - 1)
    try link.post("16")
    try link.carry()
    // Received, not handled: kept, but the window is open again.
    #expect(link.page.pendingMessages == Limits.acknowledgeMessages)
  }

  @Test func aMessageHandledEarlyIsNotDoneBeforeTheOlderOnes() throws {
    var channel = DocumentChannel(role: .host, document: "document", epoch: "epoch--1")
    _ = channel.attach(1)
    _ = try channel.receive(
      Envelope(Envelope.Sync(attach: 1, document: "document", epoch: "epoch--1", base: 1, received: 0).bytes))
    for number in 1...3 {
      _ = try channel.receive(Envelope(Array(#"{"n":\#(number),"a":0,"d":0,"method":"x"}"#.utf8)))
    }
    func done(_ number: Int) throws -> Int? {
      _ = channel.done(number)
      guard case .send(let text)? = channel.acknowledge().first else { return nil }
      return try Envelope(text).done
    }
    #expect(try done(2) == 0)
    #expect(try done(1) == 2)
    #expect(try done(3) == 3)
    #expect(try done(3) == nil)
  }

  @Test func aLongMessageIsKeptWholeUntilItIsHandled() throws {
    var channel = DocumentChannel(role: .host, document: "document", epoch: "epoch--1")
    _ = channel.attach(1)
    _ = try channel.receive(
      Envelope(Envelope.Sync(attach: 1, document: "document", epoch: "epoch--1", base: 1, received: 0).bytes))
    let parts = [
      #"{"n":2,"a":0,"d":0,"part":[1,2],"text":"{\"method\":"}"#,
      #"{"n":3,"a":0,"d":0,"part":[2,2],"text":"\"x\"}"}"#,
    ]
    _ = try channel.receive(Envelope(Array(#"{"n":1,"a":0,"d":0,"method":"x"}"#.utf8)))
    _ = try channel.receive(Envelope(Array(parts[0].utf8)))
    _ = channel.done(1)
    guard case .send(let between)? = channel.acknowledge().first else { return #expect(Bool(false)) }
    #expect(try Envelope(between).received == 2)
    #expect(try Envelope(between).done == 1)
    _ = try channel.receive(Envelope(Array(parts[1].utf8)))
    _ = channel.done(3)
    guard case .send(let after)? = channel.acknowledge().first else { return #expect(Bool(false)) }
    #expect(try Envelope(after).done == 3)
  }

  @Test func aPeerThatAcknowledgesTooMuchIsAnError() throws {
    var channel = DocumentChannel(role: .page, document: "document", epoch: "")
    _ = channel.attach(1)
    _ = try channel.receive(
      Envelope(Envelope.Sync(attach: 1, document: "document", epoch: "epoch--1", base: 1, received: 0).bytes))
    let error = #expect(throws: ChannelError.self) {
      try channel.receive(Envelope(Array(#"{"a":1,"d":0}"#.utf8)))
    }
    #expect(error?.code == .acknowledgedTooMuch)
  }

  @Test func aRestartedHostGetsWhatItsPredecessorDidNotHandleMarkedAgain() throws {
    var link = Link()
    link.connect()
    try link.carry()
    try link.post("1")
    try link.carry()
    link.acknowledge()
    try link.carry()
    link.hostHandles = false
    try link.post("2")
    try link.post("3")
    try link.carry()
    link.restartHost(epoch: "epoch--2")
    link.connect()
    try link.post("4")
    try link.carry()
    let later = link.hostReceived.suffix(3)
    #expect(later.map(\.paramsText) == ["2", "3", "4"])
    #expect(later.map(\.isAgain) == [true, true, false])
    #expect(link.page.epoch == "epoch--2")
  }

  @Test func aRestartedHostsNumbersStartAnew() throws {
    var link = Link()
    link.connect()
    _ = link.evaluate("1")
    try link.carry()
    link.restartHost(epoch: "epoch--2")
    link.connect()
    _ = link.evaluate("2")
    try link.carry()
    #expect(link.pageReceived.map(\.paramsText) == ["1", "2"])
  }
}

/// A small generator with a seed, so that a failing run can be repeated.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
