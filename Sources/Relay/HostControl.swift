import BridgeProtocol
import Foundation

/// A control value of a host.
enum HostControl {
  case opened(Opened)
  case create(session: String)
  case end(End)
  case dialogAnswer(DialogAnswer)
  case contentHead(ContentHead)
  case contentPart(ContentPart)
  case contentEnd(ContentEnd)
  case contentCancel(id: Int)

  struct Opened: Decodable {
    var session: String
    var document: String
    /// The configuration as the host wrote it.
    var config: [UInt8]?

    enum CodingKeys: CodingKey { case session, document }
  }

  struct End: Decodable {
    var session: String
    var reason: String?
  }

  struct DialogAnswer: Decodable {
    var id: Int
    var session: String
    /// Whether the browser itself is to show the dialog.
    var present: Bool?
    /// The answer as the host wrote it; nil for the answer of a view without a delegate.
    var value: [UInt8]?

    enum CodingKeys: CodingKey { case id, session, present }
  }

  struct ContentHead: Decodable {
    var id: Int
    var status: Int
    var headers: [[String]]?
    var length: Int?
  }

  struct ContentPart: Decodable {
    var id: Int
    var base64: String
  }

  struct ContentEnd: Decodable {
    var id: Int
    var error: String?
  }

  private struct Session: Decodable { var session: String }
  private struct Content: Decodable { var id: Int }

  /// Reads a control value: an object whose only member names it.
  init(_ text: UnsafeRawBufferPointer) throws(Refusal) {
    let data = Data(text)
    guard let name = Self.name(of: text), Self.names.contains(name) else {
      throw Refusal(.unknownControl, "The control value is not one of the protocol's.")
    }
    func read<Body: Decodable>(_ type: Body.Type) throws(Refusal) -> Body {
      guard let members = try? JSONDecoder().decode([String: Body].self, from: data), members.count == 1,
        let body = members[name]
      else {
        throw Refusal(.malformedControl, "The control value \(name) has the wrong shape.")
      }
      return body
    }
    func checked(session: String) throws(Refusal) -> String {
      guard Identifiers.isSession(session) else {
        throw Refusal(.malformedControl, "The control value \(name) names no session.")
      }
      return session
    }
    // Decoders take some texts that are not JSON, such as a line feed in a string; browsers' readers do not.
    func passedOn(_ member: String) throws(Refusal) -> [UInt8]? {
      guard let value = JSONSlice.member(name, of: data).flatMap({ JSONSlice.member(member, of: $0) }) else {
        return nil
      }
      guard JSONSlice.isStrict(value) else {
        throw Refusal(.malformedControl, "The member \(member) of the control value \(name) is not JSON.")
      }
      return value
    }
    switch name {
    case "opened":
      var opened = try read(Opened.self)
      opened.session = try checked(session: opened.session)
      guard Identifiers.isDocument(opened.document) else {
        throw Refusal(.malformedControl, "The control value opened names no document.")
      }
      opened.config = try passedOn("config")
      self = .opened(opened)
    case "create":
      self = .create(session: try checked(session: try read(Session.self).session))
    case "end":
      var end = try read(End.self)
      end.session = try checked(session: end.session)
      self = .end(end)
    case "dialogAnswer":
      var answer = try read(DialogAnswer.self)
      answer.session = try checked(session: answer.session)
      answer.value = try passedOn("value")
      self = .dialogAnswer(answer)
    case "contentHead":
      let head = try read(ContentHead.self)
      let hasPairs = head.headers?.allSatisfy { $0.count == 2 } ?? true
      guard hasPairs, (head.length ?? 0) >= 0 else {
        throw Refusal(.malformedControl, "The control value contentHead has the wrong shape.")
      }
      self = .contentHead(head)
    case "contentPart": self = .contentPart(try read(ContentPart.self))
    case "contentEnd": self = .contentEnd(try read(ContentEnd.self))
    default: self = .contentCancel(id: try read(Content.self).id)
    }
  }

  private static let names: Set<String> = [
    "opened", "create", "end", "dialogAnswer", "contentHead", "contentPart", "contentEnd", "contentCancel",
  ]

  /// The first member's name, if the text begins like an object with a plain one.
  private static func name(of text: UnsafeRawBufferPointer) -> String? {
    let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    guard text.first == UInt8(ascii: "{") else { return nil }
    let rest = text.dropFirst().drop(while: isSpace)
    guard rest.first == UInt8(ascii: "\"") else { return nil }
    return String(decoding: rest.dropFirst().prefix(32).prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
  }
}
