import Foundation
import PageBridgeTesting
import PageBridgeWebKit
import Synchronization

/// A host of a simulated relay with one ported app, whose page a test plays.
@MainActor
final class ProofFixture<App: AnyObject> {
  let relay = SimulatedRelay()
  let host: WebViewHost
  let scripts = ScriptLog()
  private(set) var app: App!
  private let make: @MainActor (WebViewScene) -> App

  /// - Parameter make: what the app's scene delegate did: it makes the app's objects for one visitor.
  init(_ make: @escaping @MainActor (WebViewScene) -> App) {
    self.make = make
    host = relay.makeHost(app: "proof")
  }

  /// Starts the host and opens a page.
  func open(_ options: SimulatedPage.Options = SimulatedPage.Options()) async -> SimulatedPage {
    host.start { [unowned self] scene in
      app = make(scene)
      return app
    }
    let page = relay.makePage(app: "proof", options: options)
    page.onEvaluate { [scripts] in try scripts.run($0) }
    page.open()
    await relay.settle()
    return page
  }

  func post(_ page: SimulatedPage, _ body: WireValue, to handler: String) async {
    page.post(body, to: handler)
    await relay.settle()
  }

  /// The page tells of a navigation, as bridge.js does.
  func navigate(
    _ page: SimulatedPage, _ phase: String, _ url: String, error: (code: Int, message: String)? = nil
  )
    async
  {
    var members: [WireValue.Member] = [
      .init("phase", .string(phase)), .init("url", .string(url)), .init("type", "link"),
    ]
    if let error {
      members.append(
        .init("error", ["code": .number(Double(error.code)), "message": .string(error.message)]))
    }
    page.send("navigation", .object(members))
    await relay.settle()
  }

  /// Asks the navigation delegate about a link; answers whether it may be followed.
  func isAllowed(_ page: SimulatedPage, _ url: String) async -> Bool {
    let id = "p\(page.received.count)"
    page.send("navigation", ["phase": "asked", "url": .string(url), "type": "link"], id: id)
    await relay.settle()
    return page.answers[id] == "allow"
  }
}

/// The scripts that a page was given, and what it answers.
final class ScriptLog: Sendable {
  private struct State: Sendable {
    var sources: [String] = []
    var answers: [@Sendable (String) throws -> WireValue?] = []
  }

  private let state = Mutex(State())

  var sources: [String] { state.withLock { $0.sources } }

  /// Scripts with this text in them are answered so; all others with `undefined`.
  func answer(_ part: String, _ answer: @escaping @Sendable () throws -> WireValue) {
    state.withLock { state in
      state.answers.append { source in source.contains(part) ? try answer() : nil }
    }
  }

  func run(_ source: String) throws -> WireValue {
    let answers = state.withLock { state in
      state.sources.append(source)
      return state.answers
    }
    for answer in answers.reversed() {
      if let value = try answer(source) { return value }
    }
    return .undefined
  }
}
