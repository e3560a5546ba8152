import Synchronization

/// Who answers messages that pages post to a name. See Apple's page "WKScriptMessageHandlerWithReply".
///
/// The method is declared in each spelling that Swift tells apart: with Apple's `@MainActor` closure
/// (`@MainActor @Sendable` is the same type), with a plain one, and `async`. The defaults lead from one to the next, so
/// that whichever an app implements is called, and only that.
///
/// A reply is a value that may cross (see ``WKScriptMessage/body``) or nil, which the page gets as `undefined`. An error
/// text, even an empty one, rejects the page's promise with an `Error` of that message, whatever the value.
@MainActor
public protocol WKScriptMessageHandlerWithReply: AnyObject {
  /// A page posted a message and waits for `replyHandler`, which is called once, now or later.
  func userContentController(
    _ userContentController: WKUserContentController, didReceive message: WKScriptMessage,
    replyHandler: @escaping @MainActor (Any?, String?) -> Void)
  /// A page posted a message and waits for an answer, in the spelling without an actor; call it on the main actor.
  func userContentController(
    _ userContentController: WKUserContentController, didReceive message: WKScriptMessage,
    replyHandler: @escaping (Any?, String?) -> Void)
  /// A page posted a message and waits for the answer, in the asynchronous spelling.
  func userContentController(
    _ userContentController: WKUserContentController, didReceive message: WKScriptMessage
  ) async -> (Any?, String?)
}

extension WKScriptMessageHandlerWithReply {
  public func userContentController(
    _ userContentController: WKUserContentController, didReceive message: WKScriptMessage,
    replyHandler: @escaping @MainActor (Any?, String?) -> Void
  ) {
    let plain: (Any?, String?) -> Void = { value, error in
      nonisolated(unsafe) let value = value
      MainActor.assumeIsolated { replyHandler(value, error) }
    }
    self.userContentController(userContentController, didReceive: message, replyHandler: plain)
  }

  public func userContentController(
    _ userContentController: WKUserContentController, didReceive message: WKScriptMessage,
    replyHandler: @escaping (Any?, String?) -> Void
  ) {
    Task { @MainActor in
      let (value, error) = await self.userContentController(userContentController, didReceive: message)
      replyHandler(value, error)
    }
  }

  public func userContentController(
    _ userContentController: WKUserContentController, didReceive message: WKScriptMessage
  ) async -> (Any?, String?) {
    (nil, ScriptReply.nobodyAnswered)
  }
}

/// The one answer to a message that waits for one.
///
/// WebKit stops the app that answers twice; a host carries other visitors' sessions too, so here the second answer is
/// dropped and the mistake reported. An answer that never comes, because the closure was let go, is told to the page.
final class ScriptReply: Sendable {
  static let nobodyAnswered = "WKWebView API client did not respond to this postMessage"
  static let unsupportedValue =
    "The result value passed back from the WKWebView API client was unable to be serialized"

  private let handler: Mutex<(@Sendable (ScriptAnswer) -> Void)?>
  private let mistaken: @Sendable (String) -> Void

  /// - Parameters:
  ///   - handler: takes the answer, on the thread of whoever gives it.
  ///   - mistaken: hears of a second answer.
  init(mistaken: @escaping @Sendable (String) -> Void, handler: @escaping @Sendable (ScriptAnswer) -> Void) {
    self.mistaken = mistaken
    self.handler = Mutex(handler)
  }

  func give(_ value: Any?, _ error: String?) {
    guard let handler = take() else {
      return mistaken("a reply handler was called twice; the first answer stays")
    }
    if let error {
      handler(.error(error))
    } else if let value = WireValue(foundationObject: value) {
      handler(.value(value))
    } else {
      handler(.error(Self.unsupportedValue))
    }
  }

  deinit {
    take()?(.error(Self.nobodyAnswered))
  }

  private func take() -> (@Sendable (ScriptAnswer) -> Void)? {
    handler.withLock { handler in
      defer { handler = nil }
      return handler
    }
  }
}

/// What a page's promise ends with.
enum ScriptAnswer: Sendable {
  case value(WireValue)
  /// The message of the error that the promise is rejected with.
  case error(String)
}
