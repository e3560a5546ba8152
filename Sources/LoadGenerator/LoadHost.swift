import BridgeProtocol
import BridgeSession
import WebSocketTransport

/// One simulated host: it opens every session that it is asked for, checks each message, and answers or evaluates.
///
/// `@unchecked Sendable`: after `init` it is touched only on its loop's thread.
final class LoadHost: WebSocketClientHandler, @unchecked Sendable {
  private struct Guest {
    var session: HostSession
    var messages = SequenceCheck()
    /// The scripts that have no value yet: when each was sent, and what it is to give.
    var scripts: [String: (sent: UInt64, value: [UInt8])] = [:]
    var scriptCount = 0
    /// The page's document; simulated pages have one only.
    var document: String
  }

  private let index: Int
  private let options: LoadOptions
  private let events: LoadEvents
  private let epoch: String
  private let loop: ServiceLoop
  private let bodies: MessageBodies
  private let left: LeftPages
  private let configuration: WebSocketClientConfiguration
  private var identity: (instance: String, key: String)?
  private var guests: [String: Guest] = [:]
  private var dueAcknowledgements: Set<String> = []
  private var client: WebSocketClient?
  private var outbox: [[UInt8]] = []
  private var counts = LoadTally()
  private var recent = Histogram()
  private var isEvaluating = false
  private var isStopping = false
  private var isCut = false
  private var isClosed = false
  private var attempts = 0
  private var sweep: TimerToken?

  init(
    index: Int, options: LoadOptions, configuration: WebSocketClientConfiguration, events: LoadEvents,
    left: LeftPages, loop: ServiceLoop
  ) {
    self.index = index
    self.options = options
    self.configuration = configuration
    self.events = events
    self.left = left
    self.loop = loop
    bodies = MessageBodies(options)
    let digits = String(index, radix: 16)
    epoch = "load" + String(repeating: "0", count: Identifiers.epochLength - 4 - digits.count) + digits
  }

  // MARK: What the run asks

  func connect() {
    let client = WebSocketClient(configuration, loop: loop, handler: self)
    self.client = client
    client.connect()
    if sweep == nil { scheduleSweep() }
  }

  /// Begins to evaluate, in the mode that does.
  func startTraffic() {
    guard options.mode == .evaluate else { return }
    isEvaluating = true
    for session in guests.keys { evaluateMore(session) }
    flush()
  }

  /// Answers whether the host will tell that it is drained.
  func stopTraffic() {
    isEvaluating = false
    isStopping = true
    tellIfDrained()
  }

  /// Cuts the socket without a word; the host comes back with its identity.
  func cut() {
    guard let client, identity != nil else { return }
    isCut = true
    counts.cuts += 1
    client.abort()
  }

  func close() {
    isClosed = true
    sweep?.cancel()
    sweep = nil
    client?.close(code: CloseCode.finished.rawValue, reason: "the load run is over")
  }

  var tally: LoadTally {
    var tally = counts
    for guest in guests.values {
      tally.add(guest.messages)
      // Scripts end with their page, also if it left while this host was away.
      if !left.contains(guest.document) { tally.lost += UInt64(guest.scripts.count) }
    }
    return tally
  }

  func takeSample() -> (tally: LoadTally, recent: Histogram) {
    defer { recent = Histogram() }
    return (tally, recent)
  }

  // MARK: The socket

  func opened(_ client: WebSocketClient) {
    var writer = JSONWriter()
    writer.raw(#"{"hello":{"role":"host","app":"#)
    writer.string(options.app)
    writer.raw(#","epoch":"#)
    writer.string(epoch)
    if let identity {
      writer.raw(#","instance":"#)
      writer.string(identity.instance)
      writer.raw(#","key":"#)
      writer.string(identity.key)
    }
    writer.raw(#","name":"load"}}"#)
    client.send(writer.bytes)
  }

  func received(_ client: WebSocketClient, text: UnsafeRawBufferPointer) {
    do {
      if Wrapper.matches(text) {
        try message(text)
      } else {
        try control(try WireValue(json: text))
      }
    } catch {
      counts.corrupted += 1
    }
  }

  func turnEnded(_ client: WebSocketClient) {
    flush()
    tellIfDrained()
  }

  func closed(_ client: WebSocketClient, code: UInt16, reason: String) {
    self.client = nil
    outbox.removeAll()
    guard !isClosed else { return }
    guard identity != nil else {
      events.send(.hostRefused(code: code, reason: reason))
      return
    }
    if !isCut { counts.disconnects += 1 }
    isCut = false
    for (session, guest) in guests {
      if let document = guest.session.currentDocument { guests[session]?.session.away(document: document) }
    }
    let longest = Double(min(100 << min(attempts, 5), 2_000))
    attempts += 1
    loop.schedule(after: .milliseconds(Int64(Double.random(in: 0...longest)))) { [weak self] in
      guard let self, !isClosed else { return }
      connect()
    }
  }

  private func flush() {
    guard !outbox.isEmpty, let client else { return }
    client.send(outbox)
    outbox.removeAll(keepingCapacity: true)
  }

  // MARK: Control values

  private func control(_ value: WireValue) throws {
    guard let member = value.object?.first else { return }
    switch member.name {
    case "welcome":
      guard let instance = member.value["instance"]?.string, let key = member.value["key"]?.string else {
        throw WireError(.wrongShape, "welcome without instance or key")
      }
      attempts = 0
      if identity == nil { events.send(.hostReady) } else { counts.resumes += 1 }
      for (session, guest) in guests where left.contains(guest.document) { forget(session) }
      identity = (instance, key)
    case "open":
      guard let (session, document) = Self.names(member.value) else {
        throw WireError(.wrongShape, "open without names")
      }
      if guests[session] == nil {
        guests[session] = Guest(session: HostSession(session: session, epoch: epoch), document: document)
      }
      var writer = JSONWriter()
      writer.raw(#"{"opened":{"session":"#)
      writer.string(session)
      writer.raw(#","document":"#)
      writer.string(document)
      writer.raw(#","config":{"handlers":["#)
      writer.string(options.handler)
      writer.raw(#"],"settings":{},"version":1}}}"#)
      outbox.append(writer.bytes)
    case "attached":
      guard let (session, document) = Self.names(member.value),
        let attach = member.value["attach"]?.number.flatMap({ Int(whole: $0) })
      else { throw WireError(.wrongShape, "attached without names or number") }
      perform(guests[session]?.session.attached(document: document, attach: attach) ?? [], session)
      evaluateMore(session)
    case "away":
      guard let (session, document) = Self.names(member.value) else { break }
      guests[session]?.session.away(document: document)
      if member.value["leaving"]?.bool == true { forget(session) }
    default: break
    }
  }

  private static func names(_ value: WireValue) -> (session: String, document: String)? {
    guard let session = value["session"]?.string, let document = value["document"]?.string else { return nil }
    return (session, document)
  }

  /// A page that left takes its session with it, and the scripts that it was to run: simulated pages have no second document.
  private func forget(_ session: String) {
    guard options.pages > 0, let guest = guests.removeValue(forKey: session) else { return }
    counts.add(guest.messages)
    dueAcknowledgements.remove(session)
    var writer = JSONWriter()
    writer.raw(#"{"end":{"session":"#)
    writer.string(session)
    writer.raw("}}")
    outbox.append(writer.bytes)
  }

  // MARK: Bridge messages

  private func message(_ text: UnsafeRawBufferPointer) throws {
    let session = String(
      decoding: text[Wrapper.sessionOffset..<Wrapper.sessionOffset + Identifiers.sessionLength], as: UTF8.self
    )
    let document = String(
      decoding: text[Wrapper.documentOffset..<Wrapper.documentOffset + Identifiers.documentLength],
      as: UTF8.self)
    let envelope = try Envelope(Array(text[Wrapper.prefixLength..<text.count - Wrapper.suffixLength]))
    perform(try guests[session]?.session.receive(document: document, envelope) ?? [], session)
  }

  private func perform(_ actions: [HostSession.Action], _ session: String) {
    for action in actions {
      switch action {
      case .send(let document, let bytes):
        outbox.append(Wrapper.prefix(session: session, document: document) + bytes + [UInt8(ascii: "]")])
      case .deliver(let document, let envelope, let number):
        if envelope.method == "message" { handle(envelope, session, document) }
        perform(guests[session]?.session.done(document: document, number: number) ?? [], session)
      case .acknowledgeLater: dueAcknowledgements.insert(session)
      case .finish(let call, let end): finished(call, end, session)
      case .refused: counts.skipped += 1
      case .synced, .expectCarried: break
      }
    }
  }

  private func handle(_ envelope: Envelope, _ session: String, _ document: String) {
    guard let params = envelope.params, let body = Self.body(params) else {
      counts.corrupted += 1
      return
    }
    guard let mark = MessageMark(body) else {
      // A real page's own message.
      counts.messages += 1
      if let id = envelope.id { answer(session, document, id, Array(body)) }
      return
    }
    counts.messages += 1
    guests[session]?.messages.accept(mark.number)
    if !body.elementsEqual(bodies.bytes(page: mark.page, number: mark.number)) { counts.corrupted += 1 }
    if let id = envelope.id { answer(session, document, id, Array(body)) }
    if mark.wantsScript { evaluate(Array(body), session) }
  }

  private func answer(_ session: String, _ document: String, _ id: String, _ body: [UInt8]) {
    perform(guests[session]?.session.answer(document: document, id: id, result: body) ?? [], session)
  }

  /// The text of a message's body.
  ///
  /// Simulated pages write `handler` and `body` only, in this order; those of real pages are read as JSON.
  private static func body(_ params: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let marker = StaticString(#","body":{"page":"#)
    let length = marker.utf8CodeUnitCount
    var at = params.startIndex
    let last = min(params.endIndex - length, params.startIndex + 300)
    while at < last {
      if params[at] == UInt8(ascii: ","),
        (0..<length).allSatisfy({ params[at + $0] == marker.utf8Start[$0] })
      {
        return params[(at + 8)..<(params.endIndex - 1)]
      }
      at += 1
    }
    guard let value = try? WireValue(json: Array(params)), let body = value["body"] else { return nil }
    var writer = JSONWriter()
    do {
      try writer.value(body)
    } catch {
      return nil
    }
    return writer.bytes[...]
  }

  // MARK: Scripts

  private func evaluateMore(_ session: String) {
    guard isEvaluating, let guest = guests[session], guest.session.isAttached else { return }
    for _ in guest.scripts.count..<max(options.messageDepth, guest.scripts.count) {
      let number = (guests[session]?.scriptCount ?? 0) + 1
      guests[session]?.scriptCount = number
      evaluate(bodies.bytes(page: index, number: number), session)
    }
  }

  /// Evaluates an object's text, which is then its value.
  private func evaluate(_ value: [UInt8], _ session: String) {
    guard let call = guests[session]?.session.nextCallID() else { return }
    guests[session]?.scripts[call] = (LoadClock.now, value)
    var writer = JSONWriter(capacity: value.count * 5 / 4 + 32)
    writer.raw(#"{"source":"#)
    writer.string(utf8: [UInt8(ascii: "(")] + value + [UInt8(ascii: ")")])
    writer.raw("}")
    perform(
      guests[session]?.session.call(call, method: "evaluate", params: writer.bytes) ?? [], session)
  }

  private func finished(_ call: String, _ end: HostSession.CallEnd, _ session: String) {
    guard let script = guests[session]?.scripts.removeValue(forKey: call) else {
      counts.doubled += 1
      return
    }
    switch end {
    case .result(let bytes):
      counts.messages += 1
      if bytes != script.value { counts.corrupted += 1 }
      if options.mode == .evaluate {
        let time = LoadClock.now &- script.sent
        counts.roundTrips.record(time)
        recent.record(time)
      }
    case .error: counts.corrupted += 1
    case .pageReplaced, .pageGone: break
    case .refused: counts.skipped += 1
    }
    evaluateMore(session)
  }

  private func tellIfDrained() {
    guard isStopping, guests.values.allSatisfy({ $0.scripts.isEmpty || left.contains($0.document) }) else {
      return
    }
    isStopping = false
    events.send(.drained)
  }

  private func scheduleSweep() {
    sweep = loop.schedule(after: Limits.acknowledgeDelay) { [weak self] in
      guard let self, self.sweep != nil else { return }
      for session in self.dueAcknowledgements {
        self.perform(self.guests[session]?.session.acknowledge() ?? [], session)
      }
      self.dueAcknowledgements.removeAll(keepingCapacity: true)
      self.flush()
      self.scheduleSweep()
    }
  }
}
