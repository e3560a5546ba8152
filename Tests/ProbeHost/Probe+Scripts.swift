import Foundation
import PageBridgeWebKit

/// Commands about scripts, worlds, frames and handlers that reply.
extension Probe {
  /// nil: the answer comes later.
  func performScriptCommand(_ command: JSONValue, on view: ProbedView) throws -> JSONValue? {
    switch command["do"]?.string ?? "" {
    case "evaluateIn":
      view.webView.evaluateJavaScript(
        try source(command), in: try frame(command, of: view), in: world(command),
        completionHandler: completion(command))
      return nil
    case "callAsync":
      var arguments: [String: Any] = [:]
      for (name, value) in command["arguments"]?.object ?? [:] {
        arguments[name] = Notation.object(value) as Any
      }
      view.webView.callAsyncJavaScript(
        try source(command), arguments: arguments, in: try frame(command, of: view), in: world(command),
        completionHandler: completion(command))
      return nil
    case "callRegistered":
      var arguments: [Any?] = []
      for value in command["arguments"]?.array ?? [] { arguments.append(Notation.object(value)) }
      view.webView.callRegisteredFunction(
        try text("name", of: command), arguments: arguments, completionHandler: completion(command))
      return nil
    case "answerHeld":
      for handler in view.replyHandlers { handler.answerHeld(reversed: command["reversed"]?.bool ?? false) }
    case "shareController":
      sharedController = view.webView.configuration.userContentController
    case "block":
      // The main thread has something else to do meanwhile.
      Thread.sleep(forTimeInterval: (command["millis"]?.number ?? 0) / 1_000)
    case "errorCodes":
      let codes: [(String, WKError.Code)] = [
        ("unknown", .unknown), ("webContentProcessTerminated", .webContentProcessTerminated),
        ("webViewInvalidated", .webViewInvalidated),
        ("javaScriptExceptionOccurred", .javaScriptExceptionOccurred),
        ("javaScriptResultTypeIsUnsupported", .javaScriptResultTypeIsUnsupported),
        ("contentRuleListStoreCompileFailed", .contentRuleListStoreCompileFailed),
        ("contentRuleListStoreLookUpFailed", .contentRuleListStoreLookUpFailed),
        ("contentRuleListStoreRemoveFailed", .contentRuleListStoreRemoveFailed),
        ("contentRuleListStoreVersionMismatch", .contentRuleListStoreVersionMismatch),
        ("attributedStringContentFailedToLoad", .attributedStringContentFailedToLoad),
        ("attributedStringContentLoadTimedOut", .attributedStringContentLoadTimedOut),
        ("javaScriptInvalidFrameTarget", .javaScriptInvalidFrameTarget),
        ("navigationAppBoundDomain", .navigationAppBoundDomain),
        ("javaScriptAppBoundDomain", .javaScriptAppBoundDomain),
        ("duplicateCredential", .duplicateCredential), ("malformedCredential", .malformedCredential),
        ("credentialNotFound", .credentialNotFound),
      ]
      return .object(Dictionary(uniqueKeysWithValues: codes.map { ($0, JSONValue($1.rawValue)) }))
    case "userScripts":
      return .array(
        view.webView.configuration.userContentController.userScripts.map { script in
          [
            "source": .string(script.source),
            "time": script.injectionTime == .atDocumentEnd ? "end" : "start",
            "mainFrameOnly": .bool(script.isForMainFrameOnly),
          ]
        })
    case "worlds":
      let named = WKContentWorld.world(name: "A")
      return [
        "sameName": .bool(named === WKContentWorld.world(name: "A")),
        "otherName": .bool(named === WKContentWorld.world(name: "B")),
        "pageName": JSONValue(WKContentWorld.page.name),
        "clientName": JSONValue(WKContentWorld.defaultClient.name), "namedName": JSONValue(named.name),
        "pageIsClient": .bool(WKContentWorld.page === WKContentWorld.defaultClient),
      ]
    default:
      return try performDataCommand(command, on: view)
    }
    return true
  }

  func addHandler(_ command: JSONValue, on view: ProbedView) throws {
    let content = view.webView.configuration.userContentController
    let name = try text("name", of: command)
    if let reply = command["reply"] {
      let handler = ProbedReplyHandler(reply: reply, view: view)
      view.replyHandlers.append(handler)
      content.addScriptMessageHandler(handler, contentWorld: world(command), name: name)
    } else {
      content.add(ProbedHandler(label: "added", view: view), contentWorld: world(command), name: name)
    }
  }

  /// "page", "client" or "named:NAME"; the page's if none is named.
  func world(_ command: JSONValue) -> WKContentWorld {
    switch command["world"]?.string {
    case nil, "page": .page
    case "client": .defaultClient
    case let name?: .world(name: String(name.dropFirst("named:".count)))
    }
  }

  static func name(of world: WKContentWorld) -> String {
    world === WKContentWorld.page ? "page" : world.name.map { "named:" + $0 } ?? "client"
  }

  /// `"frame": "last"` is the frame inside the page that posted last.
  private func frame(_ command: JSONValue, of view: ProbedView) throws -> WKFrameInfo? {
    guard command["frame"]?.string == "last" else { return nil }
    guard let frame = view.lastFrame else { throw ProbeError.missingMember }
    return frame
  }

  private func completion(_ command: JSONValue) -> @MainActor @Sendable (Result<Any, any Error>) -> Void {
    { [journal] result in
      var members: [String: JSONValue] = ["id": command["id"] ?? .null]
      switch result {
      case .success(let value): members["result"] = journal.typed(value)
      case .failure(let error): members["error"] = journal.described(error)
      }
      journal.write("answer", members)
    }
  }
}

/// A handler that answers in one of several ways: `{"value"}`, `{"error"}`, "echo", "drop", "hold" or "twice".
@MainActor
final class ProbedReplyHandler: NSObject, WKScriptMessageHandlerWithReply {
  private let reply: JSONValue
  private weak var view: ProbedView?
  private var held: [(message: WKScriptMessage, answer: @MainActor (Any?, String?) -> Void)] = []

  init(reply: JSONValue, view: ProbedView) {
    self.reply = reply
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
    default:
      if reply["held"]?.bool == true {
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
    for (message, replyHandler) in waiting {
      if reply["value"] == nil { replyHandler(message.body, nil) } else { answer(message, replyHandler) }
    }
  }

  private func answer(_ message: WKScriptMessage, _ replyHandler: @MainActor (Any?, String?) -> Void) {
    replyHandler(reply["value"].flatMap(Notation.object), reply["error"]?.string)
  }
}

/// Foundation objects as commands name them: JSON, and `{"$date"}`, `{"$num"}`, `{"$int64"}`, `{"$data"}`, `{"$native"}`
/// or `{"$nil"}` for what JSON lacks.
enum Notation {
  static func object(_ value: JSONValue) -> Any? {
    switch value {
    case .null: NSNull()
    case .bool(let flag): flag
    case .number(let number): number
    case .string(let text): text
    case .array(let elements): elements.map { object($0) ?? NSNull() }
    case .object(let members): members.count == 1 ? special(members) : plain(members)
    }
  }

  private static func special(_ members: [String: JSONValue]) -> Any? {
    let (key, value) = members.first!
    switch key {
    case "$nil": return nil
    case "$date": return Date(timeIntervalSince1970: value.number ?? .nan)
    case "$num":
      return ["-0": -0.0, "NaN": .nan, "Infinity": .infinity][value.string ?? ""] ?? -Double.infinity
    case "$deep":
      // That many arrays, one in another.
      var nested: Any = 0
      for _ in 0..<(value.int ?? 0) { nested = [nested] }
      return nested
    case "$file":
      // A file's text: commands are lines, and some texts have millions of characters.
      return FileManager.default.contents(atPath: value.string ?? "").map { String(decoding: $0, as: UTF8.self) }
    case "$int64": return value.string.flatMap(Int64.init)
    case "$data": return Data((value.string ?? "").utf8)
    case "$native": return URL(string: "http://native.test/")
    default: return plain(members)
    }
  }

  private static func plain(_ members: [String: JSONValue]) -> Any {
    members.compactMapValues(object)
  }
}
