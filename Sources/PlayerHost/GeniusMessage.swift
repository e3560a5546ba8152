import PageBridgeWebKit

/// A message of the player on `gsVideoPlayerBridge`, with its payload read.
enum GeniusMessage: Hashable, Sendable {
  /// The player is ready.
  case initialize
  /// The fullscreen button: flips, or sets when the player says which it wants.
  case toggleFullscreen(isFullscreen: Bool?)
  case multibetEvent(MultibetEvent)
  case betslipDimensions(BetslipRectangle)
  /// A type that this app does not know.
  case unknown(type: String)
}

/// What a page's message splits into: its type, and its payload unless that is absent or null.
struct GeniusEnvelope: Hashable, Sendable {
  var type: String
  var payload: WireValue?

  /// Splits the body of a script message. Throws a ``Refusal`` if it is no object or has no text as its type.
  init(body: WireValue) throws(Refusal) {
    guard body.object != nil else { throw Refusal(reason: .notAnObject) }
    guard let type = body["type"] else { throw Refusal(reason: .typeMissing, field: "type") }
    guard let text = type.string else { throw Refusal(reason: .typeNotText, field: "type") }
    self.type = text
    payload = body.present("payload")
  }

  /// The payload of a type that needs an object.
  func requiredObject() throws(Refusal) -> WireValue {
    guard let payload else { throw Refusal(reason: .payloadMissing, field: "payload") }
    guard payload.object != nil else { throw Refusal(reason: .payloadNotAnObject, field: "payload") }
    return payload
  }
}

extension WireValue {
  /// The member of an object, unless it is absent, null or undefined: pages send these three for the same thing.
  func present(_ name: String) -> WireValue? {
    switch self[name] {
    case nil, .null, .undefined: nil
    case let value: value
    }
  }

  /// The number, if this is a finite one.
  var finiteNumber: Double? {
    number.flatMap { $0.isFinite ? $0 : nil }
  }
}

extension GeniusMessage {
  /// What became of a message: what is to be done, if anything, and what was refused of it.
  struct Reading: Hashable, Sendable {
    var message: GeniusMessage?
    var refusals: [Refusal]
  }

  /// Reads a payload according to its type.
  static func read(_ envelope: GeniusEnvelope) -> Reading {
    var reading: Reading
    do throws(Refusal) {
      reading = try readThrowing(envelope)
    } catch {
      reading = Reading(message: nil, refusals: [error])
    }
    for index in reading.refusals.indices { reading.refusals[index].type = envelope.type }
    return reading
  }

  private static func readThrowing(_ envelope: GeniusEnvelope) throws(Refusal) -> Reading {
    switch envelope.type {
    case "init":
      return Reading(message: .initialize, refusals: [])
    case "toggleFullscreen":
      guard let flag = envelope.payload?.present("isFullscreen") else {
        return Reading(message: .toggleFullscreen(isFullscreen: nil), refusals: [])
      }
      guard let wanted = flag.bool else {
        throw Refusal(reason: .notABoolean, field: "isFullscreen")
      }
      return Reading(message: .toggleFullscreen(isFullscreen: wanted), refusals: [])
    case "multibet-event":
      let (event, refusals) = MultibetEvent.read(try envelope.requiredObject())
      return Reading(message: .multibetEvent(event), refusals: refusals)
    case "betslip-container-dimensions":
      let rectangle = try BetslipRectangle(payload: try envelope.requiredObject())
      return Reading(message: .betslipDimensions(rectangle), refusals: [])
    default:
      return Reading(message: .unknown(type: envelope.type), refusals: [])
    }
  }
}
