import BridgeProtocol

/// One end of the numbered conversation with one document: nothing is lost, doubled or reordered, whatever its sockets do.
///
/// It holds no socket and no clock: the driver gives it what comes, carries out the ``Action`` values that it answers, and
/// calls ``acknowledge()`` some time after ``Action/acknowledgeLater``. The host's numbers belong to (document, epoch), the
/// page's to the document. See "Nothing is lost" in the protocol article.
public struct DocumentChannel: Sendable {
  /// Which end this is.
  public enum Role: Sendable {
    /// The Swift program's; its numbers begin anew with each epoch.
    case host
    /// The document's; its numbers run on over epochs.
    case page
  }

  /// What the driver has to do.
  public enum Action: Sendable {
    /// Put this text on the wire; a host wraps it first.
    case send([UInt8])
    /// Handle this message and call ``DocumentChannel/done(_:)`` with the number when its handler has run.
    case deliver(Envelope, number: Int)
    /// Give this message to the channel of the document that it comes from, and call ``DocumentChannel/done(_:)`` with the
    /// number once it is handled there.
    case carry(Envelope, Envelope.Origin, number: Int)
    /// Call ``DocumentChannel/acknowledge()`` after `Limits.acknowledgeDelay`.
    case acknowledgeLater
    /// The peer's sync came: numbered messages flow from here on.
    case synced(Envelope.Sync)
  }

  private enum State {
    case detached
    case awaitingSync(attach: Int)
    case synced(attach: Int)
  }

  /// Which end this is.
  public let role: Role
  /// The id of the document that the conversation is with, or whose own it is.
  public let document: String
  /// A host's own epoch; a page's last known one, empty before its first sync.
  public private(set) var epoch: String
  private var state = State.detached
  private var outgoing = OutgoingQueue()
  private var incoming = IncomingSequence()
  private var sentThrough = 0
  private var peerReceived = 0
  private var unreceivedBytes = 0
  private var askedAgain = false
  private var acknowledgementIsDue = false
  /// The last of this end's numbers that carries a message of an earlier document.
  private var carriedThrough = 0

  /// Messages that came twice and were dropped, for metrics.
  public private(set) var doubles = 0
  /// How often something came that showed that something before it was lost, for metrics.
  public private(set) var gaps = 0
  private var syncs = 0
  private var redeliveries = 0
  /// The driver's clock, for the age of messages; nothing is decided by it.
  private let clock: @Sendable () -> Duration

  /// Makes a channel that has no socket yet.
  ///
  /// - Parameters:
  ///   - role: which end this is.
  ///   - document: the document's id.
  ///   - epoch: a host's own; empty for a page.
  ///   - clock: for the age of messages in ``delivery``; nothing is decided by it.
  public init(
    role: Role, document: String, epoch: String, clock: @escaping @Sendable () -> Duration = { .zero }
  ) {
    self.role = role
    self.document = document
    self.epoch = epoch
    self.clock = clock
  }

  /// How the messages stand.
  public var delivery: DeliveryCounts {
    var counts = DeliveryCounts()
    let sent = max(sentThrough, outgoing.base - 1)
    counts.inFlight = max(0, sent - max(peerReceived, outgoing.base - 1))
    counts.waiting = outgoing.nextNumber - 1 - sent
    counts.held = outgoing.count
    counts.bytes = outgoing.bytes
    counts.oldest = outgoing.count > 0 ? outgoing[outgoing.base].queued : nil
    counts.resumes = max(0, syncs - 1)
    counts.gaps = gaps
    counts.doubles = doubles
    counts.redeliveries = redeliveries
    return counts
  }

  /// The highest number received without a gap.
  var received: Int { incoming.received }
  /// The highest number that was handled with all before it.
  var handled: Int { incoming.done }
  /// What is kept of what was received when the document is forgotten.
  var remnant: IncomingSequence.Remnant { incoming.remnant }

  /// Whether a socket is up for this document.
  public var isAttached: Bool {
    switch state {
    case .detached: false
    case .awaitingSync, .synced: true
    }
  }

  /// Whether numbered messages flow.
  public var isSynced: Bool {
    switch state {
    case .detached, .awaitingSync: false
    case .synced: true
    }
  }

  /// Wire messages that the peer has not yet handled, sent or not.
  public var pendingMessages: Int { outgoing.count }
  /// The number of the last message that was given to ``send(_:)``; 0 before the first.
  public var lastNumber: Int { outgoing.nextNumber - 1 }
  /// Their bytes.
  public var pendingBytes: Int { outgoing.bytes }
  /// Whether everything that was given to ``send(_:)`` is on the wire.
  public var isDrained: Bool { sentThrough == outgoing.nextNumber - 1 }

  /// A socket is up; the relay's attach number says which.
  public mutating func attach(_ attach: Int) -> [Action] {
    state = .awaitingSync(attach: attach)
    askedAgain = false
    return [.send(sync(attach).bytes)]
  }

  /// The socket is gone; what was not acknowledged stays.
  public mutating func detach() {
    state = .detached
  }

  /// Queues one message and puts on the wire what the window allows.
  ///
  /// - Parameter message: the message's text without counters and without its opening brace, such as
  ///   `"method":"stop","params":{}}`.
  /// - Throws: ``ChannelError`` `messageTooBig` or `retentionFull`; nothing is queued then.
  public mutating func send(_ message: [UInt8]) throws(ChannelError) -> [Action] {
    try Self.check(message)
    guard outgoing.bytes + message.count <= Limits.retentionBytes else {
      throw ChannelError(
        .retentionFull, "too much waits for acknowledgement",
        context: "limit \(Limits.retentionBytes) bytes, \(outgoing.bytes) wait, \(message.count) more asked")
    }
    let bodies = OutgoingQueue.bodies(of: message)
    let now = clock()
    for (index, body) in bodies.enumerated() {
      outgoing.append(body, isLast: index == bodies.count - 1, queued: now)
    }
    return flow()
  }

  /// What a page has to leave to the next document of its tab.
  public var carried: [CarriedMessage] { outgoing.carried(of: document) }

  /// The page is left: what it has to leave to the next document of its tab.
  ///
  /// Should it return, that one may have sent them to a host that is another by then: they are marked for a later epoch.
  public mutating func leave() -> [CarriedMessage] {
    let left = carried
    outgoing.noteLeft(epoch: epoch)
    return left
  }

  /// Sends on what an earlier document left; what comes back to a document that holds it already is passed over.
  public mutating func carry(_ messages: [CarriedMessage]) -> [Action] {
    let held = Set(carried.map(\.origin))
    for message in messages where message.origin.document != document && !held.contains(message.origin) {
      outgoing.append(message, queued: clock())
      carriedThrough = outgoing.nextNumber - 1
    }
    return flow()
  }

  /// Refuses a message that no channel would take.
  static func check(_ message: [UInt8]) throws(ChannelError) {
    guard message.count <= Limits.maxMessageBytes else {
      throw ChannelError(
        .messageTooBig, "a bridge message is too large",
        context: "limit \(Limits.maxMessageBytes) bytes, size \(message.count) bytes")
    }
  }

  /// Takes one message of the peer.
  ///
  /// - Throws: ``ChannelError`` or `WireError` when the peer broke the rules; the conversation is over then.
  public mutating func receive(_ envelope: Envelope) throws -> [Action] {
    if let sync = envelope.sync { return try receive(sync) }
    guard isSynced else { return [] }
    try acknowledged(received: envelope.received, done: envelope.done)
    guard let number = envelope.number else { return flow() }
    switch incoming.accept(number, bytes: envelope.text.count) {
    case .double:
      doubles += 1
      return flow() + acknowledgementActions()
    case .gap:
      gaps += 1
      guard !askedAgain, case .synced(let attach) = state else { return flow() }
      askedAgain = true
      return [.send(sync(attach).bytes)] + flow()
    case .next:
      askedAgain = false
      if envelope.isAgain { redeliveries += 1 }
    }
    var actions: [Action] = []
    if let origin = envelope.origin {
      actions.append(.carry(envelope, origin, number: number))
    } else if let part = envelope.part {
      if let whole = try incoming.add(envelope, part) {
        incoming.deliver(number)
        actions.append(.deliver(whole, number: number))
      }
    } else {
      incoming.deliver(number)
      actions.append(.deliver(envelope, number: number))
    }
    return actions + flow() + acknowledgementActions()
  }

  /// Goes on behind what was received when the document was known before.
  mutating func resume(_ remnant: IncomingSequence.Remnant) {
    incoming.resume(remnant)
  }

  /// What came of a message that another document carried.
  enum Carried {
    /// It is whole: to be handled.
    case whole(Envelope)
    /// A part that others follow.
    case part
    /// It came already, by its own document or by another one.
    case double
  }

  /// Takes a message of this document that another one sends on.
  ///
  /// Numbers that are passed over are those under which this document itself carried what others bring under their own
  /// names now, or what a host before this one has handled.
  ///
  /// - Throws: ``ChannelError`` or `WireError` when it does not fit those before it.
  mutating func receiveCarried(_ envelope: Envelope, _ number: Int) throws -> Carried {
    if number > incoming.received + 1 { incoming.skip(through: number - 1) }
    guard case .next = incoming.accept(number, bytes: envelope.text.count) else {
      doubles += 1
      // A message's parts are done together, or its carrier would keep some of them only.
      if let part = envelope.part, part.index < part.count { return .part }
      return .double
    }
    guard let part = envelope.part else {
      incoming.deliver(number)
      return .whole(envelope)
    }
    guard let whole = try incoming.add(envelope, part) else { return .part }
    incoming.deliver(number)
    return .whole(whole)
  }

  /// Notes that a carried message waits for its own document's handler.
  mutating func holdCarried(_ number: Int) {
    incoming.deliver(number)
  }

  /// The handler of a delivered message has run, or its script was given to the engine.
  public mutating func done(_ number: Int) -> [Action] {
    incoming.finish(number)
    return acknowledgementActions()
  }

  /// Acknowledges what has not been acknowledged yet.
  public mutating func acknowledge() -> [Action] {
    acknowledgementIsDue = false
    guard isSynced, !incoming.isAnnounced else { return [] }
    return [.send(bareAcknowledgement())]
  }

  private mutating func receive(_ sync: Envelope.Sync) throws -> [Action] {
    let attach: Int
    switch state {
    case .detached: return []
    case .awaitingSync(let number), .synced(let number): attach = number
    }
    guard sync.attach == attach, sync.document == document else { return [] }
    var received = sync.received
    switch role {
    case .host:
      // A page that has not met this epoch counts another epoch's numbers.
      if sync.epoch != epoch { received = 0 }
    case .page:
      if sync.epoch != epoch {
        epoch = sync.epoch
        incoming.restart(after: max(0, sync.base - 1))
      }
    }
    if sync.base > incoming.received + 1 {
      // What came before was handled by a predecessor of this end: it is new to the conversation, or the page has not met it.
      let hasPredecessor = incoming.received == 0 || (role == .host && sync.epoch != epoch)
      guard hasPredecessor else {
        throw ChannelError(
          .lost, "the peer no longer holds what was not received",
          context: "received \(incoming.received), the peer's oldest \(sync.base)")
      }
      incoming.skip(through: sync.base - 1)
    }
    guard received < outgoing.nextNumber else { throw tooMuch(received) }
    // One that is repeated for a gap begins nothing.
    if !isSynced { syncs += 1 }
    state = .synced(attach: attach)
    peerReceived = max(received, outgoing.base - 1)
    sentThrough = peerReceived
    unreceivedBytes = 0
    // The peer still holds what was handled: that acknowledgement died with a socket.
    if sync.base <= incoming.done { incoming.noteUnheard() }
    return [.synced(sync)] + flow() + acknowledgementActions()
  }

  private mutating func acknowledged(received: Int?, done: Int?) throws(ChannelError) {
    if let received, received > peerReceived {
      guard received <= sentThrough else { throw tooMuch(received) }
      for number in max(peerReceived + 1, outgoing.base)..<max(received + 1, outgoing.base) {
        unreceivedBytes -= outgoing[number].body.count
      }
      peerReceived = received
    }
    if let done, done >= outgoing.base {
      guard done <= peerReceived else { throw tooMuch(done) }
      outgoing.forget(through: done)
    }
  }

  private func tooMuch(_ number: Int) -> ChannelError {
    ChannelError(
      .acknowledgedTooMuch, "the peer acknowledged what was never sent",
      context: "number \(number), sent through \(sentThrough)")
  }

  /// Sends what waits, as far as the window allows.
  private mutating func flow() -> [Action] {
    guard isSynced else { return [] }
    var actions: [Action] = []
    while sentThrough + 1 < outgoing.nextNumber {
      let number = sentThrough + 1
      let size = outgoing[number].body.count
      guard sentThrough - peerReceived < Limits.windowMessages,
        unreceivedBytes + size <= Limits.windowBytes
      else { break }
      actions.append(.send(wire(number)))
      outgoing.noteSent(number, epoch: epoch)
      sentThrough = number
      unreceivedBytes += size
    }
    return actions
  }

  private mutating func wire(_ number: Int) -> [UInt8] {
    let item = outgoing[number]
    var writer = JSONWriter(capacity: item.body.count + 64)
    writer.raw(#"{"n":"#)
    writer.integer(number)
    writer.raw(#","a":"#)
    writer.integer(incoming.received)
    writer.raw(#","d":"#)
    writer.integer(incoming.done)
    writer.raw(",")
    if let sentTo = item.epoch, sentTo != epoch {
      redeliveries += 1
      writer.raw(#""again":true,"#)
    }
    if let origin = item.origin {
      writer.raw(#""from":{"document":"#)
      writer.string(origin.document)
      writer.raw(#","n":"#)
      writer.integer(origin.number)
      writer.raw("},")
    }
    writer.raw(item.body)
    incoming.announce()
    return writer.bytes
  }

  private mutating func acknowledgementActions() -> [Action] {
    guard isSynced, !incoming.isAnnounced else { return [] }
    if incoming.wantsAcknowledgement { return [.send(bareAcknowledgement())] }
    guard !acknowledgementIsDue else { return [] }
    acknowledgementIsDue = true
    return [.acknowledgeLater]
  }

  private mutating func bareAcknowledgement() -> [UInt8] {
    incoming.announce()
    var writer = JSONWriter(capacity: 32)
    writer.raw(#"{"a":"#)
    writer.integer(incoming.received)
    writer.raw(#","d":"#)
    writer.integer(incoming.done)
    writer.raw("}")
    return writer.bytes
  }

  private func sync(_ attach: Int) -> Envelope.Sync {
    Envelope.Sync(
      attach: attach, document: document, epoch: epoch, base: outgoing.base, received: incoming.received,
      carried: carriedThrough)
  }
}
