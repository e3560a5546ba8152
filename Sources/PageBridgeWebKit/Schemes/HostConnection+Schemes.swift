import BridgeProtocol
import Foundation

extension HostConnection {
  /// Takes a page's request for a resource of the app's schemes.
  func serveScheme(_ request: ContentRequest, _ record: SessionRecord) {
    guard let url = SchemeAddress.url(of: request.path), let scheme = url.scheme,
      record.configuration?.schemes.contains(scheme) == true
    else { return refuse(request, status: 404, "No handler was set for this scheme.\n") }
    if request.method == "HEAD" {
      // The bridge asks so whether the relay is there before it leaves for the page.
      put(
        HostControl.contentHead(
          id: request.id, status: 200, headers: [("Cache-Control", "no-store")], length: 0))
      put(HostControl.contentEnd(id: request.id, error: nil))
      return
    }
    let task = SchemeAnswer(
      request, markup: SchemeMarkup(schemes: record.configuration?.schemes ?? [], session: request.session))
    schemeAnswers[request.id] = task
    guard ["POST", "PUT", "PATCH", "DELETE"].contains(request.method) else { return start(task, url) }
  }

  /// Takes a part of a request's body; the handler is asked once it is whole.
  func receiveBody(_ id: Int, _ bytes: [UInt8], isLast: Bool) {
    guard let answer = schemeAnswers[id], !answer.isStarted else { return }
    answer.body += bytes
    guard answer.body.count <= Limits.schemeBodyBytes else {
      schemeAnswers[id] = nil
      return refuse(
        answer.request, status: 413, "The body is larger than \(Limits.schemeBodyBytes) bytes.\n")
    }
    if isLast, let url = SchemeAddress.url(of: answer.request.path) { start(answer, url) }
  }

  private func start(_ answer: SchemeAnswer, _ url: URL) {
    answer.isStarted = true
    let request = answer.request
    var wanted = URLRequest(url: url)
    wanted.httpMethod = request.method
    for (name, value) in request.headers {
      switch name.lowercased() {
      case "host", "cookie", "origin", "content-length", "accept-encoding": break
      case "referer":
        let own = "/s/" + request.session
        guard let range = value.range(of: own), let page = SchemeAddress.url(of: value[range.upperBound...])
        else { break }
        wanted.setValue(page.absoluteString, forHTTPHeaderField: "Referer")
      default: wanted.addValue(value, forHTTPHeaderField: name)
      }
    }
    if !answer.body.isEmpty { wanted.httpBody = Data(answer.body) }
    answer.body = []
    inbox.post(
      .schemeStarted(
        SchemeRequest(
          id: request.id, session: request.session, urlRequest: wanted, isDocument: answer.isDocument)))
  }

  // MARK: The handler's answer

  func schemeHead(_ id: Int, _ head: SchemeHead) {
    guard let answer = schemeAnswers[id] else { return }
    answer.head = head
    readySchemes.insert(id)
  }

  func schemeData(_ id: Int, _ bytes: [UInt8]) {
    guard let answer = schemeAnswers[id] else { return }
    answer.waiting += bytes
    readySchemes.insert(id)
    guard answer.waitingBytes > Limits.schemeBacklogBytes else { return }
    events.record(
      "error",
      [
        "message": .string(
          "a page does not take what its scheme's handler gives: over \(Limits.schemeBacklogBytes) bytes wait"
        )
      ],
      session: answer.request.session)
    schemeAnswers[id] = nil
    put(HostControl.contentEnd(id: id, error: "too much waits"))
    inbox.post(.schemeStopped(session: answer.request.session, id: id))
  }

  func schemeEnd(_ id: Int, failure: String?) {
    guard let answer = schemeAnswers[id] else { return }
    guard failure != nil else {
      answer.isWhole = true
      readySchemes.insert(id)
      return
    }
    schemeAnswers[id] = nil
    guard answer.isDocument, answer.head == nil else {
      return put(HostControl.contentEnd(id: id, error: failure))
    }
    // A browser that is given nothing stays where it is.
    if sessions[answer.request.session]?.channel.isAttached == true {
      put(HostControl.contentHead(id: id, status: 204, headers: [("Cache-Control", "no-store")], length: 0))
      put(HostControl.contentEnd(id: id, error: nil))
    } else {
      self.answer(
        answer.request, ServedContent(bytes: markup.blank, contentType: "text/html; charset=utf-8"))
    }
  }

  /// Sends what handlers have given since the last turn: what came together leaves together, with its length.
  func pumpSchemes() {
    guard !readySchemes.isEmpty else { return }
    let ready = readySchemes.sorted()
    readySchemes = []
    for id in ready { pumpScheme(id) }
  }

  /// Sends what the relay has room for.
  func pumpScheme(_ id: Int) {
    guard let answer = schemeAnswers[id], let head = answer.head else { return }
    if !answer.hasBegun {
      // Text with addresses is gathered whole, since its length changes.
      if answer.isRewritten, !answer.isWhole, answer.waiting.count <= Limits.schemeTextBytes { return }
      begin(answer, head)
    }
    while answer.credit > 0, let part = answer.take(min(Limits.contentPartBytes, answer.credit)) {
      put(HostControl.contentPart(id: id, base64: Data(part).base64EncodedString()))
      answer.credit -= part.count
    }
    guard answer.isWhole, answer.waitingBytes == 0 else { return }
    schemeAnswers[id] = nil
    put(HostControl.contentEnd(id: id, error: answer.isShort ? "the content is shorter than was said" : nil))
  }

  private func begin(_ answer: SchemeAnswer, _ head: SchemeHead) {
    answer.hasBegun = true
    if answer.isRewritten {
      if head.contentType.lowercased().hasPrefix("text/css") {
        answer.waiting = answer.markup.styleSheet(answer.waiting)
      } else {
        let html = answer.markup.html(answer.waiting)
        answer.waiting = HTMLHead.inserting(markup.head(base: nil), into: html)
      }
    }
    let length = answer.isWhole ? answer.waiting.count : answer.isRewritten ? nil : head.length
    answer.expect(length)
    var headers = head.headers
    headers.append(("Content-Type", head.contentType))
    if !headers.contains(where: { $0.0.lowercased() == "cache-control" }) {
      headers.append(("Cache-Control", "no-store"))
    }
    put(HostControl.contentHead(id: answer.request.id, status: head.status, headers: headers, length: length))
  }

  func grantScheme(_ id: Int, _ bytes: Int) {
    guard let answer = schemeAnswers[id] else { return }
    answer.credit = min(answer.credit + bytes, Int.max / 2)
    pumpScheme(id)
  }

  /// The browser wants no more.
  func cancelScheme(_ id: Int) {
    guard let answer = schemeAnswers.removeValue(forKey: id), answer.isStarted else { return }
    inbox.post(.schemeStopped(session: answer.request.session, id: id))
  }

  /// The connection is gone, and with it everybody who waited.
  func dropSchemes() {
    for id in schemeAnswers.keys.sorted() { cancelScheme(id) }
  }
}

/// An answer under way to a request for a resource of the app's schemes; on the connection's thread.
final class SchemeAnswer {
  let request: ContentRequest
  let markup: SchemeMarkup
  var body: [UInt8] = []
  /// Whether the handler has been asked.
  var isStarted = false
  var head: SchemeHead?
  var hasBegun = false
  /// What the handler has given; the relay has got the first of it.
  var waiting: [UInt8] = []
  private var sent = 0
  var isWhole = false
  var credit = Limits.contentCreditBytes
  /// Bytes that were promised and have not been sent; nil if no length was said.
  private var promised: Int?

  init(_ request: ContentRequest, markup: SchemeMarkup) {
    self.request = request
    self.markup = markup
  }

  /// Whether a document is wanted: only documents get the bridge.
  var isDocument: Bool {
    request.method != "HEAD" && (request.header("accept")?.contains("text/html") ?? false)
  }

  /// Whether addresses in the text are changed.
  var isRewritten: Bool {
    guard let type = head?.contentType.lowercased(), head?.status != 206 else { return false }
    return type.hasPrefix("text/css") || (type.hasPrefix("text/html") && isDocument)
  }

  /// A length was promised; more than that is not sent.
  func expect(_ length: Int?) {
    promised = length
  }

  /// Whether less came than was promised.
  var isShort: Bool { (promised ?? 0) > 0 }

  /// Bytes that wait for the relay.
  var waitingBytes: Int { min(waiting.count - sent, promised ?? Int.max) }

  /// Takes the next bytes; nil when none wait.
  func take(_ limit: Int) -> [UInt8]? {
    let count = min(limit, waitingBytes)
    guard count > 0 else { return nil }
    let bytes = Array(waiting[sent..<sent + count])
    sent += count
    promised = promised.map { $0 - count }
    if sent * 2 > waiting.count {
      waiting.removeFirst(sent)
      sent = 0
    }
    return bytes
  }
}
