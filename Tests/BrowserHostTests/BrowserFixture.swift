import Foundation
import PageBridgeTesting
import PageBridgeWebKit
import Synchronization

@testable import BrowserHost

/// The browser's app on a host of a simulated relay, with what it writes down.
@MainActor
final class BrowserFixture {
  let relay = SimulatedRelay()
  let host: WebViewHost
  let scripts = ScriptLog()
  /// The app's folder `www`.
  let folder: URL
  private let app: BrowserApp
  private let directory: URL
  private let eventsFile: URL
  private var running: Task<Void, any Error>?

  /// - Parameter change: what is not as usual.
  init(_ change: (inout BrowserSettings) -> Void = { _ in }) throws {
    directory = FileManager.default.temporaryDirectory.appending(path: "browser-\(UUID().uuidString)")
    folder = directory.appending(path: "www")
    eventsFile = directory.appending(path: "events.ndjson")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data("<title>Local</title>".utf8).write(to: folder.appending(path: "LocalWebsite.html"))
    try Data("beside".utf8).write(to: folder.appending(path: "sibling.txt"))
    try Data("above".utf8).write(to: directory.appending(path: "above.txt"))
    var settings = BrowserSettings(websiteFolder: folder)
    change(&settings)
    app = BrowserApp(settings: settings)
    var options = WebViewHost.Options()
    options.eventsFile = eventsFile
    host = relay.makeHost(app: "browser", options: options)
  }

  deinit {
    running?.cancel()
    try? FileManager.default.removeItem(at: directory)
  }

  func start() async {
    running = Task { [app, host] in try await app.run(on: host) }
    await settle()
  }

  func settle() async {
    await relay.settle()
  }

  /// Opens a tab on the place-holder, which the app loads over.
  func openTab(isPlaceholder: Bool = true) async -> SimulatedPage {
    var options = SimulatedPage.Options()
    options.isPlaceholder = isPlaceholder
    options.url = "http://127.0.0.1:8080/pages/browser/"
    options.title = "A"
    return await open(options)
  }

  /// Opens a viewer and lets it tell of its device.
  func openViewer(title: String = "A", device: String = "phone-notch") async -> SimulatedPage {
    var options = SimulatedPage.Options()
    options.isScreen = true
    options.url = "http://127.0.0.1:8080/view/browser"
    options.title = title
    let viewer = await open(options)
    turn(viewer, device: device, width: 390, height: 844)
    viewer.post(["type": "appear"], to: "pagebridgeScreen")
    await settle()
    return viewer
  }

  func turn(_ viewer: SimulatedPage, device: String = "phone-notch", width: Double, height: Double) {
    viewer.post(
      [
        "type": "metrics", "device": .string(device), "width": .number(width), "height": .number(height),
        "orientation": .string(width > height ? "landscape-left" : "portrait"),
        "safeArea": ["top": 47, "left": 0, "bottom": 34, "right": 0],
      ], to: "pagebridgeScreen")
  }

  /// The user does something to a native view.
  func act(
    _ viewer: SimulatedPage, _ view: String, _ action: String = "press", _ value: WireValue? = nil
  ) async {
    var members: [WireValue.Member] = [
      .init("type", "action"), .init("view", .string(view)), .init("action", .string(action)),
    ]
    if let value { members.append(.init("value", value)) }
    viewer.post(.object(members), to: "pagebridgeScreen")
    await settle()
  }

  private func open(_ options: SimulatedPage.Options) async -> SimulatedPage {
    let page = relay.makePage(app: "browser", options: options)
    page.onEvaluate { [scripts] in try scripts.run($0) }
    page.open()
    await settle()
    return page
  }

  // MARK: What was written down

  func records() async -> [WireValue] {
    await host.events.flush()
    let lines = (try? Data(contentsOf: eventsFile))?.split(separator: UInt8(ascii: "\n")) ?? []
    return lines.compactMap { try? WireValue(json: $0) }
  }

  func records(_ event: BrowserRecord.Event) async -> [WireValue] {
    await records().filter { $0["event"] == .string(event.rawValue) }
  }

  /// The values that a state has had, oldest first.
  func states(_ key: BrowserRecord.StateKey) async -> [WireValue] {
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

/// The scripts that pages were given, and what they answer.
final class ScriptLog: Sendable {
  private let state = Mutex((sources: [String](), title: "A" as String?, failure: nil as String?))

  var sources: [String] { state.withLock { $0.sources } }

  /// The title that pages answer; nil for one that is no text.
  func setTitle(_ title: String?) {
    state.withLock { $0.title = title }
  }

  /// What calls of the page's function end with; nil if they go well.
  func setFailure(_ failure: String?) {
    state.withLock { $0.failure = failure }
  }

  func run(_ source: String) throws -> WireValue {
    try state.withLock { state in
      state.sources.append(source)
      if source == "document.title" { return state.title.map { .string($0) } ?? .null }
      if let failure = state.failure { throw ScriptException(failure) }
      return .undefined
    }
  }
}
