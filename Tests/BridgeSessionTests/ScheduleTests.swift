import BridgeProtocol
import BridgeSession
import Foundation
import Testing

/// Random schedules of everything that may befall a conversation, from its handshake to its end.
///
/// `PAGEBRIDGE_SEED=17` replays one seed; `PAGEBRIDGE_SEEDS=100000` tries so many.
@Suite struct ScheduleTests {
  private static let seeds = Int(ProcessInfo.processInfo.environment["PAGEBRIDGE_SEEDS"] ?? "") ?? 4_000
  private static let blockSize = 250
  private static let blocks: [Range<Int>] = {
    if let seed = Int(ProcessInfo.processInfo.environment["PAGEBRIDGE_SEED"] ?? "") {
      return [seed..<seed + 1]
    }
    return stride(from: 0, to: seeds, by: blockSize).map { $0..<min($0 + blockSize, seeds) }
  }()

  @Test(arguments: blocks)
  func anyScheduleDeliversEachMessageOnceAndEndsEachCallOnce(block: Range<Int>) {
    for seed in block {
      var schedule = Schedule(seed: seed)
      schedule.run()
      for fault in schedule.faults.prefix(5) {
        Issue.record(
          "seed \(seed): \(fault); replay with PAGEBRIDGE_SEED=\(seed) swift test --filter ScheduleTests")
      }
    }
  }

  /// The dice must reach every rule: what they never do, no seed can find.
  @Test func theSchedulesReachEveryRule() {
    var reached: Set<String> = []
    for seed in 0..<200 {
      var schedule = Schedule(seed: seed)
      schedule.run()
      let line = schedule.line
      let host = line.host.delivery
      let page = line.page.delivery
      if host.gaps > 0 { reached.insert("a gap at the host") }
      if page.gaps > 0 { reached.insert("a gap at the page") }
      if host.doubles > 0 { reached.insert("a double at the host") }
      if page.doubles > 0 { reached.insert("a double at the page") }
      if host.resumes > 0, page.resumes > 0 { reached.insert("a resume of both") }
      if line.received.contains(where: \.isAgain) { reached.insert("a redelivery") }
      if line.host.unknownAnswers > 0 { reached.insert("an answer too many") }
      reached.formUnion(schedule.reached)
    }
    let all: Set = [
      "a gap at the host", "a gap at the page", "a double at the host", "a double at the page",
      "a resume of both",
      "a redelivery", "an answer too many", "a full window of the page", "a full window of the host",
      "a document that carries", "a document that returns", "a call without a document",
      "a call that is replaced",
      "a call that is forgotten", "more documents than are remembered", "a cut before the welcome",
      "a restart of the host",
    ]
    #expect(all.subtracting(reached) == [])
  }
}

/// One schedule: what happens is decided by its seed alone.
struct Schedule {
  private(set) var line = RoughLine()
  private(set) var faults: [String] = []
  /// The rules that it came upon.
  private(set) var reached: Set<String> = []
  private var random: SplitMix
  private let restarts: Bool
  private let returns: Bool
  private let bursts: Bool

  init(seed: Int) {
    random = SplitMix(state: UInt64(seed))
    restarts = Bool.random(using: &random)
    returns = Bool.random(using: &random)
    bursts = Int.random(in: 0..<40, using: &random) == 0
    line.handlesAtOnce = Bool.random(using: &random)
  }

  private mutating func upTo(_ limit: Int) -> Int { Int.random(in: 0...limit, using: &random) }
  private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

  mutating func run() {
    for _ in 0..<200 where line.faults.isEmpty { step() }
    settle()
    judge()
  }

  private mutating func step() {
    switch upTo(20) {
    case 0...3: line.post(filler: chance(15) ? upTo(40_000) : upTo(20))
    case 4...5:
      if !line.isAttached { reached.insert("a call without a document") }
      line.call(filler: chance(15) ? upTo(80_000) : upTo(20))
    case 6:
      // Answers what was asked, perhaps twice.
      if let id = line.askedOfThisDocument.randomElement(using: &random) { line.answer(id) }
    case 7: line.connectPage()
    case 8: line.connectHost()
    case 9:
      if chance(3) {
        if line.isGreeting { reached.insert("a cut before the welcome") }
        line.cutPage(arriving: upTo(3))
      }
    case 10: if chance(3) { line.cutHost() }
    case 11: if chance(2) { leave() }
    case 12:
      if restarts, chance(4) {
        line.restartHost()
        reached.insert("a restart of the host")
      }
    case 13: line.lose(upTo(9), toHost: chance(2))
    case 14: line.double(upTo(9), toHost: chance(2))
    case 15: line.reorder(upTo(9), toHost: chance(2))
    case 16:
      if chance(2) { line.acknowledge() }
      if chance(3) { line.waitForCarriedIsOver() }
    case 17:
      if chance(6), let id = line.open.sorted().randomElement(using: &random) {
        line.forget(id)
        reached.insert("a call that is forgotten")
      }
      if bursts, chance(4) { burst() }
    default:
      line.carry(upTo(6))
      line.handle(upTo(4))
    }
    if line.page.delivery.inFlight == Limits.windowMessages { reached.insert("a full window of the page") }
    if line.host.delivery.inFlight == Limits.windowMessages { reached.insert("a full window of the host") }
  }

  private mutating func leave() {
    if returns, chance(2), let document = line.earlierDocuments.suffix(4).randomElement(using: &random) {
      if chance(4) {
        line.evict(document)
      } else {
        line.restore(document, arriving: upTo(4))
        reached.insert("a document that returns")
      }
    } else {
      let hasOpen = !line.askedOfThisDocument.filter(line.open.contains).isEmpty
      line.navigate(arriving: upTo(4))
      if line.page.pendingMessages > 0 { reached.insert("a document that carries") }
      if hasOpen { reached.insert("a call that is replaced") }
    }
    if chance(2) { line.connectPage() }
  }

  /// More than a window holds, one way, or more documents than a host remembers.
  private mutating func burst() {
    if chance(3) {
      for _ in 0..<Limits.rememberedDocuments + upTo(8) { leave() }
      reached.insert("more documents than are remembered")
    } else if chance(2) {
      for _ in 0..<Limits.windowMessages + upTo(40) { line.post() }
    } else {
      for _ in 0..<Limits.windowMessages + upTo(40) { line.call() }
    }
    if chance(2) { line.carry(upTo(2_000)) }
  }

  /// The wire is good from here on.
  private mutating func settle() {
    line.handlesAtOnce = true
    // What was lost last is noticed after the next attach.
    for _ in 0..<2 {
      line.cutPage()
      line.connectHost()
      line.connectPage()
      var rounds = 0
      repeat {
        line.carry(64)
        line.handle()
        if line.isSilent { line.acknowledge() }
        rounds += 1
        guard rounds < 20_000 else {
          faults.append("the ends never fall silent")
          return
        }
      } while !line.isSilent
      line.waitForCarriedIsOver()
    }
  }

  private mutating func judge() {
    faults += line.faults
    var next = 0
    var lives: [Int: Int] = [:]
    for message in line.received {
      if let life = lives[message.number] {
        if life == message.life { faults.append("message \(message.number) came twice") }
        if !message.isAgain { faults.append("message \(message.number) came to another process unmarked") }
      } else {
        if message.number != next { faults.append("message \(message.number) came where \(next) was due") }
        next = message.number + 1
      }
      lives[message.number] = message.life
    }
    if next != line.posted { faults.append("\(next) messages of \(line.posted) came") }
    if !restarts, !returns, line.received.contains(where: \.isAgain) {
      faults.append("a message is marked without a reason")
    }
    // A document that returns makes the calls that had not reached it when it was left.
    for (earlier, later) in zip(line.performed, line.performed.dropFirst())
    where !returns && earlier.life == later.life && earlier.number >= later.number {
      faults.append("call \(later.number) was made behind \(earlier.number)")
    }
    if line.page.pendingMessages > 0 {
      faults.append("the page still holds \(line.page.pendingMessages) messages that were handled")
    }
    if !line.host.isDrained { faults.append("the host still holds something back") }
    let here = Set(line.askedOfThisDocument)
    for id in line.open where !here.contains(id) { faults.append("\(id) has no end, and nobody to end it") }
    let before = line.faults.count
    line.endSession()
    faults += line.open.map { "\($0) has no end with its session" } + line.faults[before...]
  }
}
