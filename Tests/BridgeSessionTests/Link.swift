import BridgeProtocol
import BridgeSession

/// A host session and a page channel joined by two queues that can be cut, so that what is under way is lost.
struct Link {
  var host: HostSession
  var page: DocumentChannel
  private var toHost: [[UInt8]] = []
  private var toPage: [[UInt8]] = []
  private var attach = 0

  /// Bodies of the messages that reached each side's handlers, in order.
  private(set) var hostReceived: [Envelope] = []
  private(set) var pageReceived: [Envelope] = []
  private(set) var ended: [(call: String, end: HostSession.CallEnd)] = []
  var hostHandles = true

  init(epoch: String = "epoch--1", document: String = "document") {
    host = HostSession(session: String(repeating: "s", count: 33), epoch: epoch)
    page = DocumentChannel(role: .page, document: document, epoch: "")
  }

  /// Messages under way.
  var inFlight: Int { toHost.count + toPage.count }

  mutating func connect() {
    attach += 1
    run(host.attached(document: page.document, attach: attach))
    run(page.attach(attach))
  }

  /// The socket dies, and with it all that is under way.
  mutating func cut() {
    toHost = []
    toPage = []
    host.away(document: page.document)
    page.detach()
  }

  /// Loses the oldest message under way to the host, as a relay does that drops it.
  mutating func loseOneToHost() {
    toHost.removeFirst()
  }

  /// A new process takes the host's place; it knows nothing.
  mutating func restartHost(epoch: String) {
    cut()
    host = HostSession(session: host.session, epoch: epoch)
  }

  mutating func navigate(to document: String) {
    cut()
    page = DocumentChannel(role: .page, document: document, epoch: "")
  }

  mutating func post(_ text: String) throws {
    run(try page.send(Array(#""method":"message","params":\#(text)}"#.utf8)))
  }

  mutating func evaluate(_ text: String) -> String {
    let id = host.nextCallID()
    run(host.call(id, method: "evaluate", params: Array(text.utf8)))
    return id
  }

  mutating func answer(_ id: String, _ result: String) throws {
    run(try page.send(Array(#""id":"\#(id)","result":\#(result)}"#.utf8)))
  }

  mutating func endSession() {
    run(host.end())
  }

  /// Carries at most that many messages each way.
  mutating func carry(_ limit: Int = .max) throws {
    var remaining = limit
    while remaining > 0, inFlight > 0 {
      remaining -= 1
      if !toHost.isEmpty {
        run(try host.receive(document: page.document, try Envelope(toHost.removeFirst())))
      }
      if !toPage.isEmpty {
        run(try page.receive(try Envelope(toPage.removeFirst())))
      }
    }
  }

  /// The lazy acknowledgements fire.
  mutating func acknowledge() {
    run(host.acknowledge())
    run(page.acknowledge())
  }

  private mutating func run(_ actions: [HostSession.Action]) {
    for action in actions {
      switch action {
      case .send(_, let bytes): toPage.append(bytes)
      case .deliver(let document, let envelope, let number):
        hostReceived.append(envelope)
        if hostHandles { run(host.done(document: document, number: number)) }
      case .finish(let call, let end): ended.append((call, end))
      case .acknowledgeLater, .synced, .refused, .expectCarried: break
      }
    }
  }

  private mutating func run(_ actions: [DocumentChannel.Action]) {
    for action in actions {
      switch action {
      case .send(let bytes): toHost.append(bytes)
      case .deliver(let envelope, let number):
        pageReceived.append(envelope)
        run(page.done(number))
      case .acknowledgeLater, .synced, .carry: break
      }
    }
  }
}

extension Envelope {
  /// The text of `params`.
  var paramsText: String { params.map { String(decoding: $0, as: UTF8.self) } ?? "" }
}
