import BridgeProtocol
import Synchronization

/// A page's script that stands still until the app has answered, or the person at the browser.
///
/// It may be answered on any thread; what a browser reports comes on the main actor.
final class PageDialog: Sendable {
  /// Takes what the browser reports; nil when the page is gone.
  typealias Report = @MainActor @Sendable (WireValue?) -> Void

  private enum State {
    case asked
    case presented(Report)
    case over
  }

  let request: DialogRequest
  private let connection: HostConnection
  private let state = Mutex(State.asked)

  init(_ request: DialogRequest, connection: HostConnection) {
    self.request = request
    self.connection = connection
  }

  var isOver: Bool {
    state.withLock { if case .over = $0 { true } else { false } }
  }

  /// Answers the page; nil is the answer of a view without a delegate. Without effect once it is answered, shown or cancelled.
  func answer(_ value: WireValue?) {
    let isFirst = state.withLock { state in
      guard case .asked = state else { return false }
      state = .over
      return true
    }
    if isFirst {
      connection.submit(.dialogAnswer(id: request.id, session: request.session, .value(value)))
    }
  }

  /// Lets the browser show the dialog; false if that is too late.
  func present(_ report: @escaping Report) -> Bool {
    let isFirst = state.withLock { state in
      guard case .asked = state else { return false }
      state = .presented(report)
      return true
    }
    if isFirst { connection.submit(.dialogAnswer(id: request.id, session: request.session, .present)) }
    return isFirst
  }

  /// The browser tells how its dialog ended.
  @MainActor
  func reported(_ value: WireValue?) {
    finish()?(value)
  }

  /// The page is gone: whoever waits for the browser's report waits no longer.
  @MainActor
  func cancel() {
    finish()?(nil)
  }

  /// The relay is out of reach, and has let the page go on; what a browser shows already it reports later.
  func lostRelay() {
    state.withLock { state in
      if case .asked = state { state = .over }
    }
  }

  private func finish() -> Report? {
    state.withLock { state in
      defer { state = .over }
      if case .presented(let report) = state { return report }
      return nil
    }
  }
}

/// Takes the first call of a completion handler, and answers for a delegate that lets go of it uncalled.
final class DialogReply<Value: Sendable>: Sendable {
  private let method: String
  private let fallback: Value
  private let mistaken: @Sendable (String) -> Void
  private let handler: Mutex<(@Sendable (Value) -> Void)?>

  /// - Parameters:
  ///   - method: the delegate's method, for reports.
  ///   - fallback: the answer of a view without a delegate.
  ///   - mistaken: hears of what WebKit would stop the app for.
  init(
    _ method: String, fallback: Value, mistaken: @escaping @Sendable (String) -> Void,
    handler: @escaping @Sendable (Value) -> Void
  ) {
    self.method = method
    self.fallback = fallback
    self.mistaken = mistaken
    self.handler = Mutex(handler)
  }

  func give(_ value: Value) {
    guard let handler = take() else {
      return mistaken("the completion handler of \(method) was called twice; the first answer stays")
    }
    handler(value)
  }

  deinit {
    guard let handler = take() else { return }
    mistaken(
      "the completion handler of \(method) was let go without a call; the page goes on as without a delegate")
    handler(fallback)
  }

  private func take() -> (@Sendable (Value) -> Void)? {
    handler.withLock { handler in
      defer { handler = nil }
      return handler
    }
  }
}
