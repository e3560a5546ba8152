import BridgeProtocol
import Foundation

/// A control value that the relay sends to a host.
enum RelayControl: Sendable {
  case welcome(HostIdentity)
  case open(OpenRequest)
  case attached(session: String, document: String, attach: Int)
  case away(session: String, document: String, code: Int, isLeaving: Bool)
  case closed(session: String)
  case refused(reason: String, code: Int, origin: String?, address: String?)
  case dialog(DialogRequest)
  case dialogCancel(id: Int, session: String)
  case content(ContentRequest)
  case contentCredit(id: Int, bytes: Int)
  case contentBody(id: Int, [UInt8], isLast: Bool)
  case contentCancel(id: Int)
  case error(code: Int, message: String, session: String?)

  /// Reads a control value.
  ///
  /// - Throws: ``WireError`` `malformed` or `wrongShape`; nil for one that this version does not know.
  static func read(_ text: UnsafeBufferPointer<UInt8>) throws(WireError) -> RelayControl? {
    guard case .object(let members) = try WireValue(reading: text), members.count == 1 else {
      throw WireError(.wrongShape, "a control value is an object with one member")
    }
    let fields = Fields(name: members[0].name, value: members[0].value)
    switch fields.name {
    case "welcome":
      return .welcome(HostIdentity(instance: try fields.text("instance"), key: try fields.text("key")))
    case "open": return .open(try open(fields))
    case "attached":
      return .attached(
        session: try fields.text("session"), document: try fields.text("document"),
        attach: try fields.count("attach"))
    case "away":
      return .away(
        session: try fields.text("session"), document: try fields.text("document"),
        code: fields.optionalCount("code") ?? 0, isLeaving: fields.value["leaving"]?.bool ?? false)
    case "closed": return .closed(session: try fields.text("session"))
    case "refused":
      return .refused(
        reason: try fields.text("reason"), code: fields.optionalCount("code") ?? 0,
        origin: fields.optional("origin"), address: fields.optional("address"))
    case "dialog": return .dialog(try dialog(fields))
    case "dialogCancel":
      return .dialogCancel(id: try fields.count("id"), session: try fields.text("session"))
    case "content":
      return .content(
        ContentRequest(
          id: try fields.count("id"), session: try fields.text("session"),
          document: fields.optional("document"), isBootstrap: fields.optional("kind") == "bootstrap",
          method: fields.optional("method") ?? "GET", path: fields.optional("path") ?? "/",
          headers: fields.pairs("headers")))
    case "contentCredit":
      return .contentCredit(id: try fields.count("id"), bytes: try fields.count("bytes"))
    case "contentBody":
      guard let bytes = Data(base64Encoded: try fields.text("base64")) else {
        throw WireError(.wrongShape, "contentBody: 'base64' is no base64")
      }
      return .contentBody(
        id: try fields.count("id"), Array(bytes), isLast: fields.value["last"]?.bool ?? false)
    case "contentCancel": return .contentCancel(id: try fields.count("id"))
    case "error":
      return .error(
        code: fields.optionalCount("code") ?? 0, message: fields.optional("message") ?? "",
        session: fields.optional("session"))
    default: return nil
    }
  }

  private static func open(_ fields: Fields) throws(WireError) -> OpenRequest {
    let client = fields.value["client"]
    return OpenRequest(
      session: try fields.text("session"), document: try fields.text("document"),
      url: fields.optional("url"), origin: fields.optional("origin"),
      kind: client?["kind"]?.string.flatMap(WebClientKind.init) ?? .page,
      isPlaceholder: client?["blank"]?.bool ?? false, userAgent: client?["userAgent"]?.string,
      title: client?["title"]?.string, ticket: fields.optional("ticket"),
      isResumed: fields.value["resumed"]?.bool ?? false)
  }

  private static func dialog(_ fields: Fields) throws(WireError) -> DialogRequest {
    DialogRequest(
      id: try fields.count("id"), session: try fields.text("session"), document: try fields.text("document"),
      kind: fields.optional("kind").flatMap(DialogRequest.Kind.init), text: fields.optional("text") ?? "",
      defaultText: fields.optional("default"), features: fields.optional("features"),
      frame: FrameDescription(wire: fields.value["frame"]),
      after: fields.optionalCount("after") ?? 0)
  }

  /// The members of one control value.
  private struct Fields {
    let name: String
    let value: WireValue

    func text(_ member: String) throws(WireError) -> String {
      guard let text = value[member]?.string else { throw wrong(member, "no string") }
      return text
    }

    func count(_ member: String) throws(WireError) -> Int {
      guard let count = optionalCount(member), count >= 0 else { throw wrong(member, "no count") }
      return count
    }

    func optional(_ member: String) -> String? { value[member]?.string }

    func optionalCount(_ member: String) -> Int? {
      value[member]?.number.flatMap { Int(whole: $0) }
    }

    func pairs(_ member: String) -> [(String, String)] {
      (value[member]?.array ?? []).compactMap { pair in
        guard let pair = pair.array, pair.count == 2, let name = pair[0].string, let text = pair[1].string
        else { return nil }
        return (name, text)
      }
    }

    private func wrong(_ member: String, _ what: String) -> WireError {
      WireError(.wrongShape, "\(name): '\(member)' is \(what)")
    }
  }
}

/// A request for content that the host serves.
struct ContentRequest: Sendable {
  var id: Int
  var session: String
  var document: String?
  /// Whether the content is the one-time script that starts a document's bridge.
  var isBootstrap: Bool
  var method: String
  /// What follows `/s/<session>`, with its query.
  var path: String
  var headers: [(String, String)]

  /// The value of the first header of that name.
  func header(_ name: String) -> String? {
    headers.first { $0.0.lowercased() == name }?.1
  }
}
