import BridgeProtocol
import BridgeSession
import WebSocketTransport

/// One simulated host: it opens every session that it is asked for and answers each message with its own body.
///
/// `@unchecked Sendable`: after `init` it is touched only on its loop's thread.
final class LoadHost: WebSocketClientHandler, @unchecked Sendable {
  private struct Guest {
    var session: HostSession
    var messages = SequenceCheck()
  }

  private let options: LoadOptions
  private let events: LoadEvents
  private let epoch: String
  private let loop: ServiceLoop
  private var guests: [String: Guest] = [:]
  private var dueAcknowledgements: Set<String> = []
  private var client: WebSocketClient?
  private var outbox: [[UInt8]] = []
  private var received: UInt64 = 0
  private var corrupted: UInt64 = 0
  private var isWelcome = false
  private var sweep: TimerToken?

  init(index: Int, options: LoadOptions, events: LoadEvents, loop: ServiceLoop) {
    self.options = options
    self.events = events
    self.loop = loop
    let digits = String(index, radix: 16)
    epoch = "load" + String(repeating: "0", count: Identifiers.epochLength - 4 - digits.count) + digits
  }

  func connect(_ configuration: WebSocketClientConfiguration) {
    let client = WebSocketClient(configuration, loop: loop, handler: self)
    self.client = client
    client.connect()
    scheduleSweep()
  }

  func close() {
    sweep?.cancel()
    sweep = nil
    client?.close(code: CloseCode.finished.rawValue, reason: "the load run is over")
  }

  var tally: LoadTally {
    var tally = LoadTally(messages: received, corrupted: corrupted)
    for guest in guests.values {
      tally.lost += guest.messages.lost
      tally.doubled += guest.messages.doubled
      tally.reordered += guest.messages.reordered
    }
    return tally
  }

  func opened(_ client: WebSocketClient) {
    var writer = JSONWriter()
    writer.raw(#"{"hello":{"role":"host","app":"#)
    writer.string(options.app)
    writer.raw(#","epoch":"#)
    writer.string(epoch)
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
      corrupted += 1
    }
  }

  func turnEnded(_ client: WebSocketClient) {
    flush()
  }

  func closed(_ client: WebSocketClient, code: UInt16, reason: String) {
    self.client = nil
    events.send(.hostClosed(code: code, reason: reason, wasConnecting: !isWelcome))
  }

  private func control(_ value: WireValue) throws {
    guard let member = value.object?.first else { return }
    switch member.name {
    case "welcome":
      isWelcome = true
      events.send(.hostReady)
    case "open":
      guard let (session, document) = Self.names(member.value) else {
        throw WireError(.wrongShape, "open without names")
      }
      if guests[session] == nil {
        guests[session] = Guest(session: HostSession(session: session, epoch: epoch))
      }
      var writer = JSONWriter()
      writer.raw(#"{"opened":{"session":"#)
      writer.string(session)
      writer.raw(#","document":"#)
      writer.string(document)
      writer.raw(#","config":{"handlers":["echo"],"settings":{},"version":1}}}"#)
      outbox.append(writer.bytes)
    case "attached":
      guard let (session, document) = Self.names(member.value),
        let attach = member.value["attach"]?.number.flatMap({ Int(whole: $0) })
      else { throw WireError(.wrongShape, "attached without names or number") }
      perform(guests[session]?.session.attached(document: document, attach: attach) ?? [], session)
    case "away":
      if let (session, document) = Self.names(member.value) {
        guests[session]?.session.away(document: document)
      }
    default: break
    }
  }

  private static func names(_ value: WireValue) -> (session: String, document: String)? {
    guard let session = value["session"]?.string, let document = value["document"]?.string else { return nil }
    return (session, document)
  }

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
        echo(envelope, session, document)
        perform(guests[session]?.session.done(document: document, number: number) ?? [], session)
      case .acknowledgeLater: dueAcknowledgements.insert(session)
      case .finish, .refused, .synced: break
      }
    }
  }

  private func echo(_ envelope: Envelope, _ session: String, _ document: String) {
    let marker = Array(#""body":"#.utf8)
    // The body is the last member that the page writes: it is what follows the marker, less the closing brace.
    guard let id = envelope.id, let params = envelope.params, let number = EchoBody.number(in: params),
      let start = params.indices.first(where: { params[$0...].starts(with: marker) })
    else {
      corrupted += 1
      return
    }
    received += 1
    guests[session]?.messages.accept(number)
    let body = Array(params[(start + marker.count)..<(params.endIndex - 1)])
    perform(guests[session]?.session.answer(document: document, id: id, result: body) ?? [], session)
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

  private func flush() {
    guard !outbox.isEmpty, let client else { return }
    client.send(outbox)
    outbox.removeAll(keepingCapacity: true)
  }
}
