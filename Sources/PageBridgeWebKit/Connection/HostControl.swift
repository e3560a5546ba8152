import BridgeProtocol

/// The control values that a host sends, as wire text.
enum HostControl {
  static func hello(app: String, epoch: String, name: String?, identity: HostIdentity?) -> [UInt8] {
    var members: [WireValue.Member] = [.init("role", "host"), .init("app", .string(app))]
    if let identity {
      members.append(.init("instance", .string(identity.instance)))
      members.append(.init("key", .string(identity.key)))
    }
    members.append(.init("epoch", .string(epoch)))
    if let name { members.append(.init("name", .string(name))) }
    return text("hello", .object(members))
  }

  static func opened(session: String, document: String, _ configuration: SessionConfiguration) -> [UInt8] {
    text(
      "opened",
      [
        "session": .string(session), "document": .string(document), "config": .object(configuration.members),
      ])
  }

  static func create(session: String) -> [UInt8] {
    text("create", ["session": .string(session)])
  }

  static func end(session: String, reason: String) -> [UInt8] {
    text("end", ["session": .string(session), "reason": .string(reason)])
  }

  static func dialogAnswer(id: Int, session: String, _ answer: DialogAnswer) -> [UInt8] {
    var members: [WireValue.Member] = [.init("id", .number(Double(id))), .init("session", .string(session))]
    switch answer {
    case .value(let value?): members.append(.init("value", value))
    case .value(nil): break
    case .present: members.append(.init("present", true))
    }
    return text("dialogAnswer", .object(members))
  }

  static func contentHead(id: Int, status: Int, headers: [(String, String)], length: Int?) -> [UInt8] {
    var members: [WireValue.Member] = [
      .init("id", .number(Double(id))), .init("status", .number(Double(status))),
      .init("headers", .array(headers.map { [.string($0.0), .string($0.1)] })),
    ]
    if let length { members.append(.init("length", .number(Double(length)))) }
    return text("contentHead", .object(members))
  }

  static func contentPart(id: Int, base64: String) -> [UInt8] {
    text("contentPart", ["id": .number(Double(id)), "base64": .string(base64)])
  }

  static func contentEnd(id: Int, error: String?) -> [UInt8] {
    var members: [WireValue.Member] = [.init("id", .number(Double(id)))]
    if let error { members.append(.init("error", .string(error))) }
    return text("contentEnd", .object(members))
  }

  private static func text(_ name: String, _ value: WireValue) -> [UInt8] {
    var writer = JSONWriter(capacity: 256)
    writer.shallow(.object([.init(name, value)]))
    return writer.bytes
  }
}
