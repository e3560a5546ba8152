import BridgeProtocol
import Foundation
import WebSocketTransport

/// A request that a host answers: content of a session, or the script that starts a document.
final class ContentExchange {
  let id: Int
  private let exchange: HTTPExchange
  private weak var host: HostSocket?
  private let limits: RelayLimits
  private let extraHeaders: [(name: String, value: String)]
  private var phase = Phase.waiting
  private var deadline: LoopTimer?
  /// Bytes that the host may still send.
  private var credit: Int
  /// Bytes that it has sent and that were not granted again.
  private var ungranted = 0
  /// Bytes of the content that are to be left out at the beginning, and how many are wanted then.
  private var skip = 0
  private var wanted = Int.max
  /// Bytes that the answer promises and that have not come.
  private var promised: Int?

  private enum Phase { case waiting, streaming, over }

  /// Why nothing of the host's answer can be used.
  private enum Fault { case malformed, silent, gone }

  init(
    exchange: HTTPExchange, host: HostSocket, core: LoopCore, limits: RelayLimits,
    extraHeaders: [(name: String, value: String)]
  ) {
    id = host.nextContent
    host.nextContent += 1
    self.exchange = exchange
    self.host = host
    self.limits = limits
    self.extraHeaders = extraHeaders
    credit = limits.contentCreditBytes
    host.contents[id] = self
    deadline = LoopTimer(core: core, after: limits.contentTimeout) { [unowned self] in
      cancelAtHost()
      fail(.silent)
    }
    exchange.onAbandoned = { [weak self] in self?.abandoned() }
    exchange.onDrained = { [weak self] in self?.grant() }
  }

  // MARK: The request

  /// Asks the host.
  func ask(session: String, document: String?, kind: StaticString, path: String) {
    let headers = exchange.head.headers.filter { !Self.connectionHeaders.contains($0.name) }
      .map { JSONText.array([JSONText.quoted($0.name), JSONText.quoted($0.value)]) }
    host?.send(
      JSONText().adding("id", id).adding("session", session).adding("document", document)
        .adding("kind", "\(kind)").adding("method", exchange.head.method).adding("path", path)
        .adding("headers", raw: JSONText.array(headers)).wrapped(in: "content"))
    exchange.onBody = { [weak self] in self?.forward($0) }
    exchange.onBodyEnd = { [weak self] in self?.bodyEnded() }
  }

  private static let connectionHeaders: Set<String> = [
    "connection", "upgrade", "keep-alive", "te", "transfer-encoding", "proxy-authorization",
    "sec-websocket-key", "sec-websocket-version", "sec-websocket-protocol", "sec-websocket-extensions",
  ]

  private func forward(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    while !rest.isEmpty {
      send(body: Data(rest.prefix(Limits.contentPartBytes)), isLast: false)
      rest = rest.dropFirst(Limits.contentPartBytes)
    }
  }

  private func bodyEnded() {
    guard ["POST", "PUT", "PATCH", "DELETE"].contains(exchange.head.method) else { return }
    send(body: Data(), isLast: true)
  }

  private func send(body: Data, isLast: Bool) {
    guard phase != .over, let host, let socket = host.socket else { return }
    host.send(
      JSONText().adding("id", id).adding("base64", body.base64EncodedString()).adding("last", isLast)
        .wrapped(in: "contentBody"))
    if socket.pointee.queuedBytes > limits.hostOutboundBytes { host.thread.hostIsTooSlow(socket) }
  }

  // MARK: The host's answer

  func head(_ head: HostControl.ContentHead) {
    guard phase == .waiting else { return }
    deadline?.cancel()
    deadline = nil
    let pairs = (head.headers ?? []).map { (name: $0[0], value: $0[1]) }
    guard (200...599).contains(head.status), pairs.allSatisfy({ Self.isHeader($0.name, $0.value) }) else {
      cancelAtHost()
      fail(.malformed)
      return
    }
    phase = .streaming
    let overridden = Set(extraHeaders.map { $0.name.lowercased() })
    var headers = pairs.filter { pair in
      let name = pair.name.lowercased()
      return !Self.ownHeaders.contains(name) && !overridden.contains(name)
    }
    headers += extraHeaders
    var status = head.status
    var length = head.length
    if status == 200, let whole = head.length,
      !pairs.contains(where: { $0.name.lowercased() == "content-range" })
    {
      let range = ByteRange(header: exchange.head.header("range"), length: whole)
      headers.append(("Accept-Ranges", "bytes"))
      switch range {
      case .whole: break
      case .part(let first, let last):
        status = 206
        skip = first
        wanted = last - first + 1
        length = wanted
      case .unsatisfiable:
        status = 416
        wanted = 0
        length = 0
      }
      if let value = range.contentRange(length: whole) { headers.append(("Content-Range", value)) }
    }
    promised = head.length
    exchange.begin(status: status, headers: headers, length: length)
    if wanted == 0 || exchange.head.method == "HEAD" { finishEarly() }
  }

  /// Headers that the relay sets itself.
  private static let ownHeaders: Set<String> = [
    "connection", "keep-alive", "transfer-encoding", "content-length", "date", "upgrade", "trailer",
  ]

  private static func isHeader(_ name: String, _ value: String) -> Bool {
    let marks = Set("!#$%&'*+-.^_`|~".utf8)
    let isName =
      !name.isEmpty
      && name.utf8.allSatisfy { byte in
        Identifiers.isBase64URL(byte) || marks.contains(byte)
      }
    return isName && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
  }

  func part(_ part: HostControl.ContentPart) throws(Refusal) {
    guard let data = Data(base64Encoded: part.base64), data.count <= Limits.contentPartBytes else {
      throw Refusal(
        .malformedControl, "A contentPart must hold base64 of at most \(Limits.contentPartBytes) bytes.")
    }
    switch phase {
    case .waiting:
      cancelAtHost()
      fail(.malformed)
    case .streaming:
      credit -= data.count
      guard credit >= 0 else {
        // A host that sends more than it may cannot be told to wait: this answer ends.
        cancelAtHost()
        over()
        exchange.abort()
        return
      }
      ungranted += data.count
      promised = promised.map { $0 - data.count }
      write(data)
    case .over:
      break
    }
  }

  private func write(_ data: Data) {
    let skipped = min(skip, data.count)
    skip -= skipped
    let bytes = data.dropFirst(skipped).prefix(wanted)
    if wanted != Int.max { wanted -= bytes.count }
    bytes.withUnsafeBytes { exchange.write($0) }
    if wanted == 0 {
      finishEarly()
    } else if bytes.isEmpty {
      grant()
    }
  }

  /// All that was asked for is there, though the host has more.
  private func finishEarly() {
    cancelAtHost()
    over()
    exchange.finish()
  }

  /// Lets the host send what has left again, in large steps.
  private func grant() {
    guard phase == .streaming, ungranted * 4 >= limits.contentCreditBytes else { return }
    host?.send(JSONText().adding("id", id).adding("bytes", ungranted).wrapped(in: "contentCredit"))
    credit += ungranted
    ungranted = 0
  }

  func end(_ end: HostControl.ContentEnd) {
    switch phase {
    case .waiting where end.error != nil:
      // There is no answer: the browser is to see that, not a page about it.
      over()
      exchange.abort()
    case .waiting:
      fail(.malformed)
    case .streaming:
      over()
      if end.error != nil || (promised ?? 0) > 0 {
        exchange.abort()
      } else {
        exchange.finish()
      }
    case .over:
      break
    }
  }

  // MARK: Ends

  func hostWent() {
    switch phase {
    case .waiting:
      fail(.gone)
    case .streaming:
      over()
      exchange.abort()
    case .over:
      break
    }
  }

  private func abandoned() {
    cancelAtHost()
    over()
  }

  private func fail(_ fault: Fault) {
    over()
    switch fault {
    case .malformed:
      exchange.respond(.text(502, "The host's answer was not understood.", headers: extraHeaders))
    case .silent: exchange.respond(.text(504, "The host did not answer in time.", headers: extraHeaders))
    case .gone: exchange.respond(.text(503, "The host went away.", headers: extraHeaders))
    }
  }

  private func cancelAtHost() {
    guard phase != .over else { return }
    host?.send(JSONText().adding("id", id).wrapped(in: "contentCancel"))
  }

  private func over() {
    guard phase != .over else { return }
    phase = .over
    deadline?.cancel()
    deadline = nil
    host?.contents[id] = nil
    host = nil
  }
}
