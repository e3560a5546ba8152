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
    case "mark":
      view.note("mark", ["label": command["label"] ?? .null])
    case "watch":
      view.watch()
    case "delegate":
      view.install(try text("kind", of: command))
    case "dropDelegate":
      return .bool(view.dropsDelegate())
    case "cancelResponses":
      view.cancelledResponses = command["prefixes"]?.array?.compactMap(\.string) ?? []
    case "captureFrame":
      guard let frame = view.firstFrame else { throw ProbeError.missingMember }
      view.frames[try text("label", of: command)] = frame
    case "removeOnFirstMessage":
      view.removal = (try text("name", of: command), world(command))
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
      let handler = ProbedReplyHandler(reply: reply, batch: command["batch"]?.int, view: view)
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

  /// `"frame": "last"` is the frame inside the page that posted last; another text is the label of a captured one.
  private func frame(_ command: JSONValue, of view: ProbedView) throws -> WKFrameInfo? {
    guard let name = command["frame"]?.string else { return nil }
    guard let frame = name == "last" ? view.lastFrame : view.frames[name] else {
      throw ProbeError.missingMember
    }
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
