/// A call as the app follows it. One at a time: a new one takes the place of the one before.
struct SquadCall: Hashable, Sendable {
  enum Phase: String, Hashable, Sendable {
    /// The app has told the page of it; nobody has answered.
    case incoming
    /// Page and app are in it.
    case active
  }

  /// What came of a message about calls.
  enum Outcome: Hashable, Sendable {
    case changed
    case reacted(String)
    /// It speaks of a call that there is not.
    case noSuchCall
  }

  var id: String
  var title: String
  var phase: Phase
  var emoji: [String] = []

  /// Emoji that are shown; the oldest go first.
  static let shownEmoji = 6

  /// Takes what the page says of calls.
  static func take(_ message: SquadCallMessage, _ call: inout SquadCall?) -> Outcome {
    if message.action == .start {
      call = SquadCall(
        id: message.callId, title: message.title.map(Self.shown) ?? "Call", phase: .active)
      return .changed
    }
    guard var current = call, current.id == message.callId else { return .noSuchCall }
    switch message.action {
    case .start, .accept:
      current.phase = .active
      call = current
      return .changed
    case .decline, .end:
      call = nil
      return .changed
    case .emoji:
      let emoji = message.emoji ?? ""
      current.react(emoji)
      call = current
      return .reacted(emoji)
    }
  }

  /// A title without the characters that turn the writing direction of what stands beside it.
  static func shown(_ title: String) -> String {
    String(
      String.UnicodeScalarView(
        title.unicodeScalars.filter {
          !(0x202A...0x202E).contains($0.value) && !(0x2066...0x2069).contains($0.value)
        }))
  }

  /// Shows another emoji.
  mutating func react(_ emoji: String) {
    self.emoji = (self.emoji + [emoji]).suffix(Self.shownEmoji)
  }
}
