import Observation
import WebSocketTransport

extension WKWebView {
  /// The values of a property, the present one first: what `publisher(for:)` and key-value observing give on Apple's systems.
  ///
  /// ```swift
  /// for await title in webView.values(of: \.title) { show(title) }
  /// ```
  ///
  /// A reader that is slow gets the newest value and not each one before it. The sequence ends when the web view is
  /// released, which it does not retain, or when its task is cancelled. Each call makes a sequence of its own, for one reader.
  ///
  /// - Parameter keyPath: a property that can be observed, such as ``url``, ``title``, ``isLoading``, ``estimatedProgress``,
  ///   ``canGoBack`` or ``canGoForward``; of another one only the present value comes.
  public func values<Value: Sendable>(of keyPath: KeyPath<WKWebView, Value>) -> AsyncStream<Value> {
    let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
    let watch = ValueWatch(self, keyPath, continuation)
    let id = sequences.add { continuation.finish() }
    // The sequence keeps the watch, until its reader or the view is gone.
    continuation.onTermination = { [weak sequences] _ in
      watch.end()
      sequences?.remove(id)
    }
    watch.look()
    return stream
  }
}

/// Follows one property for one sequence.
@MainActor
private final class ValueWatch<Value: Sendable> {
  private weak var view: WKWebView?
  private let keyPath: KeyPath<WKWebView, Value>
  private let continuation: AsyncStream<Value>.Continuation
  private nonisolated let isOver = Locked(false)

  init(
    _ view: WKWebView, _ keyPath: KeyPath<WKWebView, Value>,
    _ continuation: AsyncStream<Value>.Continuation
  ) {
    self.view = view
    self.keyPath = keyPath
    self.continuation = continuation
  }

  nonisolated func end() {
    isOver.withLock { $0 = true }
  }

  /// Tells the present value, and comes again behind the next change.
  func look() {
    guard let view, !isOver.withLock({ $0 }) else { return }
    let host = view.host
    let value = withObservationTracking {
      view[keyPath: keyPath]
    } onChange: { [weak self] in
      // The view's properties change on the main actor; the new value is there once the change is over.
      MainActor.assumeIsolated { host.later { self?.look() } }
    }
    continuation.yield(value)
  }
}

/// The ends of a view's sequences; its own end is theirs.
final class ValueSequences: Sendable {
  private struct State {
    var ends: [Int: @Sendable () -> Void] = [:]
    var count = 0
  }

  private let state = Locked(State())

  /// How many are being read.
  var count: Int { state.withLock { $0.ends.count } }

  func add(_ end: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.count += 1
      state.ends[state.count] = end
      return state.count
    }
  }

  func remove(_ id: Int) {
    state.withLock { $0.ends[id] = nil }
  }

  deinit {
    // Each end takes itself out of the list.
    for end in state.withLock({ Array($0.ends.values) }) { end() }
  }
}
