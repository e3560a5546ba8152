import BridgeProtocol
import Testing

@testable import BridgeSession

@Suite struct CarryTests {
  @Test func whatADocumentHadNotGotHandledComesWithTheNext() throws {
    var tab = Tab()
    tab.connect()
    try tab.settle()
    for number in 1...5 { try tab.post("\(number)") }
    try tab.navigate(arriving: 2)
    try tab.post("6")
    tab.connect()
    try tab.settle()
    #expect(tab.received.map(\.paramsText) == ["1", "2", "3", "4", "5", "6"])
  }

  @Test func aDocumentThatNeverHadASocketLosesNothing() throws {
    var tab = Tab()
    try tab.post("1")
    try tab.navigate()
    try tab.post("2")
    try tab.navigate()
    tab.connect()
    try tab.post("3")
    try tab.settle()
    #expect(tab.received.map(\.paramsText) == ["1", "2", "3"])
  }

  @Test func aLongMessageWhoseFirstPartsHaveComeIsCompletedByTheNextDocument() throws {
    var tab = Tab()
    tab.connect()
    try tab.settle()
    let text = String(repeating: "é😀", count: 30_000)
    try tab.post("\"\(text)\"")
    try tab.post("2")
    try tab.navigate(arriving: 3)
    tab.connect()
    try tab.settle()
    #expect(tab.received.map(\.paramsText) == ["\"\(text)\"", "2"])
  }

  @Test func callsEndAsReplacedBehindTheCarriedAnswersAndBeforeTheNextDocumentsMessages() throws {
    var tab = Tab()
    tab.connect()
    try tab.settle()
    let answered = tab.call()
    let open = tab.call()
    try tab.settle()
    try tab.post("\"old\"")
    try tab.answer(answered)
    try tab.navigate()
    try tab.post("\"new\"")
    tab.connect()
    try tab.settle()
    #expect(tab.log == ["\"old\"", answered, open, "\"new\""])
    guard case .result? = tab.ended.first?.end, case .pageReplaced? = tab.ended.last?.end else {
      return #expect(Bool(false))
    }
    #expect(tab.host.pendingCalls == 0)
  }

  @Test func callsEndAlthoughWhatIsCarriedDoesNotCome() throws {
    var tab = Tab()
    tab.connect()
    let call = tab.call()
    try tab.settle()
    for number in 1...3 { try tab.post("\(number)") }
    try tab.navigate()
    tab.connect()
    // The sync comes, what follows it does not.
    try tab.deliverToHost(1)
    #expect(tab.expected.count == 1)
    #expect(tab.ended.isEmpty)
    tab.waitForCarriedIsOver()
    #expect(tab.ended.map(\.call) == [call])
    tab.cut()
    tab.connect()
    try tab.settle()
    #expect(tab.received.map(\.paramsText) == ["1", "2", "3"])
    #expect(tab.ended.count == 1)
  }

  @Test func aReturningDocumentDoublesNothingThatWasCarriedMeanwhile() throws {
    var tab = Tab()
    tab.connect()
    try tab.settle()
    for number in 1...3 { try tab.post("\(number)") }
    let first = tab.page.document
    try tab.navigate(arriving: 1)
    tab.connect()
    try tab.post("4")
    try tab.settle()
    try tab.post("5")
    try tab.restore(first)
    try tab.post("6")
    tab.connect()
    try tab.settle()
    #expect(tab.received.map(\.paramsText) == (1...6).map(String.init))
    #expect(tab.page.pendingMessages > 0)
    tab.acknowledge()
    try tab.settle()
    #expect(tab.page.pendingMessages == 0)
  }

  @Test func theAnswerToACarriedCallIsDropped() throws {
    var tab = Tab()
    tab.handlesAtOnce = false
    tab.connect()
    try tab.settle()
    let first = tab.page.document
    try tab.post("1")
    try tab.navigate()
    tab.connect()
    try tab.settle()
    #expect(tab.host.answer(document: first, id: "p1", result: Array("1".utf8)).isEmpty)
  }

  @Test func aCarriedMessageIsKeptUntilItsHandlerHasRun() throws {
    var tab = Tab()
    tab.handlesAtOnce = false
    tab.connect()
    try tab.settle()
    try tab.post("1")
    try tab.navigate(arriving: 1)
    tab.connect()
    for _ in 0..<3 { try tab.carry(4) }
    tab.acknowledge()
    try tab.carry(4)
    #expect(tab.received.count == 1)
    #expect(tab.page.pendingMessages == 1)
    tab.handle()
    tab.acknowledge()
    try tab.carry(4)
    #expect(tab.page.pendingMessages == 0)
  }

  @Test func aNewHostProcessGetsCarriedMessagesMarkedAgain() throws {
    var tab = Tab()
    tab.handlesAtOnce = false
    tab.connect()
    try tab.settle()
    try tab.post("1")
    try tab.carry(1)
    try tab.post("2")
    tab.restartHost(epoch: "epoch--2")
    try tab.navigate()
    try tab.post("3")
    tab.connect()
    try tab.settle()
    #expect(tab.received.map(\.paramsText) == ["1", "1", "2", "3"])
    #expect(tab.received.map(\.isAgain) == [false, true, true, false])
  }

  @Test func moreThanTheHostRemembersAreCarriedToo() throws {
    var tab = Tab()
    var posted: [String] = []
    for number in 1...3 * Limits.rememberedDocuments {
      try tab.post("\(number)")
      posted.append("\(number)")
      try tab.navigate()
    }
    tab.connect()
    try tab.settle()
    #expect(tab.received.map(\.paramsText) == posted)
    tab.acknowledge()
    try tab.settle()
    #expect(tab.page.pendingMessages == 0)
  }

  @Test func aMessageThatManyDocumentsSendOnAndNobodyAcknowledgesComesOnce() throws {
    for documents in [-1, 0, 1, 3].map({ Limits.rememberedDocuments + $0 }) {
      var tab = Tab()
      tab.connect()
      try tab.settle()
      let long = "\"" + String(repeating: "é", count: 25_000) + "\""
      try tab.post("1")
      try tab.post(long)
      // The first one is handled and half of the second has come; no acknowledgement reaches the tab from here on.
      try tab.navigate(arriving: 2)
      for _ in 0..<documents {
        tab.connect()
        try tab.navigate(arriving: 1)
      }
      tab.connect()
      try tab.settle()
      #expect(tab.received.map(\.paramsText) == ["1", long])
    }
  }

  @Test func numbersOfForgottenDocumentsAreKeptUpToTheirLimit() {
    for excess in [-1, 0, 1] {
      var numbers = ReceivedNumbers()
      for index in 0..<Limits.rememberedNumbers + excess {
        numbers.note("\(index)", IncomingSequence.Remnant(received: index + 1))
      }
      #expect(numbers.take("0")?.received == (excess > 0 ? nil : 1))
      #expect(numbers.take("1")?.received == 2)
      #expect(numbers.take("1") == nil)
    }
  }

  @Test func partsOfForgottenDocumentsAreKeptUpToTheirLimit() {
    for excess in [-1, 0, 1] {
      var numbers = ReceivedNumbers()
      let half = Limits.maxMessageBytes / 2
      for (document, bytes) in [("first", half), ("second", Limits.maxMessageBytes - half + excess)] {
        let partial = IncomingSequence.Partial(
          count: 9, index: 2, text: [UInt8](repeating: 0, count: bytes), isAgain: false)
        numbers.note(document, IncomingSequence.Remnant(received: 5, partial: partial))
      }
      let second = numbers.take("second")
      #expect(second?.received == (excess > 0 ? 3 : 5))
      #expect((second?.partial == nil) == (excess > 0))
      #expect(numbers.take("first")?.partial != nil)
    }
  }

  @Test func whatIsBeyondTheLimitIsLostFromItsNewestEndInWholeMessages() throws {
    var page = DocumentChannel(role: .page, document: "document", epoch: "")
    let head = #""method":"x""#
    func message(_ size: Int) -> [UInt8] {
      Array((head + #","params":""# + String(repeating: "x", count: size) + "\"}").utf8)
    }
    _ = try page.send(message(10))
    _ = try page.send(message(Limits.carriedCharacters / 2))
    _ = try page.send(message(Limits.carriedCharacters / 2))
    _ = try page.send(message(10))
    let (kept, lost) = CarriedMessage.withinLimit(page.carried)
    #expect(lost == 2)
    var next = DocumentChannel(role: .page, document: "another-", epoch: "")
    _ = next.carry(kept)
    #expect(next.pendingMessages > 10)
    #expect(next.carried.map(\.origin.number) == Array(1...next.pendingMessages))
  }

  @Test func theLimitItselfIsCarriedAndOneCharacterMoreIsNot() throws {
    for excess in [-1, 0, 1] {
      var page = DocumentChannel(role: .page, document: "document", epoch: "")
      var left = Limits.carriedCharacters + excess
      let frame = #""method":""}"#.utf8.count
      while left > 0 {
        let size = min(left, 30_000)
        _ = try page.send(Array((#""method":""# + String(repeating: "x", count: size - frame) + #""}"#).utf8))
        left -= size
      }
      #expect(CarriedMessage.withinLimit(page.carried).lost == (excess > 0 ? 1 : 0))
    }
  }

  @Test func aPageThatCarriesItselfDoesNoHarm() throws {
    var host = HostSession(session: String(repeating: "s", count: 33), epoch: "epoch--1")
    _ = host.attached(document: "document", attach: 1)
    let sync = Envelope.Sync(attach: 1, document: "document", epoch: "", base: 1, received: 0, carried: 9)
    _ = try host.receive(document: "document", Envelope(sync.bytes))
    let actions = try host.receive(
      document: "document",
      Envelope(Array(#"{"n":1,"a":0,"d":0,"from":{"document":"document","n":7},"method":"x"}"#.utf8)))
    #expect(!actions.contains { if case .deliver = $0 { true } else { false } })
    let next = try host.receive(
      document: "document", Envelope(Array(#"{"n":2,"a":0,"d":0,"method":"x"}"#.utf8)))
    #expect(next.contains { if case .deliver(_, _, 2) = $0 { true } else { false } })
  }

  @Test(arguments: [
    #"{"n":1,"a":0,"d":0,"from":{"document":"short","n":7},"method":"x"}"#,
    #"{"n":1,"a":0,"d":0,"from":{"document":"document","n":0},"method":"x"}"#,
    #"{"n":1,"a":0,"d":0,"from":7,"method":"x"}"#,
  ])
  func aMalformedOriginIsAnError(text: String) {
    #expect(throws: WireError.self) { try Envelope(Array(text.utf8)) }
  }

  /// Whatever is cut, lost, doubled, left and returned to, each message comes once and in order, and each call ends once.
  @Test(arguments: 0..<200)
  func anyScheduleOfNavigationsLosesDoublesAndReordersNothing(seed: Int) throws {
    var random = SplitMix(state: UInt64(seed))
    func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }
    var tab = Tab()
    tab.handlesAtOnce = chance(2)
    var posted: [String] = []
    let filler = String(repeating: "é", count: 25_000)
    var open: [String] = []
    for _ in 0..<300 {
      switch Int.random(in: 0..<12, using: &random) {
      case 0...3:
        let text = "\(posted.count)" + (chance(12) ? filler : "")
        posted.append("\"\(text)\"")
        try tab.post("\"\(text)\"")
      case 4: if tab.called.count < 100 { open.append(tab.call()) }
      case 5:
        // Answers what was performed by now, perhaps twice.
        if let id = tab.performed.randomElement(using: &random) { try tab.answer(id) }
      case 6: tab.connect()
      case 7: if chance(3) { tab.cut() }
      case 8:
        if chance(2) { try tab.navigate(arriving: Int.random(in: 0...4, using: &random)) }
        if chance(2) { tab.connect() }
      case 9:
        if chance(2), let document = tab.earlierDocuments.suffix(4).randomElement(using: &random) {
          if chance(4) {
            tab.evict(document)
          } else {
            try tab.restore(document, arriving: Int.random(in: 0...4, using: &random))
          }
        }
      case 10:
        if chance(2) { tab.loseOne(Int.random(in: 0...9, using: &random)) }
        if chance(2) { tab.doubleOne(Int.random(in: 0...9, using: &random)) }
        if chance(3) { tab.acknowledge() }
        if chance(4) { tab.waitForCarriedIsOver() }
      default:
        try tab.carry(Int.random(in: 0...8, using: &random))
        tab.handle(Int.random(in: 0...4, using: &random))
      }
    }
    tab.connect()
    try tab.settle()
    // A lost message is noticed by the next one.
    tab.cut()
    tab.connect()
    try tab.settle()
    #expect(tab.received.map(\.paramsText) == posted, "seed \(seed)")
    #expect(tab.received.allSatisfy { !$0.isAgain }, "seed \(seed)")
    #expect(Set(tab.ended.map(\.call)).count == tab.ended.count, "seed \(seed): a call ended twice")
    // Those without an end are the ones that the present document has and has not answered.
    for id in open where !tab.ended.contains(where: { $0.call == id }) {
      #expect(tab.performed.contains(id), "seed \(seed): \(id) is neither performed nor ended")
    }
    tab.acknowledge()
    try tab.settle()
    tab.acknowledge()
    try tab.settle()
    #expect(tab.page.pendingMessages == 0, "seed \(seed): what was handled is still kept")
  }
}
