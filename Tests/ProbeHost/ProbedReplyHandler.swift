import Foundation
import PageBridgeWebKit

/// A handler that answers in one of several ways: `{"value"}`, `{"error"}`, "echo", "drop", "hold", "twice" or
/// "echoReversed", which waits for a batch of messages and answers the last one first.
///
/// With `"afterMillis"` in the object the answer comes that much later; with `"held"` a command gives it.
@MainActor
final class ProbedReplyHandler: NSObject, WKScriptMessageHandlerWithReply {
  private let reply: JSONValue
  private let batch: Int?
  private weak var view: ProbedView?
  private var held: [(message: WKScriptMessage, answer: @MainActor (Any?, String?) -> Void)] = []

  init(reply: JSONValue, batch: Int?, view: ProbedView) {
    self.reply = reply
    self.batch = batch
    self.view = view
  }

  func userContentController(
    _ userContentController: WKUserContentController, didReceive message: WKScriptMessage,
    replyHandler: @escaping @MainActor (Any?, String?) -> Void
  ) {
    view?.received(message, by: "reply")
    switch reply.string {
    case "echo": replyHandler(message.body, nil)
    case "drop": break
    case "hold": held.append((message, replyHandler))
    case "twice":
      replyHandler(message.body, nil)
      replyHandler(nil, "a second answer")
    case "echoReversed":
      held.append((message, replyHandler))
      if held.count == batch { answerHeld(reversed: true) }
    default:
      if let delay = reply["afterMillis"]?.number {
        Task {
          try await Task.sleep(for: .milliseconds(delay))
          answer(message, replyHandler)
        }
      } else if reply["held"]?.bool == true {
        held.append((message, replyHandler))
      } else {
        answer(message, replyHandler)
      }
    }
  }

  /// Answers what was held, with the handler's value or else the message's body.
  func answerHeld(reversed: Bool) {
    let waiting = reversed ? held.reversed() : held
    held = []
    for (message, replyHandler) in waiting { answer(message, replyHandler) }
  }

  private func answer(_ message: WKScriptMessage, _ replyHandler: @MainActor (Any?, String?) -> Void) {
    if reply["value"] == nil, reply["error"] == nil { return replyHandler(message.body, nil) }
    replyHandler(reply["value"].flatMap(Notation.object), reply["error"]?.string)
  }
}
