import BridgeProtocol
import WebSocketTransport

/// HTTP requests by path.
extension RelayThread {
  func requested(_ exchange: HTTPExchange) {
    path.pointee.counters.requests += 1
    let head = exchange.head
    log(.debug, "request", ["method": head.method, "path": head.path, "peer": head.peerAddress])
    let parts = head.path.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true)
    let kind = parts.first.map(String.init) ?? ""
    let isForPages =
      ["attach", "dialog", "b"].contains(kind)
      || (kind == "s" && (!["GET", "HEAD"].contains(head.method) || ContentPath.isScript(parts)))
    if let refusal = refusal(of: head, app: appName(kind, parts, head), isForPages: isForPages) {
      exchange.respond(refusal)
      return
    }
    if let address = schemeAddress(head, kind) {
      exchange.respond(
        HTTPResponse(status: 307, headers: [("Location", address), ("Cache-Control", "no-store")], body: []))
      return
    }
    switch kind {
    case "attach" where parts.count == 1:
      requestedPost(exchange, "Attach") { [unowned self] cors in attach(exchange, cors: cors) }
    case "dialog" where parts.count == 1:
      requestedPost(exchange, "A dialog") { [unowned self] cors in ask(exchange, cors: cors) }
    case "b": requestedScript(exchange, name: parts.count == 2 ? String(parts[1]) : "")
    case "s": requestedContent(exchange, parts)
    case "apps" where parts.count == 1: requestedApps(exchange)
    case "healthz" where parts.count == 1: requestedHealth(exchange)
    case "ws":
      exchange.respond(.text(426, "This is a WebSocket address.", headers: [("Upgrade", "websocket")]))
    default: requestedFile(exchange, kind, parts)
    }
  }

  /// Where a request leads that a page of an app's scheme makes to the root of its host: there the page is below
  /// `/s/<session>/_pagebridge/scheme/<scheme>/<host>`, which only the Referer tells.
  private func schemeAddress(_ head: RequestHead, _ kind: String) -> String? {
    guard !Self.ownPaths.contains(kind), let referer = head.header("referer"), let host = head.header("host"),
      let start = referer.range(of: "://")
    else { return nil }
    let rest = referer[start.upperBound...]
    guard rest.lowercased().hasPrefix(host.lowercased() + "/s/") else { return nil }
    let parts = rest.split(separator: "/", maxSplits: 7, omittingEmptySubsequences: false)
    guard parts.count > 6, Identifiers.isSession(parts[2]), parts[3] == "_pagebridge", parts[4] == "scheme"
    else {
      return nil
    }
    return "/s/\(parts[2])/_pagebridge/scheme/\(parts[5])/\(parts[6])"
      + ContentPath.text(head, session: String(parts[2]))
  }

  /// What the relay answers itself, whoever asks.
  private static let ownPaths: Set<String> = ["attach", "b", "bridge.js", "bridge.d.ts", "dialog", "s", "ws"]

  /// The app that a request concerns, as far as its address tells.
  private func appName(_ kind: String, _ parts: [Substring], _ head: RequestHead) -> String? {
    switch kind {
    case "attach", "dialog": head.parameter("app")
    case "b" where parts.count > 1: scripts[scriptName(parts[1])]?.session.instance.app.name
    case "s" where parts.count > 1: instances[Identifiers.instance(ofSession: String(parts[1]))]?.app.name
    default: nil
    }
  }

  // MARK: What scripts of pages ask

  /// A POST that a page's script makes, and the browser's question whether it may.
  private func requestedPost(
    _ exchange: HTTPExchange, _ what: String, _ post: ([(name: String, value: String)]) -> Void
  ) {
    let cors = corsHeaders(exchange.head)
    switch exchange.head.method {
    case "POST" where shared.isDraining:
      exchange.respond(.text(503, "The relay stops.", headers: cors))
    case "POST":
      post(cors)
    case "OPTIONS":
      exchange.respond(
        HTTPResponse(
          status: 204,
          headers: cors + [
            ("Access-Control-Allow-Methods", "POST"),
            ("Access-Control-Allow-Headers", "authorization, content-type"),
            ("Access-Control-Allow-Private-Network", "true"), ("Access-Control-Max-Age", "600"),
          ]))
    default:
      exchange.respond(.text(405, "\(what) is a POST.", headers: cors + [("Allow", "POST, OPTIONS")]))
    }
  }

  /// The request's Origin has been accepted already.
  private func corsHeaders(_ head: RequestHead) -> [(name: String, value: String)] {
    var headers = [(name: "Vary", value: "Origin")]
    if let origin = head.header("origin") { headers.append(("Access-Control-Allow-Origin", origin)) }
    return headers
  }

  /// What scripts for pages are served with: any accepted origin may run them, and read what they throw.
  private func scriptHeaders(_ head: RequestHead) -> [(name: String, value: String)] {
    corsHeaders(head) + [
      ("Content-Type", "text/javascript; charset=utf-8"), ("Cache-Control", "no-store"),
      ("Cross-Origin-Resource-Policy", "cross-origin"), ("X-Content-Type-Options", "nosniff"),
    ]
  }

  private func scriptName(_ part: Substring) -> String {
    part.hasSuffix(".js") ? String(part.dropLast(3)) : ""
  }

  private func requestedScript(_ exchange: HTTPExchange, name: String) {
    let headers = scriptHeaders(exchange.head)
    let name = scriptName(Substring(name))
    guard exchange.head.method == "GET" else {
      exchange.respond(.text(405, "Scripts are read only.", headers: [("Allow", "GET")]))
      return
    }
    guard name.utf8.count >= 22, name.utf8.allSatisfy(Identifiers.isBase64URL) else {
      exchange.respond(.text(404, "There is no such script."))
      return
    }
    guard let script = takeScript(name) else {
      exchange.respond(.text(410, "The script was fetched already, or its time is over."))
      return
    }
    guard let host = script.session.instance.host, !script.session.isForgotten else {
      exchange.respond(.text(503, "The script's host is not connected."))
      return
    }
    hold(exchange)
    ContentExchange(exchange: exchange, host: host, core: core, limits: limits, extraHeaders: headers)
      .ask(session: script.session.id, document: script.document, kind: "bootstrap", path: "/")
  }

  private func requestedContent(_ exchange: HTTPExchange, _ parts: [Substring]) {
    guard parts.count > 1, Identifiers.isSession(parts[1]) else {
      exchange.respond(.text(404, "Content is served at /s/<session>/."))
      return
    }
    let session = String(parts[1])
    guard let host = instances[Identifiers.instance(ofSession: session)]?.host else {
      exchange.respond(.text(503, "The session's host is not connected."))
      return
    }
    hold(exchange)
    let isScript = ContentPath.isScript(parts)
    ContentExchange(
      exchange: exchange, host: host, core: core, limits: limits,
      extraHeaders: isScript ? scriptHeaders(exchange.head) : []
    )
    .ask(
      session: session, document: nil, kind: isScript ? "script" : "resource",
      path: ContentPath.text(exchange.head, session: session))
  }

  // MARK: What the relay knows itself

  private func requestedApps(_ exchange: HTTPExchange) {
    guard isRead(exchange) else { return }
    hold(exchange)
    gather { reports in
      let apps = reports.flatMap(\.apps).sorted { $0.name < $1.name }.map { app in
        JSONText().adding("app", app.name).adding("hosts", app.hosts).adding("pages", app.pages)
          .adding("names", raw: JSONText.array(app.names.map(JSONText.quoted))).object
      }
      Self.answer(exchange, JSONText().adding("apps", raw: JSONText.array(apps)).object)
    }
  }

  private func requestedHealth(_ exchange: HTTPExchange) {
    guard isRead(exchange) else { return }
    hold(exchange)
    let uptime = (ContinuousClock.now - shared.started).components.seconds
    gather { [shared] reports in
      func sum(_ path: KeyPath<ThreadReport, Int>) -> Int { reports.reduce(0) { $0 + $1[keyPath: path] } }
      var text = JSONText().adding("status", shared.isDraining ? "draining" : "ok")
        .adding("version", shared.configuration.version).adding("uptimeSeconds", Int(uptime))
        .adding("hosts", sum(\.hosts)).adding("pages", sum(\.pages)).adding("sessions", sum(\.sessions))
        .adding("sockets", sum(\.sockets)).adding("pausedSockets", sum(\.pausedSockets))
        .adding("blockedSockets", sum(\.blockedSockets)).adding("waitingBytes", sum(\.waitingBytes))
        .adding("blocksInUse", sum(\.blocksInUse)).adding("heldDialogs", sum(\.heldDialogs))
      for (name, path) in Counters.names {
        text = text.adding(name, reports.reduce(0) { $0 + $1.counters[keyPath: path] })
      }
      Self.answer(exchange, text.object)
    }
  }

  private func isRead(_ exchange: HTTPExchange) -> Bool {
    guard ["GET", "HEAD"].contains(exchange.head.method) else {
      exchange.respond(.text(405, "This is read only.", headers: [("Allow", "GET, HEAD")]))
      return false
    }
    return true
  }

  private static func answer(_ exchange: HTTPExchange, _ json: String) {
    exchange.respond(
      HTTPResponse(
        status: 200, headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
        body: Array((json + "\n").utf8)))
  }

  // MARK: Files

  private func requestedFile(_ exchange: HTTPExchange, _ kind: String, _ parts: [Substring]) {
    guard let files = shared.files else {
      exchange.respond(.text(404, "There is no such page."))
      return
    }
    switch kind {
    case "view":
      guard parts.count == 2, Identifiers.isApp(parts[1]) else {
        exchange.respond(.text(404, "The viewer is at /view/<app>."))
        return
      }
      files.answer(exchange, path: "/viewer/index.html")
    case "bridge.js", "bridge.d.ts":
      // Pages of any origin may load it; whether they may attach is decided then.
      files.answer(
        exchange, path: exchange.head.path,
        headers: [("Access-Control-Allow-Origin", "*"), ("Cross-Origin-Resource-Policy", "cross-origin")])
    default:
      files.answer(exchange, path: exchange.head.path)
    }
  }
}

/// The address of a content as the host sees it: what follows the session, encoded again.
enum ContentPath {
  /// Whether a path, cut into `s`, session and rest, is that of a script for pages of the session.
  static func isScript(_ parts: [Substring]) -> Bool {
    parts.count == 3 && parts[2].hasPrefix("_pagebridge/script/")
  }

  static func text(_ head: RequestHead, session: String) -> String {
    let prefix = "/s/\(session)"
    let path = head.path.hasPrefix(prefix) ? String(head.path.dropFirst(prefix.count)) : head.path
    let query = head.query.map { encoded($0, allowing: "/?:@!$'()*,;=") }.joined(separator: "&")
    let start = path.isEmpty ? "/" : encoded(path, allowing: "/:@!$&'()*+,;=")
    return query.isEmpty ? start : "\(start)?\(query)"
  }

  /// Percent-encodes all but unreserved characters and the given ones (RFC 3986, section 2).
  private static func encoded(_ text: String, allowing marks: String) -> String {
    let allowed = Set(marks.utf8).union("-._~".utf8)
    var result = ""
    for byte in text.utf8 {
      if Identifiers.isBase64URL(byte) || allowed.contains(byte) {
        result.unicodeScalars.append(UnicodeScalar(byte))
      } else {
        let hex = String(byte, radix: 16, uppercase: true)
        result += "%" + (hex.count < 2 ? "0" : "") + hex
      }
    }
    return result
  }
}
