import BridgeProtocol
import BridgeSession

/// Two true ends and a wire that may do anything: each byte is a step, and at the end every message has come once, in order.
enum ScheduleFuzz {
  static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
    var input = FuzzInput(bytes)
    var link = FuzzLink()
    link.connect()
    while !input.isEmpty, !link.isFull {
      let step = input.byte()
      switch step {
      case 0..<48: link.post(bytes: Int(step))
      case 48..<60: link.post(bytes: Int(step) * 40)
      case 60..<64: link.post(bytes: Int(step) * 1_000)
      case 64..<112: link.call(bytes: Int(step))
      case 112..<120: link.call(bytes: Int(step) * 300)
      case 120..<190: link.carry(Int(step) - 119, lossy: false)
      case 190..<210: link.carry(Int(step) - 189, lossy: true)
      case 210..<218: link.loseOne(toHost: step % 2 == 0)
      case 218..<226: link.repeatOne(toHost: step % 2 == 0)
      case 226..<234: link.handlesLater.toggle()
      case 234..<241: link.acknowledge()
      case 241..<245: link.navigate()
      default:
        link.cut()
        link.connect()
      }
    }
    link.finish()
  }
}

/// A host session and a page's channel, joined by two queues.
private struct FuzzLink {
  var host = HostSession(session: String(repeating: "s", count: 33), epoch: "epoch--1")
  var page = DocumentChannel(role: .page, document: "document", epoch: "")
  /// Whether handlers end only when somebody asks.
  var handlesLater = false
  private var toHost: [[UInt8]] = []
  private var toPage: [[UInt8]] = []
  private var attach = 0
  private var posted = 0
  private var called = 0
  private var hostGot = 0
  private var pageGot = 0
  /// Calls that reached a page, and those whose value came.
  private var reached: Set<String> = []
  private var answered = 0
  private var open: Set<String> = []
  private var bytes = 0
  private var unhandledByHost: [(document: String, number: Int)] = []
  private var documents = 0
  private var unhandledByPage: [Int] = []

  /// Whether what was sent is enough for one input.
  var isFull: Bool { posted + called > 300 || bytes > 150_000 }

  mutating func connect() {
    attach += 1
    run(host.attached(document: page.document, attach: attach))
    run(page.attach(attach))
  }

  mutating func cut() {
    toHost = []
    toPage = []
    host.away(document: page.document)
    page.detach()
  }

  /// The next document of the tab takes this one's place, and what it could not deliver.
  mutating func navigate() {
    let (kept, lost) = CarriedMessage.withinLimit(page.carried)
    guard lost == 0 else { return }
    cut()
    unhandledByPage = []
    documents += 1
    let digits = String(documents)
    page = DocumentChannel(
      role: .page, document: String(repeating: "d", count: 8 - digits.count) + digits, epoch: "")
    run(page.carry(kept))
    connect()
  }

  mutating func post(bytes count: Int) {
    let body = Self.filler(count)
    // A full window is an answer, too.
    guard let actions = try? page.send(Array(#""method":"m","params":[\#(posted + 1),"\#(body)"]}"#.utf8))
    else { return }
    posted += 1
    bytes += count
    run(actions)
  }

  mutating func call(bytes count: Int) {
    let id = host.nextCallID()
    open.insert(id)
    called += 1
    bytes += count
    run(host.call(id, method: "m", params: Array("[\(called),\"\(Self.filler(count))\"]".utf8)))
  }

  mutating func carry(_ limit: Int, lossy: Bool) {
    for step in 0..<limit where !toHost.isEmpty || !toPage.isEmpty {
      if lossy, step % 3 == 1 {
        loseOne(toHost: step % 2 == 0)
        continue
      }
      if !toHost.isEmpty { toHost(receive: toHost.removeFirst()) }
      if !toPage.isEmpty { toPage(receive: toPage.removeFirst()) }
    }
  }

  mutating func loseOne(toHost isToHost: Bool) {
    // A relay drops bridge messages only; a sync that is lost means that the socket is.
    if isToHost, let first = toHost.first, !Self.isSync(first) { toHost.removeFirst() }
    if !isToHost, let first = toPage.first, !Self.isSync(first) { toPage.removeFirst() }
  }

  mutating func repeatOne(toHost isToHost: Bool) {
    if isToHost, let first = toHost.first { toHost.insert(first, at: 0) }
    if !isToHost, let first = toPage.first { toPage.insert(first, at: 0) }
  }

  mutating func acknowledge() {
    handle()
    run(host.acknowledge())
    run(page.acknowledge())
  }

  /// The wire is good again: everything arrives, is handled and acknowledged.
  mutating func finish() {
    handlesLater = false
    cut()
    connect()
    var rounds = 0
    repeat {
      while !toHost.isEmpty || !toPage.isEmpty { carry(64, lossy: false) }
      acknowledge()
      rounds += 1
      expect(rounds < 100_000, "the ends never fall silent")
    } while !toHost.isEmpty || !toPage.isEmpty
    expect(hostGot == posted, "the host got \(hostGot) of \(posted)")
    // Calls of a document that was left end as page replaced, whether it saw them or not.
    expect(documents > 0 || reached.count == called, "pages got \(reached.count) of \(called)")
    expect(documents > 0 || answered == called, "\(answered) of \(called) calls have a value")
    expect(open.isEmpty, "\(open.count) calls have no end")
    expect(page.pendingMessages == 0, "the page still holds \(page.pendingMessages)")
    expect(page.isDrained && host.isDrained, "something waits")
  }

  private mutating func handle() {
    let numbers = (unhandledByHost, unhandledByPage)
    unhandledByHost = []
    unhandledByPage = []
    // Handlers may end in any order.
    for each in numbers.0.reversed() { run(host.done(document: each.document, number: each.number)) }
    for number in numbers.1.reversed() { run(page.done(number)) }
  }

  private mutating func toHost(receive text: [UInt8]) {
    do {
      run(try host.receive(document: page.document, try Envelope(text)))
    } catch {
      expect(false, "the host refuses its page: \(error)")
    }
  }

  private mutating func toPage(receive text: [UInt8]) {
    do {
      run(try page.receive(try Envelope(text)))
    } catch {
      expect(false, "the page refuses its host: \(error)")
    }
  }

  private mutating func run(_ actions: [HostSession.Action]) {
    for action in actions {
      switch action {
      case .send(_, let text): toPage.append(text)
      case .deliver(let document, let envelope, let number):
        // The value of a call that ended with its document is no message.
        guard envelope.method != nil else {
          run(host.done(document: document, number: number))
          continue
        }
        hostGot += 1
        expect(Self.number(envelope) == hostGot, "the host got another message than number \(hostGot)")
        if handlesLater {
          unhandledByHost.append((document, number))
        } else {
          run(host.done(document: document, number: number))
        }
      case .finish(let call, .result):
        expect(open.remove(call) != nil, "a call ends twice")
        expect(reached.contains(call), "a value of a call that no page saw")
        answered += 1
      case .finish(let call, .pageReplaced):
        expect(open.remove(call) != nil, "a call ends twice")
        expect(documents > 0, "a page is replaced that is still there")
      case .finish(_, let end): expect(false, "a call ends as \(end)")
      case .refused: expect(false, "a message was refused")
      case .acknowledgeLater, .synced, .expectCarried: break
      }
    }
  }

  private mutating func run(_ actions: [DocumentChannel.Action]) {
    for action in actions {
      switch action {
      case .send(let text): toHost.append(text)
      case .deliver(let envelope, let number):
        if let id = envelope.id, envelope.method != nil {
          let number = Self.number(envelope) ?? 0
          expect(number > pageGot, "the page got number \(number) after \(pageGot)")
          expect(documents > 0 || number == pageGot + 1, "the page missed number \(pageGot + 1)")
          expect(reached.insert(id).inserted, "a call reaches pages twice")
          pageGot = number
          run((try? page.send(Array(#""id":"\#(id)","result":0}"#.utf8))) ?? [])
        }
        if handlesLater { unhandledByPage.append(number) } else { run(page.done(number)) }
      case .carry: expect(false, "a host carries something")
      case .acknowledgeLater, .synced: break
      }
    }
  }

  private static func number(_ envelope: Envelope) -> Int? {
    guard let params = envelope.params else { return nil }
    let digits = params.dropFirst().prefix { $0 != UInt8(ascii: ",") }
    return Int(String(decoding: digits, as: UTF8.self))
  }

  private static func isSync(_ text: [UInt8]) -> Bool { text.starts(with: #"{"sync""#.utf8) }

  private static func filler(_ count: Int) -> String { String(repeating: "é\\n", count: count / 4) }
}
