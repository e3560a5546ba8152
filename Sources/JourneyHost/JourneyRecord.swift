import Foundation
import PageBridgeWebKit

/// What the journey's host writes to its events file: this is the one list of it, and those who watch the host, people and
/// tests, need nothing else of it. Each event carries the session of the web view, or of the newest one while there is none.
/// The library adds its own events, among them `frame`, `bars` and `views`.
enum JourneyRecord {
  /// The names (`key`) of events `state`: told at the start of each web view and then whenever `value` changes. Each also
  /// has `isOnMainQueue`.
  enum StateKey: String, Hashable, Sendable, CaseIterable {
    /// How many messages of the page were decoded in all.
    case receivedCount
    /// How many of them are kept.
    case keptCount
    /// How many requests are parked.
    case pendingCount
    /// The newest error, or null.
    case lastError
    /// The correlation id of the request that the document's slot answers, or null.
    case activeDocument
    /// The correlation id of the request that the selfie's slot answers, or null.
    case activeSelfie
    /// The correlation id of the request that the chip reader answers, or null.
    case activeChip
    /// Whether the document's slot answers requests.
    case offersDocument
    /// Whether the selfie's slot answers requests.
    case offersSelfie
    /// Whether there is a chip reader.
    case offersChip
    /// `granted`, `denied` or `notDetermined`.
    case cameraPermission
    /// The address that was opened outside last, or null.
    case openedOutside
    /// Boolean: there is a web view.
    case isOpen
    /// The address that the web view was told to show.
    case url
  }

  /// Events of their own.
  enum Event: String, Hashable, Sendable, CaseIterable {
    /// `type`, `action`, `correlationId`, `data`: the delegate saw a message of the page.
    case received
    /// `type`, `action`, `correlationId`, `data`, `status`, `code`: the delegate saw a message to the page.
    case sent
    /// `message`: ``BridgeHost/lastError`` was set.
    case bridgeError
    /// `subject`, `bytes` (of the base64), `width`, `height`, `mimeType`, `isGenerated`: a picture came from the screen.
    case picture
  }

  /// Texts in recorded data are cut behind this many characters; pictures are millions long.
  static let longestText = 120

  /// Data as it is recorded: long texts are cut, with their length behind.
  static func abridged(_ value: JSONValue) -> WireValue {
    switch value {
    case .string(let text) where text.utf8.count > longestText:
      .string("\(text.prefix(longestText))… (\(text.utf8.count) bytes)")
    case .array(let elements): .array(elements.map(abridged))
    case .object(let members):
      .object(
        members.sorted { $0.key < $1.key }.map { WireValue.Member($0.key, abridged($0.value)) })
    default: value.wireValue
    }
  }
}

/// Writes a web view's records under its session.
@MainActor
struct JourneyRecorder {
  let events: HostEvents
  let session: String

  func callAsFunction(_ key: JourneyRecord.StateKey, _ value: WireValue) {
    events.record(
      "state",
      [
        "key": .string(key.rawValue), "value": value, "isOnMainQueue": .bool(MainQueue.isCurrent),
      ], session: session)
  }

  func callAsFunction(_ event: JourneyRecord.Event, _ members: KeyValuePairs<String, WireValue>) {
    events.record(event.rawValue, members, session: session)
  }
}

extension JourneyRecorder {
  /// Records a message that the delegate saw.
  func callAsFunction(_ event: JourneyRecord.Event, _ message: BridgeMessage) {
    let payload = message.payload
    self(
      event,
      [
        "type": .string(message.type.rawValue), "action": .string(payload.action),
        "correlationId": .string(message.correlationId),
        "data": payload.data.map { JourneyRecord.abridged(.object($0)) } ?? .null,
        "status": payload.status.map { .string($0.rawValue) } ?? .null,
        "code": payload.error.map { .string($0.code.rawValue) } ?? .null,
      ])
  }
}
