import Synchronization

/// What a ``WebSocketClient`` connects to and how.
public struct WebSocketClientConfiguration: Sendable {
  /// The address.
  public var url: WebSocketURL
  /// The subprotocol asked for; without one, none is asked for.
  public var subprotocol: String?
  /// More headers of the request, names without a colon.
  public var headers: [(name: String, value: String)]
  /// Whether any certificate of a `wss` server will do: for tests against one that made its own.
  public var trustsAnyCertificate: Bool
  /// A file of authorities (PEM) to trust besides the system's.
  public var caFile: String?
  /// An IPv4 address of this machine to connect from; nil for the one that the system chooses.
  public var localAddress: String?
  /// How long connecting may take, with TLS and the upgrade.
  public var connectTimeout: Duration
  /// The largest message accepted, in bytes, assembled; a larger one ends the connection with 1009.
  public var maxMessageBytes: Int
  /// After how long without anything of the server, pings included, the connection ends with 1006; nil for never.
  public var silenceTimeout: Duration?

  /// Makes a configuration with the given deviations from the defaults.
  public init(
    url: WebSocketURL, subprotocol: String? = nil, headers: [(name: String, value: String)] = [],
    trustsAnyCertificate: Bool = false, caFile: String? = nil, localAddress: String? = nil,
    connectTimeout: Duration = .seconds(10), maxMessageBytes: Int = 65_536,
    silenceTimeout: Duration? = nil
  ) {
    self.url = url
    self.subprotocol = subprotocol
    self.headers = headers
    self.trustsAnyCertificate = trustsAnyCertificate
    self.caFile = caFile
    self.localAddress = localAddress
    self.connectTimeout = connectTimeout
    self.maxMessageBytes = maxMessageBytes
    self.silenceTimeout = silenceTimeout
  }
}

/// Who is told what a ``WebSocketClient`` meets; every call comes on the loop's thread and should be short.
public protocol WebSocketClientHandler: AnyObject, Sendable {
  /// The connection is open: what was sent before now leaves.
  func opened(_ client: WebSocketClient)
  /// A whole text message has come; its bytes are good during the call only and are not checked to be UTF-8.
  func received(_ client: WebSocketClient, text: UnsafeRawBufferPointer)
  /// All that one turn of the loop brought has been handed over: the place for work on batches.
  func turnEnded(_ client: WebSocketClient)
  /// The connection is over, or was never made; comes exactly once after `connect`, and last.
  ///
  /// The code is that of the peer's close frame or of this end's `close`; 1006 when the connection just died or
  /// failed, with libwebsockets' words as the reason.
  func closed(_ client: WebSocketClient, code: UInt16, reason: String)
}

/// One WebSocket connection that this process makes. It serves once: to connect again, make another.
///
/// Any thread may call its methods. Text messages only; pings are answered by libwebsockets.
public final class WebSocketClient: Sendable {
  /// What it connects to and how.
  public let configuration: WebSocketClientConfiguration
  let core: LoopCore
  private let outbox: Locked<Outbox>
  /// Bytes that wait in `outbox`.
  private let waiting = Atomic<Int>(0)
  /// Bytes that the connection has queued; written on the loop's thread.
  let queued = Atomic<Int>(0)

  /// Prepares a connection on the loop.
  ///
  /// The handler is held until its `closed` has returned.
  public init(
    _ configuration: WebSocketClientConfiguration, loop: ServiceLoop, handler: any WebSocketClientHandler
  ) {
    self.configuration = configuration
    core = loop.core
    outbox = Locked(Outbox(handler: handler))
  }

  /// Begins to connect; a second call has no effect.
  public func connect() {
    let handler = outbox.withLock { outbox -> (any WebSocketClientHandler)? in
      guard outbox.phase == .idle else { return nil }
      outbox.phase = .started
      return outbox.handler
    }
    guard let handler else { return }
    core.perform { [self] in ClientConnection(client: self, handler: handler).connect() }
  }

  /// Queues a text message behind those queued before, for one common write; dropped once the connection is over.
  public func send(_ text: [UInt8]) {
    send([text])
  }

  /// Queues text messages, in order.
  public func send(_ texts: [[UInt8]]) {
    let bytes = texts.reduce(0) { $0 + $1.count }
    let isFirst = outbox.withLock { outbox -> Bool in
      guard outbox.phase != .over else { return false }
      outbox.texts.append(contentsOf: texts)
      waiting.add(bytes, ordering: .relaxed)
      defer { outbox.isAnnounced = true }
      return !outbox.isAnnounced
    }
    if isFirst { announce() }
  }

  /// Bytes that are queued and not yet given to the kernel.
  public var outstandingBytes: Int {
    waiting.load(ordering: .relaxed) + queued.load(ordering: .relaxed)
  }

  /// Ends the connection with a close frame, after all that is queued; a second call has no effect.
  ///
  /// - Parameters:
  ///   - code: 1000, or 3000 to 4999.
  ///   - reason: Readable text; its first 123 bytes are sent.
  public func close(code: UInt16, reason: String) {
    let isFirst = outbox.withLock { outbox -> Bool in
      guard outbox.phase != .over, outbox.close == nil else { return false }
      outbox.close = (code, reason)
      return true
    }
    if isFirst { announce() }
  }

  /// Ends the connection at once, without a close frame and without what is queued, as a cut network would.
  ///
  /// The handler's `closed` comes with 1006. Without effect before the connection is open or once it is over.
  public func abort() {
    core.perform { [self] in outbox.withLock { $0.connection }?.abort() }
  }

  private func announce() {
    if core.isCurrent {
      outbox.withLock { $0.connection }?.takeOutbox()
    } else {
      core.perform { [self] in outbox.withLock { $0.connection }?.takeOutbox() }
    }
  }

  // MARK: The connection's side, on the loop's thread

  /// Has what is queued go to the connection from now on.
  func join(_ connection: ClientConnection) {
    outbox.withLock { $0.connection = connection }
  }

  /// What waits to be sent, and how the connection shall end, if it shall.
  func takeTexts() -> (texts: [[UInt8]], close: (code: UInt16, reason: String)?) {
    outbox.withLock { outbox in
      outbox.isAnnounced = false
      defer { outbox.texts = [] }
      let bytes = outbox.texts.reduce(0) { $0 + $1.count }
      waiting.subtract(bytes, ordering: .relaxed)
      return (outbox.texts, outbox.close)
    }
  }

  /// Whether `close` was called.
  var wantsToClose: Bool { outbox.withLock { $0.close != nil } }

  /// Ends the traffic: what is sent from now on is dropped.
  func finish() {
    outbox.withLock { outbox in
      outbox.phase = .over
      outbox.texts = []
      outbox.connection = nil
      outbox.handler = nil
    }
    waiting.store(0, ordering: .relaxed)
    queued.store(0, ordering: .relaxed)
  }

  private struct Outbox {
    enum Phase { case idle, started, over }

    var phase = Phase.idle
    var texts: [[UInt8]] = []
    /// Whether the loop has been told that there is something.
    var isAnnounced = false
    var close: (code: UInt16, reason: String)?
    /// Set while the connection is made or open; used on the loop's thread only.
    var connection: ClientConnection?
    /// Held until `closed` has returned.
    var handler: (any WebSocketClientHandler)?
  }
}
