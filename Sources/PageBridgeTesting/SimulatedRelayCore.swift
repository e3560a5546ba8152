import BridgeProtocol
import Foundation
import Synchronization

/// What a simulated relay knows and does.
///
/// Sendable unchecked: all stored variables are used on `queue` only.
final class SimulatedRelayCore: @unchecked Sendable {
  /// One host's connection.
  final class Host {
    let socket: SimulatedHostSocket
    let instance: String
    let epoch: String
    /// Documents that this connection has opened.
    var opened: Set<String> = []
    /// Page sockets whose document waits for `opened`.
    var waiting: [String: SimulatedPageSocket] = [:]

    init(socket: SimulatedHostSocket, instance: String, epoch: String) {
      self.socket = socket
      self.instance = instance
      self.epoch = epoch
    }
  }

  private struct Request {
    var response = SimulatedResponse(
      status: 0, headers: [], length: nil, body: [], error: nil, mostUngranted: 0)
    var granted = Limits.contentCreditBytes
    let answer: @Sendable (SimulatedResponse) -> Void
  }

  let queue = DispatchQueue(label: "pagebridge.simulated-relay")
  private let moves = Atomic<Int>(0)
  var isReachable = true
  private var hosts: [ObjectIdentifier: Host] = [:]
  private var pages: [SimulatedPageSocket] = []
  /// Hellos that wait for a host of their app.
  private var unserved: [(socket: SimulatedPageSocket, hello: WireValue)] = []
  private var hellos: [ObjectIdentifier: WireValue] = [:]
  private var scripts: [String: (session: String, document: String)] = [:]
  private var requests: [Int: Request] = [:]
  private var dialogs: [Int: (session: String, answer: @Sendable (SimulatedDialogAnswer) -> Void)] = [:]
  private var knownInstances: [String: String] = [:]
  private var nextAttach = 100
  private var nextRequest = 1
  private var nextName = 1

  /// Grows whenever something happens.
  var activity: Int { moves.load(ordering: .sequentiallyConsistent) }

  func perform(_ work: @escaping @Sendable () -> Void) {
    moves.add(1, ordering: .sequentiallyConsistent)
    queue.async(execute: work)
  }

  // MARK: Hosts

  func receive(_ text: [UInt8], from socket: SimulatedHostSocket) {
    if text.first == UInt8(ascii: "[") { return relay(text, from: socket) }
    guard let value = try? WireValue(json: text), let member = value.object?.first else { return }
    let detail = member.value
    if member.name == "hello" { return welcome(socket, detail) }
    guard let host = hosts[ObjectIdentifier(socket)] else { return }
    switch member.name {
    case "opened": opened(host, detail)
    case "end": end(detail["session"]?.string ?? "")
    case "create": break
    case "dialogAnswer": answered(detail)
    case "contentHead", "contentPart", "contentEnd": content(host, member.name, detail)
    default: socket.die(code: CloseCode.unknownControl.rawValue, reason: "unknown control \(member.name)")
    }
  }

  private func welcome(_ socket: SimulatedHostSocket, _ hello: WireValue) {
    var instance = name(length: Identifiers.instanceLength)
    var isResumed = false
    if let wanted = hello["instance"]?.string, let key = hello["key"]?.string {
      guard key == Self.key(wanted) else {
        socket.die(code: CloseCode.wrongKey.rawValue, reason: "the key does not fit the instance")
        return
      }
      instance = wanted
      isResumed = true
    }
    for other in hosts.values where other.instance == instance {
      hosts[ObjectIdentifier(other.socket)] = nil
      other.socket.die(code: CloseCode.replaced.rawValue, reason: "another host took the instance")
    }
    let epoch = hello["epoch"]?.string ?? ""
    let isSameProcess = knownInstances[instance] == epoch
    knownInstances[instance] = epoch
    let host = Host(socket: socket, instance: instance, epoch: epoch)
    hosts[ObjectIdentifier(socket)] = host
    socket.deliver(
      Self.text([
        "welcome": [
          "instance": .string(instance), "key": .string(Self.key(instance)), "resumed": .bool(isResumed),
          "app": .string(socket.app), "relay": ["version": "simulated"],
        ]
      ]))
    for page in pages where page.session.map({ Identifiers.instance(ofSession: $0) }) == instance {
      if isSameProcess {
        host.opened.insert(Self.document(page))
        attach(page, host)
      } else {
        open(page, host, isResumed: true)
      }
    }
    let waiting = unserved.filter { $0.socket.app == socket.app }
    unserved.removeAll { $0.socket.app == socket.app }
    for (page, hello) in waiting where page.isOpen { greet(page, hello) }
  }

  func hostClosed(_ socket: SimulatedHostSocket, code: UInt16) {
    guard let host = hosts.removeValue(forKey: ObjectIdentifier(socket)) else { return }
    let word = code == CloseCode.finished.rawValue ? "ended" : "away"
    if word == "ended" { knownInstances[host.instance] = nil }
    for page in pages where page.session.map({ Identifiers.instance(ofSession: $0) }) == host.instance {
      page.deliver(#"["host","\#(word)"]"#)
      if word == "ended" { forget(page) }
    }
    for (id, dialog) in dialogs
    where Identifiers.instance(ofSession: dialog.session) == host.instance {
      dialogs[id] = nil
      dialog.answer(.unanswered)
    }
    for (id, request) in requests {
      requests[id] = nil
      var response = request.response
      response.error = "the host is gone"
      request.answer(response)
    }
  }

  func cutHosts(code: UInt16, reason: String) {
    for host in hosts.values {
      hostClosed(host.socket, code: code)
      host.socket.die(code: code, reason: reason)
    }
  }

  func bury(_ life: SimulatedLife) {
    for host in hosts.values where host.socket.life === life {
      hostClosed(host.socket, code: 1006)
      host.socket.vanish()
    }
  }

  func restart() {
    let all = pages
    pages = []
    knownInstances = [:]
    cutHosts(code: 1006, reason: "the relay is gone")
    for page in all { page.die(code: 1006, reason: "the relay is gone") }
  }

  func refuse(app: String, reason: String, origin: String?) {
    for host in hosts.values where host.socket.app == app {
      host.socket.deliver(
        Self.text([
          "refused": [
            "reason": .string(reason), "code": 403, "origin": origin.map { .string($0) } ?? .null,
          ]
        ]))
    }
  }

  func sendRaw(_ text: String, app: String) {
    for host in hosts.values where host.socket.app == app { host.socket.deliver(Array(text.utf8)) }
  }

  private func relay(_ text: [UInt8], from socket: SimulatedHostSocket) {
    guard text.withUnsafeBytes({ Wrapper.matches($0) }) else { return }
    let names = String(decoding: text[Wrapper.sessionOffset..<Wrapper.prefixLength - 2], as: UTF8.self)
    let message = Array(text[Wrapper.prefixLength..<text.count - Wrapper.suffixLength])
    pages.last { Self.document($0) == names }?.deliver(message)
  }

  private func end(_ session: String) {
    for page in pages where page.session == session {
      page.deliver(#"["host","ended"]"#)
      let app = page.app
      forget(page)
      if hosts.values.contains(where: { $0.socket.app == app }) { page.deliver(#"["host","attached"]"#) }
    }
  }

  private func opened(_ host: Host, _ detail: WireValue) {
    guard let session = detail["session"]?.string, let document = detail["document"]?.string,
      let page = host.waiting.removeValue(forKey: "\(session).\(document)"), page.isOpen
    else { return }
    host.opened.insert("\(session).\(document)")
    page.session = session
    let hello = hellos.removeValue(forKey: ObjectIdentifier(page))
    let script = "/b/\(name(length: 12)).js"
    scripts[script] = (session, document)
    join(page)
    var members: [WireValue.Member] = [
      .init("session", .string(session)), .init("key", .string(Self.key(session))),
      .init("document", .string(document)), .init("host", "attached"),
      .init("attach", .number(Double(nextAttach))),
    ]
    if hello?["session"] == nil {
      members.append(.init("config", detail["config"] ?? .null))
      members.append(.init("script", .string(script)))
    }
    tellAttached(page, host)
    page.deliver(Self.text(["welcome", .object(members)]))
  }

  // MARK: Pages

  func receive(_ text: [UInt8], from page: SimulatedPageSocket) {
    if page.document == nil {
      guard let hello = (try? WireValue(json: text))?["hello"] else {
        page.die(code: CloseCode.expectedHello.rawValue, reason: "expected a hello")
        return
      }
      page.document = hello["document"]?.string
      page.session = hello["session"]?.string
      return greet(page, hello)
    }
    if text == Array(BridgeWire.probe.utf8) { return page.deliver(BridgeWire.alive) }
    guard pages.contains(where: { $0 === page }), let session = page.session,
      let host = host(of: session)
    else { return }
    host.socket.deliver(
      Wrapper.prefix(session: session, document: page.document ?? "") + text + [UInt8(ascii: "]")])
  }

  private func greet(_ page: SimulatedPageSocket, _ hello: WireValue) {
    hellos[ObjectIdentifier(page)] = hello
    page.isScreen = hello["client"]?["kind"]?.string == "screen"
    if let session = page.session {
      guard let host = host(of: session) else {
        join(page)
        page.deliver(
          Self.text(["welcome", .object(Self.names(page) + [.init("host", "away")])]))
        return
      }
      if host.opened.contains(Self.document(page)) {
        join(page)
        page.deliver(
          Self.text([
            "welcome",
            .object(
              Self.names(page) + [
                .init("host", "attached"), .init("attach", .number(Double(nextAttach))),
              ]),
          ]))
        tellAttached(page, host)
      } else {
        open(page, host, isResumed: hello["takes"] == nil)
      }
      return
    }
    let ticketed = hello["ticket"]?.string.map { String($0.prefix(Identifiers.sessionLength)) }
    let candidates = hosts.values.filter { $0.socket.app == page.app }
    let chosen =
      ticketed.flatMap { host(of: $0) } ?? candidates.min { $0.instance < $1.instance }
    guard let host = chosen else {
      unserved.append((page, hello))
      page.deliver(#"["welcome",{"waiting":true}]"#)
      return
    }
    page.session = ticketed ?? host.instance + name(length: 22)
    open(page, host, isResumed: false)
  }

  private func open(_ page: SimulatedPageSocket, _ host: Host, isResumed: Bool) {
    guard let session = page.session, let document = page.document else { return }
    host.waiting["\(session).\(document)"] = page
    let hello = hellos[ObjectIdentifier(page)]
    var members: [WireValue.Member] = [
      .init("session", .string(session)), .init("document", .string(document)),
      .init("url", hello?["url"] ?? "http://127.0.0.1:8080/"),
      .init("client", hello?["client"] ?? ["kind": page.isScreen ? "screen" : "page"]),
      .init("page", isResumed ? "known" : "fresh"),
    ]
    for member in ["ticket", "takes"] {
      if let value = hello?[member] { members.append(.init(member, value)) }
    }
    if isResumed { members.append(.init("resumed", true)) }
    host.socket.deliver(Self.text(["open": .object(members)]))
  }

  private func attach(_ page: SimulatedPageSocket, _ host: Host) {
    page.deliver(#"["host","attached",{"attach":\#(nextAttach)}]"#)
    tellAttached(page, host)
  }

  private func tellAttached(_ page: SimulatedPageSocket, _ host: Host) {
    var members = Self.names(page)
    members.removeAll { $0.name == "key" }
    members.append(.init("attach", .number(Double(nextAttach))))
    nextAttach += 1
    host.socket.deliver(Self.text(["attached": .object(members)]))
  }

  /// The page takes its session; an older socket of it goes.
  private func join(_ page: SimulatedPageSocket) {
    for other in pages where other.session == page.session && other !== page {
      forget(other)
      other.deliver(#"["replaced",{}]"#)
      perform { other.die(code: CloseCode.replaced.rawValue, reason: "replaced") }
    }
    if !pages.contains(where: { $0 === page }) { pages.append(page) }
  }

  func pageClosed(_ page: SimulatedPageSocket, code: UInt16) {
    unserved.removeAll { $0.socket === page }
    guard pages.contains(where: { $0 === page }) else { return }
    forget(page)
    guard let session = page.session, let document = page.document, let host = host(of: session) else {
      return
    }
    host.socket.deliver(
      Self.text([
        "away": [
          "session": .string(session), "document": .string(document), "code": .number(Double(code)),
          "leaving": .bool(code == CloseCode.leaving.rawValue),
        ]
      ]))
  }

  private func forget(_ page: SimulatedPageSocket) {
    pages.removeAll { $0 === page }
  }

  // MARK: Dialogs

  func ask(
    _ session: String, _ members: [WireValue.Member],
    _ answer: @escaping @Sendable (SimulatedDialogAnswer) -> Void
  ) {
    guard let host = host(of: session) else { return answer(.unanswered) }
    let id = nextRequest
    nextRequest += 1
    dialogs[id] = (session, answer)
    host.socket.deliver(Self.text(["dialog": .object([.init("id", .number(Double(id)))] + members)]))
  }

  private func answered(_ detail: WireValue) {
    guard let id = detail["id"]?.number.flatMap({ Int(whole: $0) }),
      let dialog = dialogs.removeValue(forKey: id)
    else { return }
    if detail["present"] == true { return dialog.answer(.present(id: id)) }
    dialog.answer(detail["value"].map { .value($0) } ?? .unanswered)
  }

  func cancelDialogs(_ session: String) {
    for (id, dialog) in dialogs.sorted(by: { $0.key < $1.key }) where dialog.session == session {
      dialogs[id] = nil
      host(of: session)?.socket.deliver(
        Self.text(["dialogCancel": ["id": .number(Double(id)), "session": .string(session)]]))
      dialog.answer(.unanswered)
    }
  }

  // MARK: Content

  func get(
    _ path: String, headers: [(String, String)], _ answer: @escaping @Sendable (SimulatedResponse) -> Void
  ) {
    var session = ""
    var document: String?
    var rest = path
    if let script = scripts.removeValue(forKey: path) {
      (session, document) = (script.session, script.document)
    } else if path.hasPrefix("/s/") {
      session = String(path.dropFirst(3).prefix(Identifiers.sessionLength))
      rest = String(path.dropFirst(3 + Identifiers.sessionLength))
    }
    guard let host = host(of: session) else {
      answer(
        SimulatedResponse(
          status: path.hasPrefix("/b/") ? 410 : 404, headers: [], length: nil, body: [], error: nil,
          mostUngranted: 0))
      return
    }
    let id = nextRequest
    nextRequest += 1
    requests[id] = Request(answer: answer)
    var members: [WireValue.Member] = [
      .init("id", .number(Double(id))), .init("session", .string(session)),
      .init("kind", document == nil ? "resource" : "bootstrap"), .init("method", "GET"),
      .init("path", .string(rest)),
      .init("headers", .array(headers.map { [.string($0.0), .string($0.1)] })),
    ]
    if let document { members.append(.init("document", .string(document))) }
    host.socket.deliver(Self.text(["content": .object(members)]))
  }

  private func content(_ host: Host, _ kind: String, _ detail: WireValue) {
    guard let id = detail["id"]?.number.flatMap({ Int(whole: $0) }), var request = requests[id] else {
      return
    }
    switch kind {
    case "contentHead":
      request.response.status = detail["status"]?.number.flatMap { Int(whole: $0) } ?? 0
      request.response.length = detail["length"]?.number.flatMap { Int(whole: $0) }
      request.response.headers = (detail["headers"]?.array ?? []).compactMap { pair in
        guard let pair = pair.array, pair.count == 2 else { return nil }
        return (pair[0].string ?? "", pair[1].string ?? "")
      }
      requests[id] = request
    case "contentPart":
      let bytes = Data(base64Encoded: detail["base64"]?.string ?? "") ?? Data()
      request.response.body += bytes
      request.granted -= bytes.count
      request.response.mostUngranted = max(request.response.mostUngranted, -request.granted)
      if request.granted <= Limits.contentCreditBytes / 2 {
        request.granted += Limits.contentCreditBytes / 2
        host.socket.deliver(
          Self.text([
            "contentCredit": [
              "id": .number(Double(id)), "bytes": .number(Double(Limits.contentCreditBytes / 2)),
            ]
          ]))
      }
      requests[id] = request
    default:
      requests[id] = nil
      request.response.error = detail["error"]?.string
      request.answer(request.response)
    }
  }

  // MARK: Names

  private func host(of session: String) -> Host? {
    let instance = Identifiers.instance(ofSession: session)
    return hosts.values.first { $0.instance == instance }
  }

  private func name(length: Int) -> String {
    let number = String(nextName)
    nextName += 1
    return String(repeating: "s", count: length - number.count) + number
  }

  private static func names(_ page: SimulatedPageSocket) -> [WireValue.Member] {
    [
      .init("session", .string(page.session ?? "")), .init("key", .string(key(page.session ?? ""))),
      .init("document", .string(page.document ?? "")),
    ]
  }

  private static func document(_ page: SimulatedPageSocket) -> String {
    "\(page.session ?? "").\(page.document ?? "")"
  }

  private static func key(_ name: String) -> String { "key-" + name }

  private static func text(_ value: WireValue) -> [UInt8] {
    var writer = JSONWriter()
    do throws(WireError) {
      try writer.value(value)
    } catch {
      preconditionFailure("a control value nests too deep")
    }
    return writer.bytes
  }
}
