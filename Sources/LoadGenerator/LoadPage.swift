import BridgeProtocol
import BridgeSession
import WebSocketTransport

/// One simulated page: it posts, waits for what is to come back and checks it, and returns after a cut.
///
/// `@unchecked Sendable`: after `init` it is touched only on its loop's thread.
final class LoadPage: WebSocketClientHandler, @unchecked Sendable {
  private enum State {
    case connecting
    case ready
    case posting
    /// Posts nothing more; waits for what is under way.
    case finishing
    /// Nothing is under way.
    case drained
    case left
  }

  let index: Int
  /// Let go by the group's own end.
  private let group: LoadPageGroup
  private var session: PageSession
  private var client: WebSocketClient?
  private var state = State.connecting
  private var posted = 0
  /// When each message that is to come back was due, in nanoseconds, by its number.
  private var due: [Int: UInt64] = [:]
  private var answers = SequenceCheck()
  private var scripts = SequenceCheck()
  private var outbox: [[UInt8]] = []
  private var counts = LoadTally()
  private var acknowledgementIsDue = false
  private var isCut = false
  private var attempts = 0

  init(index: Int, group: LoadPageGroup) {
    self.index = index
    self.group = group
    var hello = PageSession.Hello(app: group.options.app, document: Self.documentID(index))
    // Nothing of it is to be loaded anew when a host comes late.
    hello.late = "keep"
    session = PageSession(hello)
  }

  /// Eight characters of base64url that only this page has.
  private static func documentID(_ index: Int) -> String {
    let digits = String(index, radix: 16)
    return String(repeating: "0", count: Identifiers.documentLength - digits.count) + digits
  }

  private var options: LoadOptions { group.options }

  var document: String { session.hello.document }

  /// Whether the page takes part in the traffic and has a socket.
  var isPosting: Bool { state == .posting && session.isSynced }

  // MARK: What the group asks

  func connect() {
    guard state != .left else { return }
    let client = WebSocketClient(group.configuration(forPage: index), loop: group.loop, handler: self)
    self.client = client
    client.connect()
  }

  func startPosting() {
    guard state == .ready else { return }
    state = .posting
    switch options.mode {
    case .echo: for _ in 0..<options.messageDepth { post(due: LoadClock.now) }
    case .flood: fill()
    case .mix: postRound()
    case .rate, .idle, .evaluate: break
    }
    flush()
  }

  /// Posts one message that was due at that time, in the modes that keep a rate.
  func postOnce(due time: UInt64) {
    guard state == .posting else { return }
    if !post(due: time) { counts.skipped += 1 }
    flush()
  }

  func stopPosting() {
    switch state {
    case .connecting:
      // It has said nothing yet.
      state = .drained
      group.isDrained(self)
    case .ready, .posting:
      state = .finishing
      finishIfDrained()
    case .finishing, .drained, .left: break
    }
  }

  /// Cuts the socket without a word; the page comes back.
  func cut() {
    guard let client, session.isSynced else { return }
    isCut = true
    counts.cuts += 1
    client.abort()
  }

  /// Sends the acknowledgement that is due, if one is.
  func sweep() {
    guard acknowledgementIsDue else { return }
    acknowledgementIsDue = false
    perform(session.acknowledge())
    flush()
  }

  func leave() {
    state = .left
    client?.close(code: CloseCode.leaving.rawValue, reason: "the simulated page is left")
  }

  /// What this page saw; what never came back counts as lost.
  var tally: LoadTally {
    var tally = counts
    tally.add(answers)
    tally.add(scripts)
    // What came back without being asked for is counted already; what is still awaited never came.
    tally.lost += UInt64(due.count)
    if options.mode == .flood { tally.lost += UInt64(session.pendingMessages) }
    return tally
  }

  // MARK: The socket

  func opened(_ client: WebSocketClient) {
    perform(session.opened())
    flush()
  }

  func received(_ client: WebSocketClient, text: UnsafeRawBufferPointer) {
    do {
      perform(try session.receive(Array(text)))
    } catch {
      counts.corrupted += 1
    }
  }

  func turnEnded(_ client: WebSocketClient) {
    if state == .posting, options.mode == .flood { fill() }
    finishIfDrained()
    flush()
  }

  func closed(_ client: WebSocketClient, code: UInt16, reason: String) {
    session.closed()
    self.client = nil
    outbox.removeAll()
    switch state {
    case .left: return
    case .connecting where !group.isFlowing:
      group.events.send(.pageRefused(code: code, reason: reason))
    case .connecting:
      // It takes another one's place while relays and sockets come and go.
      group.reconnect(self, attempt: attempts)
      attempts += 1
    case .ready, .posting, .finishing, .drained:
      if !isCut { counts.disconnects += 1 }
      isCut = false
      group.reconnect(self, attempt: attempts)
      attempts += 1
    }
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
        attempts = 0
        if state == .connecting {
          state = .ready
          group.isReady(self)
        } else {
          counts.resumes += 1
        }
      case .welcomed, .waiting, .hostArrived, .hostAway, .hostEnded, .replaced, .alive, .failed: break
      }
    }
  }

  private func flush() {
    guard !outbox.isEmpty, let client else { return }
    client.send(outbox)
    outbox.removeAll(keepingCapacity: true)
  }

  // MARK: Traffic

  private func handle(_ envelope: Envelope) {
    if envelope.method == "evaluate" {
      runScript(envelope)
    } else if envelope.method == nil, let number = envelope.id.flatMap({ Int($0) }),
      let result = envelope.result
    {
      answered(number, result)
    } else if envelope.method != "configure" {
      counts.corrupted += 1
    }
  }

  private func answered(_ number: Int, _ result: ArraySlice<UInt8>) {
    counts.messages += 1
    answers.accept(number)
    if !result.elementsEqual(group.bodies.bytes(page: index, number: number)) { counts.corrupted += 1 }
    cameBack(number)
    if state == .posting, options.mode == .echo { post(due: LoadClock.now) }
  }

  /// What a script of a simulated host does: its value is the object that it consists of.
  private func runScript(_ envelope: Envelope) {
    guard let id = envelope.id, let params = envelope.params, let source = Self.source(params),
      source.first == UInt8(ascii: "("), source.last == UInt8(ascii: ")"),
      let mark = MessageMark(source.dropFirst().dropLast())
    else {
      counts.corrupted += 1
      return
    }
    counts.messages += 1
    scripts.accept(options.mode == .mix ? scripts.next : mark.number)
    do {
      perform(try session.answer(id, result: Array(source.dropFirst().dropLast())))
    } catch {
      counts.corrupted += 1
    }
    guard options.mode == .mix else { return }
    cameBack(mark.number)
    if state == .posting { postRound() }
  }

  private static func source(_ params: ArraySlice<UInt8>) -> [UInt8]? {
    guard let value = try? WireValue(json: Array(params)), let source = value["source"]?.string else {
      return nil
    }
    return Array(source.utf8)
  }

  private func cameBack(_ number: Int) {
    if let time = due.removeValue(forKey: number) { group.record(LoadClock.now &- time) }
  }

  /// Posts what a window of messages without answers still takes.
  private func fill() {
    while session.pendingMessages < options.messageDepth, post(due: LoadClock.now) {}
  }

  /// Posts up to the next message that is answered by a script.
  private func postRound() {
    repeat {
      guard post(due: LoadClock.now) else { return }
    } while !group.bodies.wantsScript(posted)
  }

  /// Answers whether there was room for it.
  @discardableResult
  private func post(due time: UInt64) -> Bool {
    let number = posted + 1
    let body = group.bodies.bytes(page: index, number: number)
    var writer = JSONWriter(capacity: body.count + 128)
    if options.mode.isAnswered {
      writer.raw(#""id":""#)
      writer.integer(number)
      writer.raw(#"","#)
    }
    writer.raw(#""method":"message","params":{"handler":"#)
    writer.string(options.handler)
    writer.raw(#","body":"#)
    writer.raw(body)
    writer.raw("}}")
    do {
      perform(try session.send(writer.bytes))
    } catch {
      return false
    }
    posted = number
    if options.mode.isAnswered || group.bodies.wantsScript(number) { due[number] = time }
    return true
  }

  private func finishIfDrained() {
    // Values of scripts may be under way for as long as hosts ask: those of a page that leaves end with it.
    guard state == .finishing, due.isEmpty, options.mode == .evaluate || session.pendingMessages == 0 else {
      return
    }
    state = .drained
    group.isDrained(self)
  }
}
