import BridgeProtocol
import WebSocketTransport

/// A relay that is not this package's: two sockets a session, whose texts it passes from one to the other.
///
/// In addresses and first messages `{index}` stands for the number of the session.
public struct ForeignRelay: Sendable, Hashable {
  /// Where the page's side of a session connects, `ws://127.0.0.1:9000/pair/{index}/page` for instance.
  public var pageURL: String
  /// Where its host's side connects.
  public var hostURL: String
  /// The subprotocol that both ask for, if they are to.
  public var subprotocol: String?
  /// What the page's side says first, if it is to say something; what the relay answers to it is not looked at.
  public var pageHello: String?
  /// What the host's side says first, likewise.
  public var hostHello: String?

  /// Makes a relay whose sides say nothing first and ask for no subprotocol.
  public init(pageURL: String, hostURL: String) {
    self.pageURL = pageURL
    self.hostURL = hostURL
  }

  static func text(_ template: String, _ index: Int) -> String {
    var parts: [Substring] = []
    var rest = template[...]
    while let range = rest.range(of: "{index}") {
      parts.append(rest[..<range.lowerBound])
      rest = rest[range.upperBound...]
    }
    parts.append(rest)
    return parts.joined(separator: String(index))
  }
}

extension Substring {
  fileprivate func range(of text: String) -> Range<Index>? {
    var at = startIndex
    while at < endIndex {
      if self[at...].hasPrefix(text) { return at..<index(at, offsetBy: text.count) }
      at = index(after: at)
    }
    return nil
  }
}

/// One session on a foreign relay: the page posts, the host sends each text back, and the page checks it.
///
/// `@unchecked Sendable`: the page's side is touched on the pages' loop only, the host's on the hosts'.
final class ForeignPair: @unchecked Sendable {
  private let index: Int
  /// Let go by the group's own end.
  private let group: ForeignGroup
  private var page: WebSocketClient?
  private var isPosting = false
  private var posted = 0
  private var due: [Int: UInt64] = [:]
  private var answers = SequenceCheck()
  private(set) var counts = LoadTally()

  init(index: Int, group: ForeignGroup) {
    self.index = index
    self.group = group
  }

  func connect() throws(TransportError) {
    let host = try group.client(for: index, isHost: true, HostSide(pair: self))
    host.connect()
  }

  func startPosting() {
    isPosting = true
    for _ in 0..<group.options.messageDepth { post() }
  }

  func stopPosting() {
    isPosting = false
    if due.isEmpty { group.events.send(.drained) }
  }

  func close() {
    page?.close(code: 1_000, reason: "")
  }

  var tally: LoadTally {
    var tally = counts
    tally.add(answers)
    tally.lost += UInt64(due.count)
    return tally
  }

  private func post() {
    posted += 1
    due[posted] = LoadClock.now
    page?.send(group.bodies.bytes(page: index, number: posted))
  }

  fileprivate func hostIsThere() {
    group.loop.perform { [self] in
      do throws(TransportError) {
        page = try group.client(for: index, isHost: false, PageSide(pair: self))
        page?.connect()
      } catch {
        group.events.send(.pageRefused(code: 0, reason: error.message))
      }
    }
  }

  fileprivate func pageIsThere() {
    group.events.send(.pageReady)
    group.connectNext()
  }

  fileprivate func received(_ text: UnsafeRawBufferPointer) {
    let bytes = Array(text)
    guard let mark = MessageMark(bytes[...]) else {
      // Before traffic flows it may be the relay's answer to the first message.
      if posted > 0 { counts.corrupted += 1 }
      return
    }
    counts.messages += 2
    answers.accept(mark.number)
    if bytes != group.bodies.bytes(page: index, number: mark.number) { counts.corrupted += 1 }
    if let time = due.removeValue(forKey: mark.number) { group.record(LoadClock.now &- time) }
    if isPosting {
      post()
    } else if due.isEmpty {
      group.events.send(.drained)
    }
  }

  private final class PageSide: WebSocketClientHandler {
    private let pair: ForeignPair

    init(pair: ForeignPair) { self.pair = pair }

    func opened(_ client: WebSocketClient) {
      if let hello = pair.group.relay.pageHello {
        client.send(Array(ForeignRelay.text(hello, pair.index).utf8))
      }
      pair.pageIsThere()
    }

    func received(_ client: WebSocketClient, text: UnsafeRawBufferPointer) { pair.received(text) }
    func turnEnded(_ client: WebSocketClient) {}

    func closed(_ client: WebSocketClient, code: UInt16, reason: String) {
      pair.group.closed(code, reason, of: "page")
    }
  }

  private final class HostSide: WebSocketClientHandler {
    private let pair: ForeignPair

    init(pair: ForeignPair) { self.pair = pair }

    func opened(_ client: WebSocketClient) {
      if let hello = pair.group.relay.hostHello {
        client.send(Array(ForeignRelay.text(hello, pair.index).utf8))
      }
      pair.hostIsThere()
    }

    func received(_ client: WebSocketClient, text: UnsafeRawBufferPointer) {
      let bytes = Array(text)
      if MessageMark(bytes[...]) != nil { client.send(bytes) }
    }

    func turnEnded(_ client: WebSocketClient) {}

    func closed(_ client: WebSocketClient, code: UInt16, reason: String) {
      pair.group.closed(code, reason, of: "host")
    }
  }
}

/// All sessions on a foreign relay.
///
/// `@unchecked Sendable`: after `init` it is touched on the pages' loop only, but for what is constant.
final class ForeignGroup: LoadCrowd, @unchecked Sendable {
  let relay: ForeignRelay
  let options: LoadOptions
  let events: LoadEvents
  let bodies: MessageBodies
  let loop: ServiceLoop
  private let hostLoop: ServiceLoop
  private var pairs: [ForeignPair] = []
  private var roundTrips = Histogram()
  private var recent = Histogram()
  private let isClosing = Locked(false)

  private static let connectsAtOnce = 64

  init(
    relay: ForeignRelay, options: LoadOptions, events: LoadEvents, loop: ServiceLoop, hostLoop: ServiceLoop
  ) {
    self.relay = relay
    self.options = options
    self.events = events
    self.loop = loop
    self.hostLoop = hostLoop
    bodies = MessageBodies(options)
  }

  func client(
    for index: Int, isHost: Bool, _ handler: any WebSocketClientHandler
  ) throws(TransportError) -> WebSocketClient {
    let url = try WebSocketURL(ForeignRelay.text(isHost ? relay.hostURL : relay.pageURL, index))
    var configuration = WebSocketClientConfiguration(
      url: url, subprotocol: relay.subprotocol, connectTimeout: .seconds(options.connectSeconds),
      maxMessageBytes: 16 * 1_048_576)
    // Two sockets a session: half as many sessions share an address.
    if url.host.hasPrefix("127.") {
      let place = 2 * (index - options.part.firstPage) / LoadPageGroup.pagesOfAnAddress
      configuration.localAddress = options.part.loopbackAddress(place)
    }
    return WebSocketClient(configuration, loop: isHost ? hostLoop : loop, handler: handler)
  }

  func start() {
    for _ in 0..<Self.connectsAtOnce { connectNext() }
  }

  func connectNext() {
    guard pairs.count < options.pages else { return }
    let pair = ForeignPair(index: options.part.firstPage + pairs.count, group: self)
    pairs.append(pair)
    do throws(TransportError) {
      try pair.connect()
    } catch {
      events.send(.hostRefused(code: 0, reason: error.message))
    }
  }

  func record(_ nanoseconds: UInt64) {
    roundTrips.record(nanoseconds)
    recent.record(nanoseconds)
  }

  func closed(_ code: UInt16, _ reason: String, of who: String) {
    guard !isClosing.withLock({ $0 }) else { return }
    events.send(
      who == "host" ? .hostRefused(code: code, reason: reason) : .pageRefused(code: code, reason: reason))
  }

  func startTraffic() {
    for pair in pairs { pair.startPosting() }
  }

  func stopTraffic() -> Int {
    for pair in pairs { pair.stopPosting() }
    return pairs.count
  }

  func close() {
    isClosing.withLock { $0 = true }
    for pair in pairs { pair.close() }
    pairs = []
  }

  func takeSample() -> (tally: LoadTally, recent: Histogram, pages: Int) {
    defer { recent = Histogram() }
    var tally = LoadTally(roundTrips: roundTrips)
    for pair in pairs { tally.merge(pair.tally) }
    return (tally, recent, pairs.count)
  }
}
