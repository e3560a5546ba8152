/// What the simulated pages and hosts of a run say to each other.
public enum LoadMode: String, Sendable, CaseIterable {
  /// Each page posts a message, the host answers with the same body, and the page checks it before it posts the next one.
  case echo
  /// As `echo`, but at a fixed rate whether answers have come or not; times count from when a message was due.
  case rate
  /// Pages post without waiting for answers, as much as the window lets them; hosts check each message.
  case flood
  /// Pages stay open and post now and then: what idle sessions cost.
  case idle
  /// Hosts evaluate a script in each page and check its value before the next one.
  case evaluate
  /// The traffic of a video player: sizes and choices are told, and a toggle is answered by a script.
  case mix

  /// Whether a page's message is answered with its body.
  var isAnswered: Bool {
    switch self {
    case .echo, .rate, .idle: true
    case .flood, .evaluate, .mix: false
    }
  }

  /// Whether messages are posted by a clock and not by what has come.
  var isOpenLoop: Bool {
    switch self {
    case .rate, .idle: true
    case .echo, .flood, .evaluate, .mix: false
    }
  }
}
