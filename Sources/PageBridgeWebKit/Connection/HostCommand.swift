import BridgeProtocol

/// What the main actor asks of the connection; carried out in the order given.
enum HostCommand: Sendable {
  case start
  /// A session that this host makes, announced to the relay.
  case create(session: String, SessionConfiguration, screen: String?)
  /// The closure for a visitor has run: its documents get their configuration.
  case opened(session: String, SessionConfiguration)
  /// A content of a viewer that an earlier process showed, and that this one will not show.
  case abandonRestored(session: String)
  case configure(session: String, SessionConfiguration)
  case call(session: String, id: String, method: String, params: WireValue, timeout: Duration?)
  case notify(session: String, method: String, params: WireValue)
  case answer(session: String, document: String, id: String, result: WireValue)
  case reply(session: String, document: String, id: String, ScriptAnswer)
  case dialogAnswer(id: Int, session: String, DialogAnswer)
  /// How the session's messages stand.
  case delivery(session: String, @Sendable (DeliveryState) -> Void)
  /// These messages' handlers have run.
  case done([Receipt])
  /// A document of the session is to come soon; whoever waits is told if none does.
  case expectDocument(session: String)
  case ticket(session: String, text: String)
  case serve(session: String, path: String, ServedContent)
  /// The handler of one of the app's schemes answers a request.
  case schemeHead(id: Int, SchemeHead)
  case schemeData(id: Int, [UInt8])
  case schemeEnd(id: Int, failure: String?)
  /// A change of what the browser keeps for the session's pages; the call ends when an attached page has carried it out.
  case changeWebsite(session: String, call: String, WebsiteChange)
  case serveFolder(session: String, prefix: String, folder: String)
  case trafficBody(screen: String, entry: Int)
  case trafficPause(screen: String, Bool)
  /// A new document of a viewer wants to see what crossed before.
  case retellTraffic(screen: String)
  case end(session: String, reason: String)
  case stop
}

/// What pages of a session are given at their start, and when it changes.
struct SessionConfiguration: Hashable, Sendable {
  struct Script: Hashable, Sendable {
    var source: String
    var isAtEnd: Bool
    var isMainFrameOnly: Bool
    /// nil for the page's world.
    var world: String?
  }

  struct Handler: Hashable, Sendable {
    var name: String
    var world: String?
    var replies = false

    /// A plain handler of the page's world is its name; the others say what they are.
    var value: WireValue {
      if world == nil, !replies { return .string(name) }
      var members: [WireValue.Member] = [.init("name", .string(name))]
      if replies { members.append(.init("reply", true)) }
      if let world { members.append(.init("world", .string(world))) }
      return .object(members)
    }
  }

  var handlers: [Handler]
  var settings: [WireValue.Member]
  var scripts: [Script]
  /// What stands before the names of the session's scripts in their addresses, known to its pages only.
  var scriptToken: String
  /// The app's schemes that the host serves.
  var schemes: [String] = []
  /// Grows with each change, over restarts of the host too.
  var version: Int

  /// The members that travel in `opened` and `configure`.
  var members: [WireValue.Member] {
    [
      .init("handlers", .array(handlers.map(\.value))),
      .init("settings", .object(settings)),
      .init("scriptToken", .string(scriptToken)),
      .init("version", .number(Double(version))),
    ]
  }

  /// The text that bridge.js is started with.
  ///
  /// - Parameter website: changes of website data that the page carries out first.
  func bootstrap(website: [WireValue]) -> [UInt8] {
    let scripts = scripts.map { script -> WireValue in
      var members: [WireValue.Member] = [
        .init("source", .string(script.source)), .init("time", script.isAtEnd ? "end" : "start"),
        .init("mainFrameOnly", .bool(script.isMainFrameOnly)),
      ]
      if let world = script.world { members.append(.init("world", .string(world))) }
      return .object(members)
    }
    var json = JSONWriter(capacity: 256)
    var members = members
    if !website.isEmpty { members.append(.init("website", .array(website))) }
    json.shallow(.object(members + [.init("scripts", .array(scripts))]))
    var script = JSONWriter(capacity: json.bytes.count + json.bytes.count / 8 + 32)
    script.raw("__pagebridge__.boot(\"")
    script.raw(Self.escapedForScript(json.bytes))
    script.raw("\");\n")
    return script.bytes
  }

  /// A JavaScript string literal's inside, in ASCII whatever the text: no charset, no line separator, no `</script`.
  private static func escapedForScript(_ json: [UInt8]) -> [UInt8] {
    let hex = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(json.count + json.count / 8)
    func unit(_ value: UInt16) {
      text.append(contentsOf: [
        UInt8(ascii: "\\"), UInt8(ascii: "u"), hex[Int(value >> 12)], hex[Int(value >> 8 & 15)],
        hex[Int(value >> 4 & 15)], hex[Int(value & 15)],
      ])
    }
    for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
      switch scalar {
      case "\"", "\\":
        text.append(UInt8(ascii: "\\"))
        text.append(UInt8(scalar.value))
      case "<", ">", "&": unit(UInt16(scalar.value))
      case " "..."~": text.append(UInt8(scalar.value))
      default: for codeUnit in UTF16.encode(scalar)! { unit(codeUnit) }
      }
    }
    return text
  }
}

extension JSONWriter {
  /// Writes a value whose depth this package decides, so that it cannot be too deep.
  mutating func shallow(_ value: WireValue) {
    do throws(WireError) {
      try self.value(value)
    } catch {
      preconditionFailure("a control value nests too deep")
    }
  }
}
