import BridgeProtocol

/// The page's side of one document's conversation with relay and host, as bridge.js holds it: for simulated pages.
///
/// It decides and does nothing: the driver opens sockets, gives it what comes and carries out the ``Action`` values.
public struct PageSession: Sendable {
  /// What the page says of itself in its hello.
  public struct Hello: Sendable {
    /// The name under which the page meets its host.
    public var app: String
    /// The document's id, 8 characters of base64url.
    public var document: String
    /// The session to join; nil asks for one.
    public var session: String?
    /// The session's key, in base64url; it goes with ``session``.
    public var key: String?
    /// Why the page may take a session that has a page: `replaces`, `returns` or `claim`.
    public var takes: String?
    /// What a page does that started without a host: `reload` or `keep`.
    public var late: String?
    /// The address of what is shown.
    public var url: String?
    /// `page` or `screen`.
    public var clientKind: String
    /// Whether the page only holds the place for what the app loads over it.
    public var isPlaceholder = false
    /// A host's invitation to a session that it made: what stands behind `#pagebridge=`.
    public var ticket: String?

    /// Makes the hello of a new page, which asks for a session.
    public init(app: String, document: String, clientKind: String = "page") {
      self.app = app
      self.document = document
      self.clientKind = clientKind
    }

    /// The wire text.
    public var bytes: [UInt8] {
      var writer = JSONWriter(capacity: 256)
      writer.raw(#"{"hello":{"role":"page""#)
      func member(_ name: StaticString, _ text: String?, _ writer: inout JSONWriter) {
        guard let text else { return }
        writer.raw(name)
        writer.string(text)
      }
      member(#","app":"#, app, &writer)
      member(#","document":"#, document, &writer)
      member(#","session":"#, session, &writer)
      member(#","key":"#, key, &writer)
      member(#","takes":"#, takes, &writer)
      member(#","late":"#, late, &writer)
      member(#","url":"#, url, &writer)
      member(#","ticket":"#, ticket, &writer)
      member(#","client":{"kind":"#, clientKind, &writer)
      writer.raw(isPlaceholder ? #","blank":true}}}"# : "}}}")
      return writer.bytes
    }
  }

  /// What the driver has to do, or may want to know.
  public enum Action: Sendable {
    /// Put this text on the wire.
    case send([UInt8])
    /// Handle this message of the host and call ``PageSession/done(_:)``.
    case deliver(Envelope, number: Int)
    /// Call ``PageSession/acknowledge()`` later.
    case acknowledgeLater
    /// The relay knows the page; the configuration comes when the hello named no session.
    case welcomed(configuration: WireValue?, script: String?)
    /// There is no host for the app yet.
    case waiting
    /// The host is there and heard: messages flow.
    case synced
    /// The app has a host again: a browser would reload now.
    case hostArrived
    /// The host's socket is gone; it may come back.
    case hostAway
    /// The instance or session is over.
    case hostEnded
    /// A newer socket took this one's place.
    case replaced
    /// The relay lives.
    case alive
    /// The relay reports a fault that does not end the socket.
    case failed(code: Int, message: String)
  }

  /// What the next socket says first.
  public var hello: Hello
  private var channel: DocumentChannel

  /// Makes the side of a document that says this hello on each of its sockets.
  public init(_ hello: Hello) {
    self.hello = hello
    channel = DocumentChannel(role: .page, document: hello.document, epoch: "")
  }

  /// Whether messages flow.
  public var isSynced: Bool { channel.isSynced }
  /// Wire messages that the host has not yet handled.
  public var pendingMessages: Int { channel.pendingMessages }
  /// The number of the document's last message.
  public var lastNumber: Int { channel.lastNumber }
  /// Doubles that were dropped.
  public var doubles: Int { channel.doubles }

  /// A socket is open: says what goes out first.
  public mutating func opened() -> [Action] {
    [.send(hello.bytes)]
  }

  /// The socket is gone; what was not acknowledged stays.
  public mutating func closed() {
    channel.detach()
  }

  /// Takes one message, the relay's or the host's.
  ///
  /// - Throws: `WireError` or ``ChannelError``.
  public mutating func receive(_ text: [UInt8]) throws -> [Action] {
    if text.first == UInt8(ascii: "[") { return try control(WireValue(json: text)) }
    return translate(try channel.receive(try Envelope(text)))
  }

  /// Posts a message to a handler of the host.
  ///
  /// - Parameters:
  ///   - handler: the handler's name.
  ///   - body: the bytes of a value in the notation of the wire.
  public mutating func post(handler: String, body: [UInt8]) throws(ChannelError) -> [Action] {
    var writer = JSONWriter(capacity: body.count + 96)
    writer.raw(#""method":"message","params":{"handler":"#)
    writer.string(handler)
    writer.raw(#","body":"#)
    writer.raw(body)
    writer.raw("}}")
    return try send(writer.bytes)
  }

  /// Sends a message to the host: its text without counters and opening brace.
  public mutating func send(_ message: [UInt8]) throws(ChannelError) -> [Action] {
    translate(try channel.send(message))
  }

  /// What the next document of the tab has to send on if this one is left now.
  public var carried: [CarriedMessage] { channel.carried }

  /// The document is left: what the next one of the tab has to send on.
  public mutating func leave() -> [CarriedMessage] { channel.leave() }

  /// How the messages stand.
  public var delivery: DeliveryCounts { channel.delivery }

  /// Sends on what an earlier document of the tab left.
  public mutating func carry(_ messages: [CarriedMessage]) -> [Action] {
    translate(channel.carry(messages))
  }

  /// Answers a call of the host with the bytes of a value.
  public mutating func answer(_ id: String, result: [UInt8]) throws(ChannelError) -> [Action] {
    var writer = JSONWriter(capacity: result.count + 64)
    writer.raw(#""id":"#)
    writer.string(id)
    writer.raw(#","result":"#)
    writer.raw(result)
    writer.raw("}")
    return try send(writer.bytes)
  }

  /// The handler of a delivered message has run.
  public mutating func done(_ number: Int) -> [Action] {
    translate(channel.done(number))
  }

  /// Acknowledges what is due.
  public mutating func acknowledge() -> [Action] {
    translate(channel.acknowledge())
  }

  private mutating func control(_ value: WireValue) throws -> [Action] {
    guard let elements = value.array, let word = elements.first?.string else {
      throw WireError(.wrongShape, "a control value without its word")
    }
    let detail = elements.count > 1 ? elements[1] : .undefined
    switch word {
    case "welcome": return try welcome(detail)
    case "host": return host(detail, elements.count > 2 ? elements[2] : .undefined)
    case "alive": return [.alive]
    case "replaced":
      channel.detach()
      return [.replaced]
    case "error":
      return [
        .failed(
          code: detail["code"]?.number.flatMap { Int(whole: $0) } ?? 0,
          message: detail["message"]?.string ?? "")
      ]
    default: throw WireError(.wrongShape, "an unknown control value")
    }
  }

  private mutating func welcome(_ detail: WireValue) throws -> [Action] {
    if detail["waiting"]?.bool == true { return [.waiting] }
    guard let session = detail["session"]?.string, let key = detail["key"]?.string else {
      throw WireError(.wrongShape, "welcome: 'session' or 'key' is no string")
    }
    hello.session = session
    hello.key = key
    var actions: [Action] = [.welcomed(configuration: detail["config"], script: detail["script"]?.string)]
    actions += attach(detail)
    return actions
  }

  private mutating func attach(_ detail: WireValue) -> [Action] {
    guard let attach = detail["attach"]?.number.flatMap({ Int(whole: $0) }) else { return [] }
    return translate(channel.attach(attach))
  }

  private mutating func host(_ word: WireValue, _ detail: WireValue) -> [Action] {
    switch word.string {
    case "attached": return detail["attach"] == nil ? [.hostArrived] : attach(detail)
    case "away":
      channel.detach()
      return [.hostAway]
    case "ended":
      channel.detach()
      hello.session = nil
      hello.key = nil
      return [.hostEnded]
    default: return []
    }
  }

  private func translate(_ actions: [DocumentChannel.Action]) -> [Action] {
    actions.map { action in
      switch action {
      case .send(let bytes): .send(bytes)
      case .deliver(let envelope, let number), .carry(let envelope, _, let number):
        // A host carries nothing.
        .deliver(envelope, number: number)
      case .acknowledgeLater: .acknowledgeLater
      case .synced: .synced
      }
    }
  }
}
