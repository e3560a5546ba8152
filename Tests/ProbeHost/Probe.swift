import Foundation
import PageBridgeWebKit

/// The host: carries out commands, one at a time, and keeps the views alive.
@MainActor
final class Probe {
  private let host: WebViewHost
  let journal: Journal
  private let bridges: BridgeBench
  private var views: [Int: ProbedView] = [:]
  private var opened = 0
  /// What each new view's controller is given.
  private var handlerNames: [String] = []
  private var scripts: [JSONValue] = []
  private var wishes: [String: JSONValue] = [:]
  private var schemeHandlers: [String: ProbedSchemeHandler] = [:]
  /// What the next view shares with another one.
  var sharedController: WKUserContentController?

  init(_ options: Options) throws {
    journal = try Journal(path: options.journal)
    bridges = BridgeBench(journal: journal)
    var settings = WebViewHost.Options()
    settings.name = options.name ?? "Probe host"
    settings.stateFile = options.state
    settings.eventsFile = options.events
    if let grace = options.sessionGrace { settings.sessionGrace = grace }
    host = WebViewHost(app: options.app, relay: options.relay, options: settings)
  }

  /// Carries out the commands in their order; ends with the input.
  func run(_ lines: AsyncStream<String>) async {
    for await line in lines {
      guard let command = try? JSONDecoder().decode(JSONValue.self, from: Data(line.utf8)) else {
        journal.write("malformed", ["line": .string(line)])
        continue
      }
      do {
        let result = try await perform(command)
        if let result { answer(command, ["result": result]) }
      } catch {
        answer(command, ["error": journal.described(error)])
      }
    }
    await host.stop()
  }

  private func answer(_ command: JSONValue, _ members: [String: JSONValue]) {
    journal.write("answer", members.merging(["id": command["id"] ?? .null]) { own, _ in own })
  }

  /// nil: the answer comes later.
  private func perform(_ command: JSONValue) async throws -> JSONValue? {
    switch command["do"]?.string {
    case "handlers":
      handlerNames = command["names"]?.array?.compactMap(\.string) ?? []
    case "scripts":
      scripts = command["scripts"]?.array ?? []
    case "configuration":
      wishes = command.object ?? [:]
    case "schemes":
      let handler = ProbedSchemeHandler(journal: journal)
      handler.resources = command["resources"]?.object ?? [:]
      schemeHandlers[try text("name", of: command)] = handler
    case "start":
      host.start { [weak self] scene in self?.open(scene) }
    case "create":
      return .object(try create().members)
    case "views":
      return .array(views.values.sorted { $0.number < $1.number }.map { .object($0.members) })
    case "stop":
      await host.stop()
    case let name? where name.hasPrefix("bridge"):
      return try bridges.perform(command, on: try view(command).webView)
    default:
      return try await perform(command, on: view(command))
    }
    return true
  }

  private func perform(_ command: JSONValue, on view: ProbedView) async throws -> JSONValue? {
    let webView = view.webView
    let content = webView.configuration.userContentController
    switch command["do"]?.string ?? "" {
    case "addHandler" where command["reply"] != nil || command["world"] != nil:
      try addHandler(command, on: view)
    case "addHandler":
      let label = command["label"]?.string ?? "added"
      content.add(ProbedHandler(label: label, view: view), name: try text("name", of: command))
    case "removeHandler":
      content.removeScriptMessageHandler(forName: try text("name", of: command), contentWorld: world(command))
    case "removeAllHandlers" where command["world"] != nil:
      content.removeAllScriptMessageHandlers(from: world(command))
    case "removeAllHandlers":
      content.removeAllScriptMessageHandlers()
    case "addScript":
      content.addUserScript(userScript(command))
    case "removeAllScripts":
      content.removeAllUserScripts()
    case "evaluate":
      evaluate(try source(command), in: view, for: command)
      return nil
    case "evaluateMany":
      // Numbered calls of a page function, without waiting for their answers.
      let name = try text("function", of: command)
      for number in 1...(command["count"]?.int ?? 1) {
        webView.evaluateJavaScript("\(name)(\(number))", completionHandler: nil)
      }
    case "awaitEvaluate":
      return journal.typed(try await webView.evaluateJavaScript(try source(command)))
    case "load":
      guard let url = URL(string: try text("url", of: command)) else { throw ProbeError.badURL }
      webView.load(URLRequest(url: url))
    case "loadHTMLString":
      webView.loadHTMLString(
        try text("html", of: command), baseURL: command["baseURL"]?.string.flatMap(URL.init(string:)))
    case "loadFile":
      webView.loadFileURL(
        URL(filePath: try text("path", of: command)),
        allowingReadAccessTo: URL(filePath: try text("readAccess", of: command)))
    case "reload":
      webView.reload()
    case "goBack":
      webView.goBack()
    case "goForward":
      webView.goForward()
    case "stopLoading":
      webView.stopLoading()
    case "cancel":
      view.cancelled = command["prefixes"]?.array?.compactMap(\.string) ?? []
    case "dialogs":
      view.dialogs = command["mode"]?.string == "none" ? nil : dialogs(command, of: view)
    case "answerDialogs":
      return JSONValue(view.dialogs?.answerHeld() ?? 0)
    case "dieOn":
      view.deadlyText = try text("text", of: command)
    case "view":
      return .object(view.members)
    case "release":
      views[view.number] = nil
    case "callAndRelease":
      // The call's answer can come only after this turn, when nobody holds the view any more.
      guard var call = command["call"]?.object else { throw ProbeError.missingMember }
      call["id"] = command["id"]
      views[view.number] = nil
      return try await perform(.object(call), on: view)
    case "batch":
      // All in one turn: what the library answers later can come only behind all of them.
      for each in command["commands"]?.array ?? [] { performNow(each, on: view) }
    case "during":
      // What the delegate does in a call of its own.
      view.nested[try text("phase", of: command)] = { [weak self, weak view] in
        guard let self, let view else { return }
        for nested in command["commands"]?.array ?? [] { self.performNow(nested, on: view) }
      }
    default:
      return try performScriptCommand(command, on: view)
    }
    return true
  }

  /// Carries out a command inside a call of the library. Its answer is journaled as that of its own id.
  private func performNow(_ command: JSONValue, on view: ProbedView) {
    do {
      if let result = try performScriptCommand(command, on: view) { answer(command, ["result": result]) }
    } catch {
      answer(command, ["error": journal.described(error)])
    }
  }

  private func evaluate(_ source: String, in view: ProbedView, for command: JSONValue) {
    view.webView.evaluateJavaScript(source) { [journal] value, error in
      var members: [String: JSONValue] = ["id": command["id"] ?? .null, "view": JSONValue(view.number)]
      if let error {
        members["error"] = journal.described(error)
        if value != nil { members["result"] = journal.typed(value) }
      } else {
        members["result"] = journal.typed(value)
      }
      journal.write("answer", members)
    }
  }

  private func open(_ scene: WebViewScene) -> AnyObject? {
    let view: ProbedView
    do {
      view = try create()
    } catch {
      journal.write("error", ["error": journal.described(error)])
      return nil
    }
    view.note(
      "opened",
      [
        "session": .string(view.webView.sessionID), "isResumed": .bool(scene.isResumed),
        "url": JSONValue(scene.url?.absoluteString), "isPlaceholder": .bool(scene.isPlaceholder),
      ])
    // The host keeps this, so it must not keep the view: `release` drops the last reference.
    return ViewLife { [weak self, journal, number = view.number] in
      journal.write("ended", ["view": JSONValue(number)])
      self?.views[number] = nil
    }
  }

  private func dialogs(_ command: JSONValue, of view: ProbedView) -> ProbedDialogs {
    ProbedDialogs(
      command, view: view,
      makeWindow: { [unowned self] configuration in
        guard let window = try? create(configuration) else { return nil }
        // It answers what its own page asks, too, as an app's one delegate does.
        window.dialogs = dialogs(command, of: window)
        return window.webView
      },
      closed: { [unowned self] webView in
        for (number, view) in views where view.webView === webView { views[number] = nil }
      })
  }

  private func create(_ given: WKWebViewConfiguration? = nil) throws -> ProbedView {
    if given == nil, let webView = try bridges.makeView() {
      opened += 1
      let view = ProbedView(number: opened, webView: webView, journal: journal, navigates: false)
      views[opened] = view
      return view
    }
    let configuration = given ?? WKWebViewConfiguration()
    if given == nil, let sharedController { configuration.userContentController = sharedController }
    sharedController = nil
    // What a page's window is given has them already.
    for script in given == nil ? scripts : [] {
      configuration.userContentController.addUserScript(userScript(script))
    }
    if given == nil {
      for (scheme, handler) in schemeHandlers {
        configuration.setURLSchemeHandler(handler, forURLScheme: scheme)
      }
    }
    apply(wishes, to: configuration)
    opened += 1
    let webView = WKWebView(frame: .zero, configuration: configuration, host: host)
    if given == nil { try bridges.configure(webView) }
    let view = ProbedView(number: opened, webView: webView, journal: journal)
    for name in given == nil ? handlerNames : [] {
      configuration.userContentController.add(ProbedHandler(label: "first", view: view), name: name)
    }
    views[opened] = view
    return view
  }

  private func view(_ command: JSONValue) throws -> ProbedView {
    guard let view = views[command["view"]?.int ?? opened] else { throw ProbeError.noSuchView }
    return view
  }

  private func userScript(_ script: JSONValue) -> WKUserScript {
    WKUserScript(
      source: (try? source(script)) ?? "",
      injectionTime: script["time"]?.string == "end" ? .atDocumentEnd : .atDocumentStart,
      forMainFrameOnly: script["mainFrameOnly"]?.bool ?? true, in: world(script))
  }

  func text(_ name: String, of command: JSONValue) throws -> String {
    guard let text = command[name]?.string else { throw ProbeError.missingMember }
    return text
  }

  /// A script's text, or what a file holds: commands are lines, and some scripts have millions of characters.
  func source(_ command: JSONValue) throws -> String {
    guard let file = command["sourceFile"]?.string else { return try text("source", of: command) }
    return String(decoding: try Data(contentsOf: URL(filePath: file)), as: UTF8.self)
  }
}

/// Tells when the library lets go of a visitor.
@MainActor
private final class ViewLife {
  private let ended: @MainActor () -> Void

  init(ended: @escaping @MainActor () -> Void) {
    self.ended = ended
  }

  isolated deinit {
    ended()
  }
}

/// Why a command cannot be carried out.
enum ProbeError: Error {
  case badURL
  case missingMember
  case noSuchView
  case unknownCommand
}
