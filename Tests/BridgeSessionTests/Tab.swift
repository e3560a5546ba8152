import BridgeProtocol
import BridgeSession

/// A host session and a tab that goes from document to document, joined by queues that can be cut.
///
/// It stands for browser, storage and relay: what is under way dies with its socket, wholly or from a place on, and what a
/// document had not got acknowledged is left to the next one.
struct Tab {
  var host = HostSession(session: String(repeating: "s", count: 33), epoch: "epoch--1")
  private(set) var page = DocumentChannel(role: .page, document: "docum001", epoch: "")
  private var cached: [String: DocumentChannel] = [:]
  private var documents = 1
  private var attach = 0
  private var isConnected = false
  private var toHost: [[UInt8]] = []
  private var toPage: [[UInt8]] = []
  /// Delivered messages whose handlers have not run.
  private var unhandled: [(document: String, number: Int)] = []
  /// Whether handlers run at once.
  var handlesAtOnce = true
  /// Documents that the host's driver has to stop waiting for in a while.
  private(set) var expected: [String] = []

  private(set) var received: [Envelope] = []
  private(set) var called: [String] = []
  private(set) var performed: [String] = []
  private(set) var ended: [(call: String, end: HostSession.CallEnd)] = []
  /// Calls that ended and messages that came, in the order that the host's driver saw.
  private(set) var log: [String] = []

  var inFlight: Int { toHost.count + toPage.count }
  var earlierDocuments: [String] { cached.keys.sorted() }

  mutating func connect() {
    guard !isConnected else { return }
    isConnected = true
    attach += 1
    run(host.attached(document: page.document, attach: attach))
    run(page.attach(attach))
  }

  /// The socket dies, and with it all that is under way.
  mutating func cut() {
    isConnected = false
    toHost = []
    toPage = []
    host.away(document: page.document)
    page.detach()
  }

  /// A new process takes the host's place; it knows nothing.
  mutating func restartHost(epoch: String) {
    cut()
    unhandled = []
    host = HostSession(session: host.session, epoch: epoch)
  }

  /// The tab goes to another document; so many messages of the old one still reach the host.
  mutating func navigate(arriving: Int = 0) throws {
    try deliverToHost(min(arriving, toHost.count))
    cut()
    let left = page.carried
    cached[page.document] = page
    documents += 1
    let zeros = String(repeating: "0", count: 3 - "\(documents)".count)
    page = DocumentChannel(role: .page, document: "docum\(zeros)\(documents)", epoch: "")
    run(page.carry(left))
  }

  /// The tab returns to a document as it was left.
  mutating func restore(_ document: String, arriving: Int = 0) throws {
    try deliverToHost(min(arriving, toHost.count))
    cut()
    let left = page.carried
    let old = page
    page = cached.removeValue(forKey: document)!
    cached[old.document] = old
    run(page.carry(left))
  }

  /// Leaves a document for ever, as browsers do that are short of memory.
  mutating func evict(_ document: String) { cached[document] = nil }

  mutating func post(_ text: String) throws {
    run(try page.send(Array(#""method":"message","params":\#(text)}"#.utf8)))
  }

  mutating func call() -> String {
    let id = host.nextCallID()
    called.append(id)
    run(host.call(id, method: "evaluate", params: Array(#""\#(id)""#.utf8)))
    return id
  }

  mutating func answer(_ id: String) throws {
    run(try page.send(Array(#""id":"\#(id)","result":1}"#.utf8)))
  }

  mutating func deliverToHost(_ count: Int) throws {
    for _ in 0..<count {
      run(try host.receive(document: page.document, try Envelope(toHost.removeFirst())))
    }
  }

  mutating func deliverToPage(_ count: Int) throws {
    for _ in 0..<count { try run(page.receive(try Envelope(toPage.removeFirst()))) }
  }

  /// Carries everything, whatever comes of it.
  mutating func settle() throws {
    while inFlight > 0 {
      try deliverToHost(toHost.count)
      try deliverToPage(toPage.count)
      handle()
    }
  }

  /// Carries at most that many messages each way.
  mutating func carry(_ limit: Int) throws {
    try deliverToHost(min(limit, toHost.count))
    try deliverToPage(min(limit, toPage.count))
  }

  mutating func loseOne(_ index: Int) {
    if !toHost.isEmpty { toHost.remove(at: index % toHost.count) }
  }

  mutating func doubleOne(_ index: Int) {
    if !toHost.isEmpty { toHost.insert(toHost[index % toHost.count], at: index % toHost.count) }
  }

  /// The handlers of at most so many messages run.
  mutating func handle(_ limit: Int = .max) {
    for _ in 0..<min(limit, unhandled.count) {
      let (document, number) = unhandled.removeFirst()
      run(host.done(document: document, number: number))
    }
  }

  mutating func acknowledge() {
    run(host.acknowledge())
    run(page.acknowledge())
  }

  /// The second is over.
  mutating func waitForCarriedIsOver() {
    let documents = expected
    expected = []
    for document in documents { run(host.endCarrying(document: document)) }
  }

  private mutating func run(_ actions: [HostSession.Action]) {
    for action in actions {
      switch action {
      case .send(let document, let bytes): if isConnected, document == page.document { toPage.append(bytes) }
      case .deliver(let document, let envelope, let number):
        received.append(envelope)
        log.append(envelope.paramsText)
        if handlesAtOnce {
          run(host.done(document: document, number: number))
        } else {
          unhandled.append((document, number))
        }
      case .finish(let call, let end):
        ended.append((call, end))
        log.append(call)
      case .expectCarried(let document): expected.append(document)
      case .acknowledgeLater, .synced, .refused: break
      }
    }
  }

  private mutating func run(_ actions: [DocumentChannel.Action]) {
    for action in actions {
      switch action {
      case .send(let bytes): if isConnected { toHost.append(bytes) }
      case .deliver(let envelope, let number):
        if let id = envelope.id { performed.append(id) }
        run(page.done(number))
      case .acknowledgeLater, .synced, .carry: break
      }
    }
  }
}
