import BridgeProtocol
import BridgeSession

/// A tab, a relay and a host, and four queues between them that are cut, and that lose, double and reorder.
///
/// It stands for browser, storage and relay. The relay passes a message only if its document is the one attached, as the real
/// one does; its own words and syncs are lost with their sockets only, since TCP neither loses nor reorders.
struct RoughLine {
  /// What a relay tells a host.
  private enum Told {
    case attached(document: String, attach: Int)
    case away(document: String)
    case message(document: String, [UInt8])
  }

  /// A message that reached the host's handlers.
  struct Received {
    let number: Int
    let life: Int
    let isAgain: Bool
  }

  private(set) var host: HostSession
  private(set) var page: PageSession
  /// Counts the host's processes from 1.
  private(set) var life = 1
  private var documents = 1
  private var cached: [String: PageSession] = [:]
  private var attach = 0

  private var isPageUp = false
  private var isHostUp = false
  /// Whose hello the relay knows, and whose messages it passes on.
  private var known: String?
  private var attached: String?
  private var fromPage: [[UInt8]] = []
  private var toHost: [Told] = []
  private var fromHost: [(document: String, text: [UInt8])] = []
  private var toPage: [[UInt8]] = []

  /// Whether handlers end at once, or when ``handle(_:)`` says so.
  var handlesAtOnce = true
  private var unhandledByHost: [(document: String, number: Int)] = []
  private var unhandledByPage: [(document: String, number: Int)] = []
  private var expected: [String] = []

  private(set) var posted = 0
  private(set) var received: [Received] = []
  /// Calls of the living process that have not ended, as far as this can know.
  private(set) var open: Set<String> = []
  /// The numbers of the calls that documents were asked, by life, and the ids of those that the present one was.
  private(set) var performed: [(life: Int, number: Int)] = []
  private var askedHere: [String: [String]] = [:]
  /// What went wrong.
  private(set) var faults: [String] = []

  init() {
    host = HostSession(session: Self.session, epoch: "epoch001")
    page = PageSession(PageSession.Hello(app: "app", document: "docum001"))
  }

  private static let session = String(repeating: "s", count: Identifiers.sessionLength)

  /// Whether the relay has brought both ends together.
  var isAttached: Bool { attached != nil }
  /// Whether the page has said hello, and nobody has answered.
  var isGreeting: Bool { isPageUp && known == nil }
  var isSilent: Bool { fromPage.isEmpty && toHost.isEmpty && fromHost.isEmpty && toPage.isEmpty }
  /// Documents that a tab may return to.
  var earlierDocuments: [String] { cached.keys.sorted() }
  /// The calls that the present document was asked.
  var askedOfThisDocument: [String] { askedHere[page.hello.document] ?? [] }

  // MARK: Sockets

  mutating func connectPage() {
    guard !isPageUp else { return }
    isPageUp = true
    run(page.opened())
  }

  mutating func connectHost() {
    guard !isHostUp else { return }
    isHostUp = true
    guard let known else { return }
    let number = attachPage(known)
    toPage.append(Array(#"["host","attached",{"attach":\#(number)}]"#.utf8))
  }

  private mutating func attachPage(_ document: String) -> Int {
    attach += 1
    attached = document
    toHost.append(.attached(document: document, attach: attach))
    return attach
  }

  /// The page's socket dies; so many of its messages still reach the relay.
  mutating func cutPage(arriving: Int = 0) {
    for _ in 0..<min(arriving, fromPage.count) { relayUp() }
    guard isPageUp else { return }
    isPageUp = false
    fromPage = []
    toPage = []
    page.closed()
    if let attached, isHostUp { toHost.append(.away(document: attached)) }
    attached = nil
    known = nil
  }

  /// The host's socket dies.
  mutating func cutHost() {
    guard isHostUp else { return }
    isHostUp = false
    fromHost = []
    toHost = []
    attached = nil
    if let document = host.currentDocument { host.away(document: document) }
    if known != nil { toPage.append(Array(#"["host","away"]"#.utf8)) }
  }

  /// A new process takes the host's place; it knows nothing.
  mutating func restartHost() {
    cutHost()
    life += 1
    host = HostSession(session: Self.session, epoch: "epoch" + Self.digits(life))
    unhandledByHost = []
    expected = []
    open = []
  }

  // MARK: The tab

  /// The tab goes to another document.
  mutating func navigate(arriving: Int) {
    cutPage(arriving: arriving)
    let left = page.leave()
    cached[page.hello.document] = page
    documents += 1
    var hello = page.hello
    hello.document = "docum" + Self.digits(documents)
    hello.takes = "replaces"
    page = PageSession(hello)
    run(page.carry(left))
  }

  /// The tab returns to a document as it was left.
  mutating func restore(_ document: String, arriving: Int) {
    guard let old = cached.removeValue(forKey: document) else { return }
    cutPage(arriving: arriving)
    let left = page.leave()
    cached[page.hello.document] = page
    page = old
    run(page.carry(left))
  }

  /// Leaves a document for ever, as browsers do that are short of memory.
  mutating func evict(_ document: String) {
    cached[document] = nil
    unhandledByPage.removeAll { $0.document == document }
  }

  private static func digits(_ number: Int) -> String {
    String(repeating: "0", count: 3 - "\(number)".count) + "\(number)"
  }

  // MARK: Both ends' wishes

  mutating func post(filler: Int = 0) {
    let text = "[\(posted),\"\(String(repeating: "é", count: filler))\"]"
    do {
      let actions = try page.send(Array(#""method":"message","params":\#(text)}"#.utf8))
      posted += 1
      run(actions)
    } catch {
      faults.append("the page's queue refuses message \(posted): \(error)")
    }
  }

  mutating func call(filler: Int = 0) {
    let id = host.nextCallID()
    open.insert(id)
    run(host.call(id, method: "evaluate", params: Array("\"\(String(repeating: "x", count: filler))\"".utf8)))
  }

  /// The caller waits no longer.
  mutating func forget(_ id: String) {
    host.forget(call: id)
    open.remove(id)
  }

  mutating func answer(_ id: String) {
    do {
      run(try page.answer(id, result: Array("1".utf8)))
    } catch {
      faults.append("the page's queue refuses an answer: \(error)")
    }
  }

  /// The handlers of at most so many messages of each side end, the last one first.
  mutating func handle(_ limit: Int = .max) {
    let here = unhandledByPage.filter { $0.document == page.hello.document }.prefix(limit)
    unhandledByPage.removeAll { each in here.contains { $0 == each } }
    for each in here.reversed() { run(page.done(each.number)) }
    let ended = unhandledByHost.prefix(limit)
    unhandledByHost.removeFirst(ended.count)
    for each in ended.reversed() { run(host.done(document: each.document, number: each.number)) }
  }

  mutating func acknowledge() {
    run(host.acknowledge())
    run(page.acknowledge())
  }

  /// The second is over that a host waits for what a document carries.
  mutating func waitForCarriedIsOver() {
    let documents = expected
    expected = []
    for document in documents { run(host.endCarrying(document: document)) }
  }

  mutating func endSession() { run(host.end()) }

  // MARK: The wire

  /// Moves at most so many messages on from each of the four places, by one place.
  mutating func carry(_ limit: Int) {
    for _ in 0..<min(limit, toHost.count) { deliverToHost() }
    for _ in 0..<min(limit, toPage.count) { deliverToPage() }
    for _ in 0..<min(limit, fromPage.count) { relayUp() }
    for _ in 0..<min(limit, fromHost.count) { relayDown() }
  }

  /// A message of the queue to the host, or to the page, is lost.
  mutating func lose(_ place: Int, toHost isToHost: Bool) {
    guard let index = loose(place, isToHost) else { return }
    if isToHost { toHost.remove(at: index) } else { toPage.remove(at: index) }
  }

  mutating func double(_ place: Int, toHost isToHost: Bool) {
    guard let index = loose(place, isToHost) else { return }
    if isToHost { toHost.insert(toHost[index], at: index) } else { toPage.insert(toPage[index], at: index) }
  }

  /// A message overtakes the one before it.
  mutating func reorder(_ place: Int, toHost isToHost: Bool) {
    guard let index = loose(place, isToHost), index > 0, isLoose(index - 1, isToHost) else { return }
    if isToHost { toHost.swapAt(index - 1, index) } else { toPage.swapAt(index - 1, index) }
  }

  /// A place in that queue where a bridge message is that may be lost.
  private func loose(_ place: Int, _ isToHost: Bool) -> Int? {
    let count = isToHost ? toHost.count : toPage.count
    guard count > 0, isLoose(place % count, isToHost) else { return nil }
    return place % count
  }

  private func isLoose(_ index: Int, _ isToHost: Bool) -> Bool {
    guard isToHost else { return Self.isLoose(toPage[index]) }
    guard case .message(_, let text) = toHost[index] else { return false }
    return Self.isLoose(text)
  }

  private static func isLoose(_ text: [UInt8]) -> Bool {
    text.first == UInt8(ascii: "{") && !text.starts(with: #"{"sync""#.utf8)
  }

  private mutating func relayUp() {
    let text = fromPage.removeFirst()
    let document = page.hello.document
    if text.starts(with: #"{"hello""#.utf8) {
      known = document
      let rest = isHostUp ? #""host":"attached","attach":\#(attachPage(document))"# : #""host":"away""#
      let welcome =
        #"["welcome",{"session":"\#(Self.session)","key":"k","document":"\#(document)",\#(rest)}]"#
      toPage.append(Array(welcome.utf8))
    } else if attached == document {
      toHost.append(.message(document: document, text))
    }
  }

  private mutating func relayDown() {
    let (document, text) = fromHost.removeFirst()
    if attached == document { toPage.append(text) }
  }

  private mutating func deliverToHost() {
    do {
      switch toHost.removeFirst() {
      case .attached(let document, let attach): run(host.attached(document: document, attach: attach))
      case .away(let document): host.away(document: document)
      case .message(let document, let text): run(try host.receive(document: document, try Envelope(text)))
      }
    } catch {
      faults.append("the host refuses its page: \(error)")
    }
  }

  private mutating func deliverToPage() {
    do {
      run(try page.receive(toPage.removeFirst()))
    } catch {
      faults.append("the page refuses its host: \(error)")
    }
  }

  // MARK: What the ends decide

  private mutating func run(_ actions: [HostSession.Action]) {
    for action in actions {
      switch action {
      case .send(let document, let text): if isHostUp { fromHost.append((document, text)) }
      case .deliver(let document, let envelope, let number):
        if let count = Self.number(envelope) {
          received.append(Received(number: count, life: life, isAgain: envelope.isAgain))
        }
        if handlesAtOnce {
          run(host.done(document: document, number: number))
        } else {
          unhandledByHost.append((document, number))
        }
      case .finish(let call, let end):
        if open.remove(call) == nil {
          faults.append("\(call) ends although it had ended or was forgotten: \(end)")
        }
        if case .refused(let error) = end { faults.append("\(call) is refused: \(error)") }
      case .refused(let error): faults.append("a message is refused: \(error)")
      case .expectCarried(let document): expected.append(document)
      case .acknowledgeLater, .synced: break
      }
    }
    if host.delivery.inFlight > Limits.windowMessages { faults.append("the host's window has no bound") }
  }

  private mutating func run(_ actions: [PageSession.Action]) {
    for action in actions {
      switch action {
      case .send(let text): if isPageUp { fromPage.append(text) }
      case .deliver(let envelope, let number):
        if let id = envelope.id, envelope.method != nil {
          // What a process has asked may come when another one has taken its place.
          let parts = id.split(separator: "-")
          performed.append((Int(parts[0].suffix(3)) ?? 0, Int(parts[1]) ?? 0))
          askedHere[page.hello.document, default: []].append(id)
        }
        if handlesAtOnce {
          run(page.done(number))
        } else {
          unhandledByPage.append((page.hello.document, number))
        }
      case .welcomed, .waiting, .synced, .hostArrived, .hostAway, .acknowledgeLater, .alive: break
      case .hostEnded, .replaced, .failed: faults.append("the page hears what nobody said: \(action)")
      }
    }
    if page.delivery.inFlight > Limits.windowMessages { faults.append("the page's window has no bound") }
  }

  private static func number(_ envelope: Envelope) -> Int? {
    guard let params = envelope.params else { return nil }
    return Int(String(decoding: params.dropFirst().prefix { $0 != UInt8(ascii: ",") }, as: UTF8.self))
  }
}
