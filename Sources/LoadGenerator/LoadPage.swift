import BridgeProtocol
import BridgeSession
import WebSocketTransport

/// One simulated page: it posts, waits for its answers and checks them.
///
/// `@unchecked Sendable`: after `init` it is touched only on its loop's thread.
final class LoadPage: WebSocketClientHandler, @unchecked Sendable {
  private enum State {
    case connecting
    case ready
    case posting
    case finished
  }

  private let index: Int
  private let options: LoadOptions
  private let events: LoadEvents
  private let group: LoadPageGroup
  private var session: PageSession
  private var client: WebSocketClient?
  private var state = State.connecting
  private var posted = 0
  /// When each message under way was posted, by its number.
  private var postedAt: [Int: ContinuousClock.Instant] = [:]
  private var answers = SequenceCheck()
  private var outbox: [[UInt8]] = []
  private var corrupted: UInt64 = 0
  private var received: UInt64 = 0
  private var acknowledgementIsDue = false

  init(index: Int, options: LoadOptions, events: LoadEvents, group: LoadPageGroup) {
    self.index = index
    self.options = options
    self.events = events
    self.group = group
    session = PageSession(PageSession.Hello(app: options.app, document: Self.documentID(index)))
  }

  /// Eight characters of base64url that only this page has.
  private static func documentID(_ index: Int) -> String {
    let digits = String(index, radix: 16)
    return String(repeating: "0", count: Identifiers.documentLength - digits.count) + digits
  }

  func connect(_ configuration: WebSocketClientConfiguration, loop: ServiceLoop) {
    let client = WebSocketClient(configuration, loop: loop, handler: self)
    self.client = client
    client.connect()
  }

  func startPosting() {
    guard state == .ready else { return }
    state = .posting
    for _ in 0..<options.depth { post() }
    flush()
  }

  func stopPosting() {
    guard state == .posting else { return }
    state = .finished
    if postedAt.isEmpty { events.send(.pageDrained) }
  }

  /// Sends the acknowledgement that is due, if one is.
  func sweep() {
    guard acknowledgementIsDue else { return }
    acknowledgementIsDue = false
    perform(session.acknowledge())
    flush()
  }

  func close() {
    client?.close(code: CloseCode.leaving.rawValue, reason: "the load run is over")
  }

  /// What this page saw; answers that never came count as lost.
  var tally: LoadTally {
    LoadTally(
      messages: received, lost: answers.lost + UInt64(postedAt.count), doubled: answers.doubled,
      reordered: answers.reordered, corrupted: corrupted)
  }

  func opened(_ client: WebSocketClient) {
    perform(session.opened())
    flush()
  }

  func received(_ client: WebSocketClient, text: UnsafeRawBufferPointer) {
    do {
      perform(try session.receive(Array(text)))
    } catch {
      corrupted += 1
    }
  }

  func turnEnded(_ client: WebSocketClient) {
    flush()
  }

  func closed(_ client: WebSocketClient, code: UInt16, reason: String) {
    session.closed()
    self.client = nil
    events.send(.pageClosed(code: code, reason: reason, wasConnecting: state == .connecting))
  }

  private func perform(_ actions: [PageSession.Action]) {
    for action in actions {
      switch action {
      case .send(let bytes): outbox.append(bytes)
      case .deliver(let envelope, let number):
        handle(envelope)
        perform(session.done(number))
      case .acknowledgeLater: acknowledgementIsDue = true
      case .synced:
        guard state == .connecting else { break }
        state = .ready
        events.send(.pageReady)
      case .welcomed, .waiting, .hostArrived, .hostAway, .hostEnded, .replaced, .alive, .failed: break
      }
    }
  }

  private func handle(_ envelope: Envelope) {
    guard let number = envelope.id.flatMap({ Int($0) }), let result = envelope.result else {
      corrupted += 1
      return
    }
    received += 1
    answers.accept(number)
    let expected = EchoBody(page: index, number: number, fillerBytes: options.bodyBytes).bytes
    if !result.elementsEqual(expected) { corrupted += 1 }
    if let start = postedAt.removeValue(forKey: number) {
      group.record(start.duration(to: .now))
    }
    if state == .posting {
      post()
    } else if state == .finished, postedAt.isEmpty {
      events.send(.pageDrained)
    }
  }

  private func post() {
    posted += 1
    var writer = JSONWriter(capacity: options.bodyBytes + 128)
    writer.raw(#""id":""#)
    writer.integer(posted)
    writer.raw(#"","method":"message","params":{"handler":"echo","body":"#)
    writer.raw(EchoBody(page: index, number: posted, fillerBytes: options.bodyBytes).bytes)
    writer.raw("}}")
    postedAt[posted] = .now
    do {
      perform(try session.send(writer.bytes))
    } catch {
      postedAt[posted] = nil
      posted -= 1
    }
  }

  private func flush() {
    guard !outbox.isEmpty, let client else { return }
    client.send(outbox)
    outbox.removeAll(keepingCapacity: true)
  }
}
