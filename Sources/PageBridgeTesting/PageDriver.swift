import BridgeProtocol
import BridgeSession
import Foundation
import WebSocketTransport

/// What a simulated page does, in its wire's place.
///
/// Sendable unchecked: its variables are used in the wire's place only; `view` has a lock.
final class PageDriver: PageSocketHandler, @unchecked Sendable {
  /// What others may look at.
  struct View: Sendable {
    var received: [SimulatedPage.HostMessage] = []
    var answers: [String: WireValue] = [:]
    var errors: [String: WireValue] = [:]
    var handlers: [String] = []
    var settings: WireValue = [:]
    var state = SimulatedPage.State.closed
    var session: String?
    var documents: [String] = []
    var url: String
    var script: String?
    var doubles = 0
    var pending = 0
    var sent = 0
    var closeCode: UInt16?
    var frame: SimulatedPage?
  }

  /// Somebody who waits for something to become true.
  struct Waiter {
    let isTrue: @Sendable () -> Bool
    let continuation: CheckedContinuation<Void, Never>
  }

  let view: Locked<View>
  var waiters: [Waiter] = []
  var evaluate: @Sendable (String) throws -> WireValue? = { _ in .undefined }
  private let app: String
  private let wire: any PageWire
  private let options: SimulatedPage.Options
  var followsLoads: Bool
  private var page: PageSession
  private var earlier: [String: PageSession] = [:]
  private var socket: (any PageSocket)?
  private var configurationVersion = 0.0
  private var url: String
  private var hasBegun = false
  private var newestWish = 0.0
  /// The document's place in the tab's history, and those of earlier ones.
  private var entry = ""
  private var entries: [String: String] = [:]
  private var replaces = false

  init(app: String, wire: any PageWire, options: SimulatedPage.Options) {
    self.app = app
    self.wire = wire
    self.options = options
    followsLoads = options.followsLoads
    url = options.url
    page = Self.session(app, options, url: options.url)
    entry = page.hello.document
    view = Locked(View(documents: [page.hello.document], url: options.url))
  }

  func perform(_ work: @escaping @Sendable (PageDriver) -> Void) {
    wire.perform { [self] in
      work(self)
      publish()
    }
  }

  private static func session(_ app: String, _ options: SimulatedPage.Options, url: String) -> PageSession {
    let alphabet = Array("abcdefghijklmnopqrstuvwxyz0123456789")
    let document = String((0..<Identifiers.documentLength).map { _ in alphabet.randomElement()! })
    var hello = PageSession.Hello(
      app: app, document: document, clientKind: options.isScreen ? "screen" : "page")
    hello.isPlaceholder = options.isPlaceholder
    hello.late = "keep"
    hello.url = url
    return PageSession(hello)
  }

  private func publish() {
    view.withLock { view in
      view.session = page.hello.session
      view.doubles = page.doubles
      view.pending = page.pendingMessages
      view.sent = page.lastNumber
      view.url = url
      if view.documents.last != page.hello.document { view.documents.append(page.hello.document) }
    }
    guard !waiters.isEmpty else { return }
    // Each is looked at once: what is true now may not be so a moment later.
    let waiting = waiters
    waiters = []
    for waiter in waiting {
      if waiter.isTrue() { waiter.continuation.resume() } else { waiters.append(waiter) }
    }
  }

  private func set(_ state: SimulatedPage.State) {
    view.withLock { $0.state = state }
  }

  // MARK: What the test wants

  func open() {
    begin()
    guard socket == nil else { return }
    set(.connecting)
    socket = wire.connect(app: app, self)
  }

  func open(address: String) {
    let parts = address.components(separatedBy: "pagebridge=")
    url = String(parts[0].dropLast(parts.count > 1 ? 1 : 0))
    renew()
    if parts.count > 1 { page.hello.ticket = parts[1] }
    open()
  }

  func close(code: UInt16) {
    guard let socket else { return }
    self.socket = nil
    page.closed()
    set(.closed)
    socket.close(code: code, reason: "")
  }

  /// The number of the host's wish; nil if it came already, with this document or with the one before.
  private func newWish(_ params: WireValue) -> WireValue? {
    guard let wish = params["navigation"]?.number else { return 0 }
    guard wish > newestWish else { return nil }
    newestWish = wish
    return .number(wish)
  }

  /// The document is loaded again, at its place in the history.
  func reload() {
    let place = entry
    navigate(to: url) { $0.entry = place }
  }

  /// - Parameters:
  ///   - replaces: whether the document takes the place of this one in the history.
  ///   - prepare: what is done before the new document says anything.
  func navigate(to address: String, replaces: Bool = false, _ prepare: (PageDriver) -> Void = { _ in }) {
    close(code: CloseCode.leaving.rawValue)
    let heir = (page.hello.session, page.hello.key)
    let left = leave()
    let parts = address.components(separatedBy: "pagebridge=")
    url = String(parts[0].dropLast(parts.count > 1 ? 1 : 0))
    renew()
    if parts.count > 1 {
      page.hello.ticket = parts[1]
    } else {
      (page.hello.session, page.hello.key) = heir
      page.hello.takes = heir.0 == nil ? nil : "replaces"
      self.replaces = replaces
      prepare(self)
      if heir.0 != nil { carry(left) }
    }
    open()
  }

  /// Keeps the document for its return, and gives what the next one of the tab has to send on.
  private func leave() -> [CarriedMessage] {
    let left = page.leave()
    earlier[page.hello.document] = page
    entries[page.hello.document] = entry
    return left
  }

  private func carry(_ messages: [CarriedMessage]) {
    let (kept, lost) = CarriedMessage.withinLimit(messages)
    run(page.carry(kept))
    if lost > 0 { send("state", ["lost": .number(Double(lost))]) }
  }

  func restore(_ document: String) {
    guard var restored = earlier[document] else { return }
    close(code: CloseCode.leaving.rawValue)
    let left = leave()
    restored.hello.takes = "returns"
    page = restored
    url = page.hello.url ?? url
    entry = entries[document] ?? entry
    replaces = false
    carry(left)
    // As bridge.js does: all is told anew.
    hasBegun = false
    open()
  }

  func post(_ body: WireValue, to handler: String) {
    var frame: [WireValue.Member] = [.init("main", true), .init("url", .string(url))]
    frame.append(.init("origin", .string(url.split(separator: "/").prefix(2).joined(separator: "//"))))
    send("message", ["handler": .string(handler), "body": body, "frame": .object(frame)])
  }

  func send(_ method: String, _ params: WireValue, id: String? = nil) {
    var text = id.map { #""id":"\#($0)","# } ?? ""
    text += #""method":"\#(method)","params":"# + Self.json(params) + "}"
    sendRaw(text)
  }

  func sendRaw(_ text: String) {
    do throws(ChannelError) {
      run(try page.send(Array(text.utf8)))
    } catch {
      preconditionFailure("the message was refused: \(error)")
    }
  }

  func answer(_ id: String, _ outcome: Result<WireValue, ScriptException>) {
    switch outcome {
    case .success(let value): sendRaw(#""id":"\#(id)","result":"# + Self.json(value) + "}")
    case .failure(let exception):
      let error: WireValue = [
        "code": .number(Double(exception.code)), "message": .string(exception.message),
        "data": [
          "line": .number(Double(exception.line)), "column": .number(Double(exception.column)),
          "sourceURL": .string(url),
        ],
      ]
      sendRaw(#""id":"\#(id)","error":"# + Self.json(error) + "}")
    }
  }

  /// The tab shows another document.
  private func renew() {
    page = Self.session(app, options, url: url)
    page.hello.isPlaceholder = false
    configurationVersion = 0
    hasBegun = false
    newestWish = 0
    entry = page.hello.document
    replaces = false
  }

  /// The document's first messages.
  private func begin() {
    guard options.tellsState, !hasBegun else { return }
    hasBegun = true
    let history: WireValue = [
      "back": .bool(!earlier.isEmpty), "forward": false, "key": .string(entry), "replace": .bool(replaces),
    ]
    send("navigation", ["phase": "committed", "url": .string(url), "type": "other", "history": history])
    send(
      "state",
      [
        "title": .string(options.title), "url": .string(url), "loading": true, "progress": 0.6,
        "history": history, "visibility": "visible",
        "size": ["width": .number(options.width), "height": .number(options.height)],
      ])
    send("navigation", ["phase": "finished", "url": .string(url), "type": "other"])
  }

  // MARK: What the socket brings

  func opened(_ socket: any PageSocket) {
    guard socket === self.socket else { return }
    run(page.opened())
    publish()
  }

  func received(_ socket: any PageSocket, text: [UInt8]) {
    guard socket === self.socket else { return }
    do {
      run(try page.receive(text))
    } catch {
      preconditionFailure("the host or the relay broke the protocol: \(error)")
    }
    publish()
  }

  func closed(_ socket: any PageSocket, code: UInt16, reason: String) {
    view.withLock { $0.closeCode = code }
    guard socket === self.socket else { return }
    self.socket = nil
    page.closed()
    set(.closed)
    publish()
  }

  private func run(_ actions: [PageSession.Action]) {
    for action in actions {
      switch action {
      case .send(let text): socket?.send(text)
      case .deliver(let envelope, let number):
        handle(envelope)
        run(page.done(number))
      case .acknowledgeLater:
        wire.schedule(after: Limits.acknowledgeDelay) { [weak self] in
          guard let self else { return }
          run(page.acknowledge())
          publish()
        }
      case .welcomed(let configuration, let script):
        if let configuration { configure(configuration) }
        view.withLock { $0.script = script ?? $0.script }
      case .waiting: set(.waiting)
      case .synced: set(.attached)
      case .hostAway: set(.away)
      case .hostEnded: set(.ended)
      case .replaced: set(.replaced)
      case .hostArrived, .alive, .failed: break
      }
    }
  }

  private func configure(_ configuration: WireValue) {
    let version = configuration["version"]?.number ?? 0
    guard version >= configurationVersion else { return }
    configurationVersion = version
    view.withLock { view in
      view.handlers = configuration["handlers"]?.array?.compactMap { $0.string ?? $0["name"]?.string } ?? []
      view.settings = configuration["settings"] ?? [:]
    }
  }

  private func handle(_ envelope: Envelope) {
    guard let method = envelope.method else {
      if let id = envelope.id, let result = envelope.result, let value = try? WireValue(json: result) {
        view.withLock { $0.answers[id] = value }
      }
      if let id = envelope.id, let error = envelope.error, let value = try? WireValue(json: error) {
        view.withLock { $0.errors[id] = value }
      }
      return
    }
    let params: WireValue
    do throws(WireError) {
      params =
        if let text = envelope.params { try WireValue(json: text, enclosing: 1) } else { .undefined }
    } catch {
      preconditionFailure("the host sent no JSON: \(error)")
    }
    let message = SimulatedPage.HostMessage(
      method: method, params: params, id: envelope.id, isAgain: envelope.isAgain)
    view.withLock { $0.received.append(message) }
    switch method {
    case "configure": configure(params)
    case "evaluate", "callAsync": if let id = envelope.id { runScript(id, params["source"]?.string ?? "") }
    case "callRegistered": if let id = envelope.id { runScript(id, params["name"]?.string ?? "") }
    case "load" where followsLoads:
      guard let wish = newWish(params) else { return }
      later {
        $0.send(
          "navigation", ["phase": "started", "url": params["url"] ?? "", "type": "other", "navigation": wish])
        $0.navigate(to: params["url"]?.string ?? "", replaces: params["replace"]?.bool ?? false)
      }
    case "reload" where followsLoads:
      guard let wish = newWish(params) else { return }
      later {
        $0.send(
          "navigation", ["phase": "started", "url": .string($0.url), "type": "reload", "navigation": wish])
        $0.reload()
      }
    case "screen" where followsLoads && params["type"]?.string == "content":
      show(params["url"]?.string)
    default: break
    }
  }

  /// The page goes on only after the message that makes it is done.
  private func later(_ work: @escaping @Sendable (PageDriver) -> Void) {
    perform(work)
  }

  private func runScript(_ id: String, _ source: String) {
    do {
      if let value = try evaluate(source) { answer(id, .success(value)) }
    } catch let exception as ScriptException {
      answer(id, .failure(exception))
    } catch {
      answer(id, .failure(ScriptException("\(error)")))
    }
  }

  /// A screen's frame shows another page; the one before is left.
  private func show(_ address: String?) {
    let old = view.withLock { view -> SimulatedPage? in
      defer { view.frame = nil }
      return view.frame
    }
    old?.leave()
    guard let address else { return }
    var frameOptions = SimulatedPage.Options()
    frameOptions.title = options.title
    let frame = SimulatedPage(app: app, wire: wire, options: frameOptions)
    frame.driver.evaluate = evaluate
    view.withLock { $0.frame = frame }
    frame.open(address)
  }

  private static func json(_ value: WireValue) -> String {
    var writer = JSONWriter()
    do throws(WireError) {
      try writer.value(value, enclosing: 1)
    } catch {
      preconditionFailure("the value nests too deep")
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
