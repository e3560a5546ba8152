import WebSocketTransport

/// What is known about who answers policy questions.
///
/// Swift does not tell whether a protocol's default or the app's own method is called. But the last default of each chain
/// knows, and notes the delegate's class here, so that later questions need not be asked, nor pages wait for them.
@MainActor
enum PolicyQuestion {
  enum Subject: Hashable {
    case action, response
  }

  private struct Key: Hashable {
    let type: ObjectIdentifier
    let subject: Subject
  }

  private static var unanswered: Set<Key> = []

  static func nobodyAnswered(_ delegate: any WKNavigationDelegate, of subject: Subject) {
    unanswered.insert(key(delegate, subject))
  }

  /// Whether that delegate's class may have an answer of its own.
  static func isAnswered(by delegate: any WKNavigationDelegate, _ subject: Subject) -> Bool {
    !unanswered.contains(key(delegate, subject))
  }

  private static func key(_ delegate: any WKNavigationDelegate, _ subject: Subject) -> Key {
    Key(type: ObjectIdentifier(type(of: delegate)), subject: subject)
  }
}

/// Takes the first answer of a delegate, and cancels when a delegate lets go of its closure without one, which is reported.
///
/// WebKit raises an exception in both cases; a host carries other sessions that must go on.
final class PolicyAnswer<Policy: Sendable>: Sendable where Policy: CancellablePolicy {
  private let state: Locked<(@Sendable (Policy) -> Void)?>

  private let mistaken: @Sendable (String) -> Void

  /// - Parameter mistaken: reports a mistake of the app.
  init(
    mistaken: @escaping @Sendable (String) -> Void, _ handler: @escaping @Sendable (Policy) -> Void
  ) {
    self.mistaken = mistaken
    state = Locked(handler)
  }

  func give(_ policy: Policy) {
    take()?(policy)
  }

  deinit {
    if let handler = take() {
      mistaken("a navigation delegate did not call its decision handler; taken as .cancel")
      handler(.cancel)
    }
  }

  private func take() -> (@Sendable (Policy) -> Void)? {
    state.withLock { handler in
      defer { handler = nil }
      return handler
    }
  }
}

/// A policy that can say no.
protocol CancellablePolicy {
  static var cancel: Self { get }
}

extension WKNavigationActionPolicy: CancellablePolicy {}
extension WKNavigationResponsePolicy: CancellablePolicy {}
