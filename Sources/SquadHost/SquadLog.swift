import PageBridgeWebKit

/// What crossed the bridge and what came of it, the newest last: the guide's "log all communication".
struct SquadLog: Sendable {
  enum Direction: String, Hashable, Sendable {
    case fromPage
    case toPage
    /// What the app itself did.
    case app

    var sign: String {
      switch self {
      case .fromPage: "←"
      case .toPage: "→"
      case .app: "·"
      }
    }
  }

  struct Entry: Hashable, Sendable {
    var number: Int
    var direction: Direction
    var text: String

    var line: String { "\(direction.sign) \(text)" }
  }

  private(set) var entries: [Entry] = []
  private var count = 0

  @discardableResult
  mutating func add(_ direction: Direction, _ text: String) -> Entry {
    count += 1
    let entry = Entry(number: count, direction: direction, text: text)
    entries.append(entry)
    if entries.count > SquadLimits.logEntries { entries.removeFirst() }
    return entry
  }

  /// The value as people read it, cut where it gets long.
  static func text(_ value: WireValue) -> String {
    var text = ""
    write(value, into: &text, depth: 0)
    return text.count > SquadLimits.logTextLength
      ? text.prefix(SquadLimits.logTextLength) + "…" : text
  }

  private static func write(_ value: WireValue, into text: inout String, depth: Int) {
    guard text.utf8.count <= 8 * SquadLimits.logTextLength else { return }
    switch value {
    case .undefined: text += "undefined"
    case .null: text += "null"
    case .bool(let flag): text += flag ? "true" : "false"
    case .number(let number):
      text += number == number.rounded() && abs(number) < 1e15 ? String(Int64(number)) : "\(number)"
    case .string(let string): text += "\"\(string.prefix(SquadLimits.logTextLength))\""
    case .date(let milliseconds): text += "date \(milliseconds)"
    case .array(let elements):
      text += "["
      for (index, element) in elements.prefix(32).enumerated() {
        if index > 0 { text += ", " }
        if depth < 8 { write(element, into: &text, depth: depth + 1) } else { text += "…" }
      }
      text += "]"
    case .object(let members):
      text += "{"
      for (index, member) in members.prefix(32).enumerated() {
        if index > 0 { text += ", " }
        text += "\(member.name.prefix(64)): "
        if depth < 8 { write(member.value, into: &text, depth: depth + 1) } else { text += "…" }
      }
      text += "}"
    }
  }
}
