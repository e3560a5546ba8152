import PageBridgeWebKit

/// Reads messages of the page, and refuses what breaks the rules of ``SquadMessage``.
struct SquadMessageReader: Sendable {
  /// Whether `data` is checked. Without it a known type is enough, as in the published bridge, and what `data` lacks is
  /// read as empty.
  var validates = true
  var addresses: SquadAddressRule

  /// Reads a body.
  ///
  /// - Throws: ``SquadRefusal``.
  func read(_ body: WireValue) throws(SquadRefusal) -> SquadMessage {
    guard body.object != nil else { throw SquadRefusal(reason: .notAnObject) }
    let kind = try kind(of: body)
    guard validates else { return lenient(kind, body["data"] ?? [:]) }
    guard let data = body["data"], data != .undefined, data != .null else {
      throw SquadRefusal(reason: .dataMissing, type: kind.rawValue)
    }
    guard data.object != nil else { throw SquadRefusal(reason: .dataNotAnObject, type: kind.rawValue) }
    let fields = Fields(type: kind.rawValue, data: data)
    switch kind {
    case .call: return .call(try call(fields))
    case .navigation: return .navigation(try route(fields))
    case .error:
      return .error(
        SquadProductError(
          code: try fields.text("code", limit: SquadLimits.identifierLength),
          message: try fields.optionalText("message", limit: SquadLimits.messageLength)))
    }
  }

  private func kind(of body: WireValue) throws(SquadRefusal) -> SquadMessage.Kind {
    guard let type = body["type"], type != .undefined, type != .null else {
      throw SquadRefusal(reason: .typeMissing)
    }
    guard let name = type.string else { throw SquadRefusal(reason: .typeNotText) }
    guard let kind = SquadMessage.Kind(rawValue: name) else {
      throw SquadRefusal(reason: .unknownType, type: String(name.prefix(SquadLimits.identifierLength)))
    }
    return kind
  }

  private func call(_ fields: Fields) throws(SquadRefusal) -> SquadCallMessage {
    let name = try fields.text("action", limit: SquadLimits.identifierLength)
    guard let action = SquadCallMessage.Action(rawValue: name) else {
      throw SquadRefusal(reason: .unknownAction, type: fields.type, field: "action")
    }
    var message = SquadCallMessage(
      action: action, callId: try fields.text("callId", limit: SquadLimits.identifierLength))
    message.title = try fields.optionalText("title", limit: SquadLimits.titleLength)
    if action == .emoji {
      message.emoji = try fields.text("emoji", limit: SquadLimits.emojiLength)
    }
    return message
  }

  private func route(_ fields: Fields) throws(SquadRefusal) -> SquadRoute {
    if fields.has("route") {
      let path = try fields.text("route", limit: SquadLimits.addressLength)
      guard path.hasPrefix("/"), !path.hasPrefix("//") else {
        throw SquadRefusal(reason: .addressNotAllowed, type: fields.type, field: "route")
      }
      return .path(path)
    }
    guard fields.has("url") else {
      throw SquadRefusal(reason: .fieldMissing, type: fields.type, field: "route")
    }
    let text = try fields.text("url", limit: SquadLimits.addressLength)
    guard let url = URL(string: text), addresses.isProduct(url) else {
      throw SquadRefusal(reason: .addressNotAllowed, type: fields.type, field: "url")
    }
    return .address(url)
  }

  private func lenient(_ kind: SquadMessage.Kind, _ data: WireValue) -> SquadMessage {
    switch kind {
    case .call:
      .call(
        SquadCallMessage(
          action: data["action"]?.string.flatMap(SquadCallMessage.Action.init) ?? .start,
          callId: data["callId"]?.string ?? "", title: data["title"]?.string,
          emoji: data["emoji"]?.string))
    case .navigation: .navigation(.path(data["route"]?.string ?? "/"))
    case .error: .error(SquadProductError(code: data["code"]?.string ?? "", message: data["message"]?.string))
    }
  }
}

/// The members of `data`, read with their bounds.
private struct Fields {
  let type: String
  let data: WireValue

  /// Null counts as absent.
  func has(_ name: String) -> Bool {
    switch data[name] {
    case nil, .null, .undefined: false
    case .bool, .number, .string, .date, .array, .object: true
    }
  }

  func text(_ name: String, limit: Int) throws(SquadRefusal) -> String {
    guard let text = try optionalText(name, limit: limit) else {
      throw SquadRefusal(reason: .fieldMissing, type: type, field: name)
    }
    guard !text.isEmpty else { throw SquadRefusal(reason: .fieldEmpty, type: type, field: name) }
    return text
  }

  func optionalText(_ name: String, limit: Int) throws(SquadRefusal) -> String? {
    guard has(name) else { return nil }
    guard let text = data[name]?.string else {
      throw SquadRefusal(reason: .fieldNotText, type: type, field: name)
    }
    guard text.unicodeScalars.count <= limit else {
      throw SquadRefusal(reason: .fieldTooLong, type: type, field: name)
    }
    return text
  }
}
