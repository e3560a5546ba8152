import BridgeProtocol

/// The host's side of one session: its documents, one after another, and the calls that wait for an answer.
///
/// It decides and does nothing: the driver carries out the ``Action`` values. Each call ends exactly once.
public struct HostSession: Sendable {
  /// How a call ended.
  public enum CallEnd: Sendable {
    /// The bytes of the answer's `result`.
    case result([UInt8])
    /// The bytes of the answer's `error`.
    case error([UInt8])
    /// Another document took the place of the one that was asked.
    case pageReplaced
    /// The session ended.
    case pageGone
    /// The message was refused on this side; nothing was sent.
    case refused(ChannelError)
  }

  /// What the driver has to do.
  public enum Action: Sendable {
    /// Put this text on the wire, wrapped for that document.
    case send(document: String, [UInt8])
    /// Handle this message of the page and call ``HostSession/done(document:number:)``; answers to calls never come here.
    case deliver(document: String, Envelope, number: Int)
    /// A call has ended.
    case finish(call: String, CallEnd)
    /// A message without a call was refused on this side; nothing was sent.
    case refused(ChannelError)
    /// Call ``HostSession/acknowledge()`` after `Limits.acknowledgeDelay`.
    case acknowledgeLater
    /// The document says that it carries messages of earlier ones: call ``HostSession/endCarrying(document:)`` after
    /// `Limits.carriedTimeout`.
    case expectCarried(document: String)
    /// The document's page is there and heard: messages flow.
    case synced(document: String)
  }

  private struct Waiting {
    let call: String?
    let message: [UInt8]
    var queued = Duration.zero
  }

  /// The session's id.
  public let session: String
  /// The life of the host's process, which ids of calls begin with.
  public let epoch: String
  /// The document whose socket came last; nil before the first one.
  public private(set) var currentDocument: String?
  /// Answers whose call is not known, for metrics.
  public private(set) var unknownAnswers = 0

  private var channels: [String: DocumentChannel] = [:]
  /// Documents in the order of their last attach, oldest first.
  private var order: [String] = []
  /// Calls without an end, with the document that was asked; nil while they wait for one.
  private var calls: [String: String?] = [:]
  private var callCount = 0
  private var waiting: [Waiting] = []
  private var waitingBytes = 0
  /// The current document while messages of earlier ones are to come with it, through that number of its own.
  private var carrying: (document: String, through: Int)?
  /// Carried messages whose own documents have not handled them yet, by that document.
  private var carried: [String: [Carried]] = [:]

  private struct Carried {
    /// Its number in its own document.
    let number: Int
    /// The document that carried it, and its number there.
    let carrier: String
    let carrierNumber: Int
  }

  /// The driver's clock, for the age of messages.
  private let clock: @Sendable () -> Duration
  /// What documents counted that are forgotten.
  private var history = DeliveryCounts()
  /// What was received of them, so that a message that comes late by another document is not taken twice.
  private var forgotten = ReceivedNumbers()

  /// Makes a session that no document has come to yet.
  ///
  /// - Parameters:
  ///   - session: its id.
  ///   - epoch: the life of the host's process.
  ///   - clock: for the age of messages in ``delivery``; nothing is decided by it.
  public init(
    session: String, epoch: String, clock: @escaping @Sendable () -> Duration = { .zero }
  ) {
    self.session = session
    self.epoch = epoch
    self.clock = clock
  }

  /// Whether the current document's socket is up.
  public var isAttached: Bool {
    currentDocument.flatMap { channels[$0] }?.isAttached ?? false
  }

  /// The highest number that came of a document without a gap.
  public func received(document: String) -> Int { channels[document]?.received ?? 0 }

  /// Calls that have not ended.
  public var pendingCalls: Int { calls.count }

  /// How the messages of all documents stand.
  public var delivery: DeliveryCounts {
    var counts = history
    for (document, channel) in channels {
      // What a document that was left has not handled nobody waits for.
      if document == currentDocument {
        counts.add(channel.delivery)
      } else {
        counts.addHistory(of: channel.delivery)
      }
    }
    counts.waiting += waiting.count
    counts.held += waiting.count
    counts.bytes += waitingBytes
    counts.oldest = [counts.oldest, waiting.first?.queued].compactMap(\.self).min()
    return counts
  }

  /// Whether nothing waits to be sent to the current document or the next.
  public var isDrained: Bool {
    waiting.isEmpty && (currentDocument.flatMap { channels[$0] }?.isDrained ?? true)
  }

  /// A document's socket is up.
  public mutating func attached(document: String, attach: Int) -> [Action] {
    if let currentDocument, currentDocument != document { channels[currentDocument]?.detach() }
    currentDocument = document
    carrying = nil
    var actions = remember(document)
    actions += translate(channels[document]!.attach(attach), document)
    // What was called while nobody was there belongs to whoever comes.
    let messages = waiting
    waiting = []
    waitingBytes = 0
    for message in messages { actions += send(message, to: document) }
    return actions
  }

  /// A document's socket is gone.
  public mutating func away(document: String) {
    channels[document]?.detach()
  }

  /// Takes one message of a document.
  ///
  /// - Throws: ``ChannelError`` or `WireError` when the page broke the rules; the session is to be ended then.
  public mutating func receive(document: String, _ envelope: Envelope) throws -> [Action] {
    guard channels[document] != nil else { return [] }
    var actions: [Action] = []
    for action in try channels[document]!.receive(envelope) {
      if case .carry(let carried, let origin, let number) = action {
        actions += try receive(carried, origin, by: document, number)
      } else {
        actions += translate([action], document)
      }
    }
    return actions
  }

  /// The handler of a delivered message has run.
  public mutating func done(document: String, number: Int) -> [Action] {
    guard channels[document] != nil else { return [] }
    return translate(channels[document]!.done(number), document) + finishCarried(of: document)
  }

  /// Ends the calls of earlier documents although what that one carries has not all come.
  public mutating func endCarrying(document: String) -> [Action] {
    guard carrying?.document == document else { return [] }
    carrying = nil
    return replaceCalls(except: document)
  }

  /// Takes a message of an earlier document, which its own sequence orders and frees of doubles.
  private mutating func receive(
    _ envelope: Envelope, _ origin: Envelope.Origin, by document: String, _ number: Int
  ) throws -> [Action] {
    var actions: [Action] = []
    if origin.document == document {
      // A page that carries messages of its own has them here already, or breaks the rules to no effect.
      channels[document]!.holdCarried(number)
      actions = translate(channels[document]!.done(number), document)
    } else {
      actions = rememberEarlier(origin.document)
      switch try channels[origin.document]!.receiveCarried(envelope, origin.number) {
      case .part: break
      case .whole(let whole):
        hold(origin, by: document, number)
        actions += deliver(whole, origin.number, of: origin.document)
      case .double:
        hold(origin, by: document, number)
        actions += finishCarried(of: origin.document)
      }
    }
    if let carrying, carrying.document == document, number >= carrying.through {
      actions += endCarrying(document: document)
    }
    return actions
  }

  /// The carrier may forget the message once its own document's handler has run.
  private mutating func hold(_ origin: Envelope.Origin, by document: String, _ number: Int) {
    channels[document]!.holdCarried(number)
    carried[origin.document, default: []].append(
      Carried(number: origin.number, carrier: document, carrierNumber: number))
  }

  private mutating func finishCarried(of document: String) -> [Action] {
    guard let held = carried[document], let handled = channels[document]?.handled else { return [] }
    let rest = held.filter { $0.number > handled }
    carried[document] = rest.isEmpty ? nil : rest
    var actions: [Action] = []
    for each in held where each.number <= handled && channels[each.carrier] != nil {
      // A document that was itself carried by the next one has its own carriers to free.
      actions += done(document: each.carrier, number: each.carrierNumber)
    }
    return actions
  }

  /// Acknowledges what is due on every document.
  public mutating func acknowledge() -> [Action] {
    guard let document = currentDocument, channels[document] != nil else { return [] }
    return translate(channels[document]!.acknowledge(), document)
  }

  /// Mints the id of the next call, `<epoch>-<count>`.
  public mutating func nextCallID() -> String {
    callCount += 1
    return "\(epoch)-\(callCount)"
  }

  /// Sends a call and keeps its id until its end.
  ///
  /// - Parameters:
  ///   - id: one that ``nextCallID()`` gave.
  ///   - method: `evaluate`, for instance.
  ///   - params: the bytes of a JSON object.
  public mutating func call(_ id: String, method: String, params: [UInt8]) -> [Action] {
    calls[id] = .some(nil)
    return sendOrWait(Waiting(call: id, message: Self.message(method: method, id: id, params: params)))
  }

  /// Sends a message that wants no answer; ``Action/refused(_:)`` tells if it could not be kept.
  public mutating func notify(method: String, params: [UInt8]) -> [Action] {
    sendOrWait(Waiting(call: nil, message: Self.message(method: method, id: nil, params: params)))
  }

  /// Answers a message of a page that carried an id; dropped if that document's socket is not the current one.
  public mutating func answer(document: String, id: String, result: [UInt8]) -> [Action] {
    answer(document: document, id: id, member: #","result":"#, result)
  }

  /// Answers a message of a page with an error: the bytes of `{"code", "message", "data"?}`.
  public mutating func answer(document: String, id: String, error: [UInt8]) -> [Action] {
    answer(document: document, id: id, member: #","error":"#, error)
  }

  /// Forgets a call that the caller ended itself, such as by a timeout: it is not sent any more, or its answer is dropped.
  public mutating func forget(call: String) {
    calls[call] = nil
    guard let index = waiting.firstIndex(where: { $0.call == call }) else { return }
    waitingBytes -= waiting.remove(at: index).message.count
  }

  /// The session is over: every call ends.
  public mutating func end() -> [Action] {
    let ended = calls.keys.sorted { Self.count($0) < Self.count($1) }
    calls = [:]
    waiting = []
    waitingBytes = 0
    for document in channels.keys { channels[document]?.detach() }
    return ended.map { .finish(call: $0, .pageGone) }
  }

  private static func message(method: String, id: String?, params: [UInt8]) -> [UInt8] {
    var writer = JSONWriter(capacity: params.count + 64)
    if let id {
      writer.raw(#""id":"#)
      writer.string(id)
      writer.raw(",")
    }
    writer.raw(#""method":"#)
    writer.string(method)
    writer.raw(#","params":"#)
    writer.raw(params)
    writer.raw("}")
    return writer.bytes
  }

  private mutating func answer(
    document: String, id: String, member: StaticString, _ bytes: [UInt8]
  ) -> [Action] {
    guard document == currentDocument else { return [] }
    var writer = JSONWriter(capacity: bytes.count + 64)
    writer.raw(#""id":"#)
    writer.string(id)
    writer.raw(member)
    writer.raw(bytes)
    writer.raw("}")
    return send(Waiting(call: nil, message: writer.bytes), to: document)
  }

  private mutating func sendOrWait(_ message: Waiting) -> [Action] {
    if let document = currentDocument, channels[document]?.isAttached == true {
      return send(message, to: document)
    }
    do throws(ChannelError) {
      try DocumentChannel.check(message.message)
    } catch {
      return refuse(message, error)
    }
    guard waitingBytes + message.message.count <= Limits.retentionBytes else {
      return refuse(
        message,
        ChannelError(
          .retentionFull, "too much waits for a page",
          context: "limit \(Limits.retentionBytes) bytes, \(waitingBytes) wait"))
    }
    var message = message
    message.queued = clock()
    waiting.append(message)
    waitingBytes += message.message.count
    return []
  }

  private mutating func send(_ message: Waiting, to document: String) -> [Action] {
    do throws(ChannelError) {
      let actions = try channels[document]!.send(message.message)
      if let call = message.call, calls[call] != nil { calls[call] = .some(document) }
      return translate(actions, document)
    } catch {
      return refuse(message, error)
    }
  }

  private mutating func refuse(_ message: Waiting, _ error: ChannelError) -> [Action] {
    guard let call = message.call else { return [.refused(error)] }
    guard calls.removeValue(forKey: call) != nil else { return [] }
    return [.finish(call: call, .refused(error))]
  }

  private mutating func translate(_ actions: [DocumentChannel.Action], _ document: String) -> [Action] {
    var translated: [Action] = []
    translated.reserveCapacity(actions.count)
    for action in actions {
      switch action {
      case .send(let bytes): translated.append(.send(document: document, bytes))
      case .acknowledgeLater: translated.append(.acknowledgeLater)
      case .synced(let sync):
        translated.append(.synced(document: document))
        translated += expectCarried(sync.carried, document)
      case .deliver(let envelope, let number): translated += deliver(envelope, number, of: document)
      case .carry: preconditionFailure("carried messages are taken where they come in")
      }
    }
    return translated
  }

  private mutating func expectCarried(_ through: Int, _ document: String) -> [Action] {
    if through <= channels[document]!.received {
      carrying = nil
      return replaceCalls(except: document)
    }
    defer { carrying = (document, through) }
    return carrying == nil ? [.expectCarried(document: document)] : []
  }

  private mutating func deliver(_ envelope: Envelope, _ number: Int, of document: String) -> [Action] {
    guard envelope.method == nil, let id = envelope.id else {
      return [.deliver(document: document, envelope, number: number)]
    }
    return finish(id, envelope) + done(document: document, number: number)
  }

  private mutating func finish(_ id: String, _ envelope: Envelope) -> [Action] {
    guard calls.removeValue(forKey: id) != nil else {
      unknownAnswers += 1
      return []
    }
    if let error = envelope.error { return [.finish(call: id, .error(Array(error)))] }
    return [.finish(call: id, .result(envelope.result.map { Array($0) } ?? Array("null".utf8)))]
  }

  /// Ends the calls that another document was asked and can no longer answer.
  private mutating func replaceCalls(except document: String) -> [Action] {
    let stale = calls.compactMap { call, asked in asked != nil && asked != document ? call : nil }
      .sorted { Self.count($0) < Self.count($1) }
    for call in stale { calls[call] = nil }
    return stale.map { .finish(call: $0, .pageReplaced) }
  }

  /// The count in a call's id, which orders calls as they were made.
  private static func count(_ id: String) -> Int {
    id.split(separator: "-").last.flatMap { Int($0) } ?? 0
  }

  private mutating func remember(_ document: String) -> [Action] {
    if channels[document] == nil { channels[document] = makeChannel(document) }
    order.removeAll { $0 == document }
    order.append(document)
    return forgetOldest()
  }

  /// Notes a document of which only carried messages are known, behind those whose sockets came.
  private mutating func rememberEarlier(_ document: String) -> [Action] {
    guard channels[document] == nil else { return [] }
    channels[document] = makeChannel(document)
    order.insert(document, at: max(0, order.count - 1))
    return forgetOldest()
  }

  private mutating func makeChannel(_ document: String) -> DocumentChannel {
    var channel = DocumentChannel(role: .host, document: document, epoch: epoch, clock: clock)
    if let remnant = forgotten.take(document) { channel.resume(remnant) }
    return channel
  }

  private mutating func forgetOldest() -> [Action] {
    guard order.count > Limits.rememberedDocuments else { return [] }
    let oldest = order.removeFirst()
    if let gone = channels.removeValue(forKey: oldest) {
      history.addHistory(of: gone.delivery)
      forgotten.note(oldest, gone.remnant)
    }
    // Nobody can tell any more when these were handled.
    let held = carried.removeValue(forKey: oldest) ?? []
    return held.flatMap { done(document: $0.carrier, number: $0.carrierNumber) }
  }
}
