import Foundation
import PageBridgeTesting
import PageBridgeWebKit
import Synchronization

@testable import SquadHost

/// The Squad app on a host of a simulated relay, with what it writes down.
@MainActor
final class SquadFixture {
  let relay = SimulatedRelay()
  let host: WebViewHost
  let scripts = ScriptLog()
  private(set) var controllers: [SquadViewController] = []
  /// What the network has, by address.
  let network = Network()
  private var settings: SquadSettings
  private let directory: URL
  private let folder: URL
  private let eventsFile: URL

  /// The page that is loaded where a test names none.
  static let url = URL(string: "http://127.0.0.1:8080/squad")!

  /// - Parameter change: what is not as usual.
  init(_ change: (inout SquadSettings) -> Void = { _ in }) throws {
    directory = FileManager.default.temporaryDirectory.appending(path: "squad-\(UUID().uuidString)")
    eventsFile = directory.appending(path: "events.ndjson")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    folder = directory.appending(path: "www")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data("<title>Squad</title>".utf8).write(to: folder.appending(path: "index.html"))
    try Data("body {}".utf8).write(to: folder.appending(path: "squad.css"))
    try Data("outside".utf8).write(to: directory.appending(path: "outside.txt"))
    try FileManager.default.createSymbolicLink(
      at: folder.appending(path: "out.txt"), withDestinationURL: directory.appending(path: "outside.txt"))
    settings = SquadSettings(websiteFolder: folder, url: Self.url, clock: SteppedClock(relay.clock))
    change(&settings)
    var options = WebViewHost.Options()
    options.eventsFile = eventsFile
    host = relay.makeHost(app: "squad", options: options)
    host.start { [weak self] scene in
      guard let self else { return nil }
      let controller = SquadViewController(scene: scene, settings: settings, fetcher: network)
      controllers.append(controller)
      return controller
    }
  }

  deinit {
    try? FileManager.default.removeItem(at: directory)
  }

  /// Changes a file of the product's page.
  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: folder.appending(path: name))
  }

  var app: SquadViewController { controllers[0] }

  func settle() async {
    await relay.settle()
  }

  /// Opens a tab on the place-holder, which the app loads over.
  func openTab(isPlaceholder: Bool = true, followsLoads: Bool = true) async -> SimulatedPage {
    var options = SimulatedPage.Options()
    options.isPlaceholder = isPlaceholder
    options.url = "http://127.0.0.1:8080/pages/squad/"
    options.followsLoads = followsLoads
    return await open(options)
  }

  /// Opens a viewer and lets it tell of its device.
  func openViewer() async -> SimulatedPage {
    var options = SimulatedPage.Options()
    options.isScreen = true
    options.url = "http://127.0.0.1:8080/view/squad"
    let viewer = await open(options)
    await post(
      [
        "type": "metrics", "device": "phone-notch", "width": 390, "height": 844, "orientation": "portrait",
        "safeArea": ["top": 47, "left": 0, "bottom": 34, "right": 0],
      ], to: "pagebridgeScreen", viewer)
    await post(["type": "appear"], to: "pagebridgeScreen", viewer)
    return viewer
  }

  private func open(_ options: SimulatedPage.Options) async -> SimulatedPage {
    await settle()
    let page = relay.makePage(app: "squad", options: options)
    page.onEvaluate { [scripts] in try scripts.run($0) }
    page.open()
    await settle()
    return page
  }

  func post(_ body: WireValue, to handler: String = "squadBridge", _ page: SimulatedPage) async {
    page.post(body, to: handler)
    await settle()
  }

  /// The user does something to a native view.
  func act(
    _ viewer: SimulatedPage, _ view: String, _ action: String = "press", _ value: WireValue? = nil
  ) async {
    var members: [WireValue.Member] = [
      .init("type", "action"), .init("view", .string(view)), .init("action", .string(action)),
    ]
    if let value { members.append(.init("value", value)) }
    await post(.object(members), to: "pagebridgeScreen", viewer)
  }

  /// The page tells of a navigation, as bridge.js does.
  func navigate(
    _ page: SimulatedPage, _ phase: String, _ url: String = SquadFixture.url.absoluteString,
    error: (code: Int, message: String)? = nil
  ) async {
    var members: [WireValue.Member] = [
      .init("phase", .string(phase)), .init("url", .string(url)), .init("type", "other"),
    ]
    if let error {
      members.append(
        .init("error", ["code": .number(Double(error.code)), "message": .string(error.message)]))
    }
    page.send("navigation", .object(members))
    await settle()
  }

  /// Lets the load that is under way fail.
  func fail(_ page: SimulatedPage, _ code: Int, _ message: String = "no") async {
    await navigate(page, "started")
    await navigate(page, "failed", error: (code, message))
  }

  // MARK: What was written down

  func records() async -> [WireValue] {
    await host.events.flush()
    let lines = (try? Data(contentsOf: eventsFile))?.split(separator: UInt8(ascii: "\n")) ?? []
    return lines.compactMap { try? WireValue(json: $0) }
  }

  func records(_ event: SquadRecord.Event) async -> [WireValue] {
    await records().filter { $0["event"] == .string(event.rawValue) }
  }

  /// The values that a state has had, oldest first.
  func states(_ key: SquadRecord.StateKey) async -> [WireValue] {
    await records().filter { $0["event"] == "state" && $0["key"] == .string(key.rawValue) }
      .compactMap { $0["value"] }
  }

  /// The native views as the viewer has them last, by their ids.
  func views(_ viewer: SimulatedPage) -> [String: WireValue] {
    var found: [String: WireValue] = [:]
    func gather(_ views: [WireValue]) {
      for view in views {
        found[view["id"]?.string ?? ""] = view
        gather(view["children"]?.array ?? [])
      }
    }
    gather(viewer.commands("views").last?["views"]?.array ?? [])
    return found
  }
}

/// The pages that a test's network has.
final class Network: SquadFetching {
  private let pages = Mutex<[String: String]>([:])
  private let asked = Mutex<[String]>([])

  var requests: [String] { asked.withLock { $0 } }

  func put(_ text: String, at url: URL) {
    pages.withLock { $0[url.absoluteString] = text }
  }

  func fetch(_ url: URL) async throws -> SquadPage {
    asked.withLock { $0.append(url.absoluteString) }
    guard let text = pages.withLock({ $0[url.absoluteString] }) else { throw URLError(.badServerResponse) }
    return SquadPage(url: url, data: Data(text.utf8), mimeType: "text/html", encoding: "utf-8")
  }
}

/// The scripts that pages were given, and what they answer.
final class ScriptLog: Sendable {
  private let state = Mutex((sources: [String](), answer: "delivered", failure: nil as String?))

  var sources: [String] { state.withLock { $0.sources } }

  /// What the page's function answers.
  func setAnswer(_ answer: String) {
    state.withLock { $0.answer = answer }
  }

  /// What calls of the page's function end with; nil if they go well.
  func setFailure(_ failure: String?) {
    state.withLock { $0.failure = failure }
  }

  func run(_ source: String) throws -> WireValue {
    try state.withLock { state in
      state.sources.append(source)
      if let failure = state.failure { throw ScriptException(failure) }
      return .string(state.answer)
    }
  }
}

/// A clock that a test moves.
struct SteppedClock: Clock {
  typealias Instant = ContinuousClock.Instant
  private let clock: ManualClock
  private let start = ContinuousClock.now

  init(_ clock: ManualClock) {
    self.clock = clock
  }

  var now: Instant { start.advanced(by: clock.now) }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    let timer = clock.schedule(after: now.duration(to: deadline)) { continuation.finish() }
    // Ends when the timer fires, or when the task is cancelled.
    for await _ in stream {}
    timer.cancel()
    try Task.checkCancellation()
  }
}
