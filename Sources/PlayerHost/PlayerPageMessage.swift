import PageBridgeWebKit

/// A message on the app's own channel `playerPage`, by which the page's template tells the app of what stays in the page.
enum PlayerPageMessage: Hashable, Sendable {
  /// The player asks for its stream.
  case playerReady
  /// The player cannot play, and why.
  case playerNotReady([PlayerError])
  /// The player asks for the user's bets.
  case requestUserBets
  /// What the operator's answer came to: `started`, `empty` or `error`.
  case streamData(result: String, message: String?)

  /// Reads a message. Throws a ``Refusal`` if it is malformed or of an unknown type.
  init(_ envelope: GeniusEnvelope) throws(Refusal) {
    switch envelope.type {
    case "player_ready":
      self = .playerReady
    case "player_not_ready":
      let payload = try envelope.requiredObject()
      guard let errors = payload["error"]?.array else {
        throw Refusal(reason: .notAnArray, field: "error")
      }
      var read: [PlayerError] = []
      for error in errors { read.append(try PlayerError(error)) }
      self = .playerNotReady(read)
    case "requestUserBets":
      self = .requestUserBets
    case "streamData":
      let payload = try envelope.requiredObject()
      guard let result = payload["result"]?.string else {
        throw Refusal(reason: .notText, field: "result")
      }
      self = .streamData(result: result, message: payload["message"]?.string)
    default:
      throw Refusal(reason: .unknownType)
    }
  }
}

/// One reason of `player_not_ready`.
public struct PlayerError: Hashable, Sendable {
  /// 1001 region or device not allowed, 1002 DMA zone not allowed, 1003 no deliveries found, 1004 cannot be played now.
  public var code: Int
  /// What the player says about it, for people.
  public var message: String
  /// What more it says, for whoever looks into it; may be empty.
  public var details: String

  /// Makes a reason.
  public init(code: Int, message: String, details: String) {
    self.code = code
    self.message = message
    self.details = details
  }

  /// Reads one element of the event's list; a missing text counts as empty. Throws a ``Refusal`` without a whole code.
  init(_ value: WireValue) throws(Refusal) {
    guard value.object != nil else {
      throw Refusal(reason: .payloadNotAnObject, field: "error")
    }
    guard let number = value["code"]?.number, let code = Int(whole: number) else {
      throw Refusal(reason: .notANumber, field: "code")
    }
    self.init(
      code: code, message: value["message"]?.string ?? "",
      details: value["details"]?.string ?? "")
  }
}
