import BridgeProtocol

/// What crossed the bridge of the web views that one viewer shows, for its side panel.
struct TrafficLog: Sendable {
  enum Direction: String, Sendable {
    case toHost, toPage
  }

  private struct Entry: Sendable {
    let number: Int
    let time: Int
    let direction: Direction
    let name: String
    let kind: String
    let bytes: Int
    let preview: String
    var body: [UInt8]?
  }

  /// Entries that are kept, and sent again to a viewer that was reloaded.
  static let keptEntries = 200
  /// Bytes of bodies that are kept in all; the oldest go first.
  static let keptBodyBytes = 4 * 1_048_576
  /// A longer body is not kept.
  static let maxBodyBytes = 1_048_576
  private static let previewCharacters = 120

  private var entries: [Entry] = []
  private var nextNumber = 1
  private var firstUnsent = 1
  private var bodyBytes = 0
  var isPaused = false

  /// Whether something waits for the viewer.
  var hasUnsent: Bool { firstUnsent < nextNumber }

  mutating func note(
    _ direction: Direction, name: String, kind: String, body: some Collection<UInt8>, time: Int
  ) {
    guard !isPaused else { return }
    let preview = String(decoding: body.prefix(Self.previewCharacters * 4), as: UTF8.self)
      .prefix(Self.previewCharacters)
    let keeps = body.count <= Self.maxBodyBytes
    entries.append(
      Entry(
        number: nextNumber, time: time, direction: direction, name: name, kind: kind, bytes: body.count,
        preview: String(preview), body: keeps ? Array(body) : nil))
    nextNumber += 1
    bodyBytes += keeps ? body.count : 0
    if entries.count > Self.keptEntries {
      bodyBytes -= entries.removeFirst().body?.count ?? 0
    }
    for index in entries.indices where bodyBytes > Self.keptBodyBytes {
      bodyBytes -= entries[index].body?.count ?? 0
      entries[index].body = nil
    }
    firstUnsent = max(firstUnsent, entries[0].number)
  }

  /// A new document of the viewer knows nothing yet.
  mutating func resend() {
    firstUnsent = entries.first?.number ?? nextNumber
  }

  /// The message that tells the viewer what it has not seen.
  mutating func takeUnsent() -> WireValue {
    let unsent = entries.filter { $0.number >= firstUnsent }
    firstUnsent = nextNumber
    return [
      "type": "traffic",
      "entries": .array(
        unsent.map { entry in
          [
            "entry": .number(Double(entry.number)), "time": .number(Double(entry.time)),
            "direction": .string(entry.direction.rawValue), "name": .string(entry.name),
            "kind": .string(entry.kind), "bytes": .number(Double(entry.bytes)),
            "preview": .string(entry.preview),
          ]
        }),
    ]
  }

  /// The message that answers a question for a body; a text says so when it is no longer kept.
  func body(of number: Int) -> WireValue {
    let body = entries.first { $0.number == number }?.body
    return [
      "type": "trafficBody", "entry": .number(Double(number)),
      "body": .string(body.map { String(decoding: $0, as: UTF8.self) } ?? "(no longer kept)"),
    ]
  }
}
