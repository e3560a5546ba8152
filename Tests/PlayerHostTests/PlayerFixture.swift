import Foundation
import PageBridgeTesting
import PageBridgeWebKit
import Synchronization

@testable import PlayerHost

/// The player's app on a host of a simulated relay, with what it writes down.
@MainActor
final class PlayerFixture {
  let relay = SimulatedRelay()
  let host: WebViewHost
  let app: PlayerApp
  let scripts = ScriptLog()
  /// What the app's handler for the player's reasons was called with.
  var notReady: [[PlayerError]] { box.errors }
  private let box = ErrorBox()
  private let eventsFile: URL
  private var running: Task<Void, any Error>?

  @MainActor private final class ErrorBox {
    var errors: [[PlayerError]] = []
  }

  init(
    configuration: PlayerConfiguration = PlayerConfiguration(fixtureId: "1"), userBets: [CustomerMarket] = [],
    fixtureIds: [String] = []
  ) {
    eventsFile = FileManager.default.temporaryDirectory.appending(path: "player-\(UUID().uuidString).ndjson")
    var options = WebViewHost.Options()
    options.eventsFile = eventsFile
    host = relay.makeHost(app: "player", options: options)
    let box = box
    app = PlayerApp(
      configuration: configuration, userBets: userBets,
      settings: PlayerSettings(
        fixtureIds: fixtureIds, readyTimeout: .seconds(15), clock: SteppedClock(relay.clock),
        playerNotReady: { box.errors.append($0) }))
  }

  deinit {
    running?.cancel()
    try? FileManager.default.removeItem(at: eventsFile)
  }

  func start() async {
    running = Task { [app, host] in try await app.run(on: host) }
    await settle()
  }

  func settle() async {
    await relay.settle()
  }

  /// Opens a tab, on the player's place-holder or with content of its own.
  func openTab(isPlaceholder: Bool = true, width: Double = 400, height: Double = 900) async -> SimulatedPage {
    var options = SimulatedPage.Options()
    options.isPlaceholder = isPlaceholder
    options.url = "http://127.0.0.1:8080/pages/player/"
    options.width = width
    options.height = height
    return await open(options)
  }

  /// Opens many tabs at once.
  func openTabs(_ count: Int) async -> [SimulatedPage] {
    var options = SimulatedPage.Options()
    options.isPlaceholder = true
    let pages = (0..<count).map { _ in relay.makePage(app: "player", options: options) }
    for page in pages { page.open() }
    await settle()
    return pages
  }

  /// Opens a viewer and lets it tell of its device.
  func openViewer(width: Double = 390, height: Double = 844) async -> SimulatedPage {
    var options = SimulatedPage.Options()
    options.isScreen = true
    options.url = "http://127.0.0.1:8080/view/player"
    let viewer = await open(options)
    await turn(viewer, width: width, height: height)
    tell(viewer, ["type": "appear"])
    await settle()
    watch(viewer.frame)
    return viewer
  }

  func turn(
    _ viewer: SimulatedPage, width: Double, height: Double, orientation: String = "portrait",
    inset: Double = 0
  ) async {
    tell(
      viewer,
      [
        "type": "metrics", "device": "phone-notch", "width": .number(width), "height": .number(height),
        "orientation": .string(orientation),
        "safeArea": ["top": 0, "left": .number(inset), "bottom": 0, "right": .number(inset)],
      ])
    await settle()
  }

  func tell(_ viewer: SimulatedPage, _ message: WireValue) {
    viewer.post(message, to: "pagebridgeScreen")
  }

  /// The player of the page says something.
  func post(_ page: SimulatedPage, _ message: WireValue, to handler: String = "gsVideoPlayerBridge") async {
    page.post(message, to: handler)
    await settle()
  }

  private func open(_ options: SimulatedPage.Options) async -> SimulatedPage {
    let page = relay.makePage(app: "player", options: options)
    watch(page)
    page.open()
    await settle()
    return page
  }

  private func watch(_ page: SimulatedPage?) {
    page?.onEvaluate { [scripts] source in scripts.run(source) }
  }

  // MARK: What was written down

  func records() async -> [WireValue] {
    await host.events.flush()
    let lines = (try? Data(contentsOf: eventsFile))?.split(separator: UInt8(ascii: "\n")) ?? []
    return lines.compactMap { try? WireValue(json: $0) }
  }

  func records(_ event: PlayerRecord.Event) async -> [WireValue] {
    await records().filter { $0["event"] == .string(event.rawValue) }
  }

  /// The values that a state has had, oldest first.
  func states(_ key: PlayerRecord.StateKey, of page: SimulatedPage) async -> [WireValue] {
    await records()
      .filter {
        $0["event"] == "state" && $0["key"] == .string(key.rawValue)
          && $0["session"]?.string == page.session
      }
      .compactMap { $0["value"] }
  }
}

/// The scripts that pages were given, and what they answer.
final class ScriptLog: Sendable {
  private let state = Mutex((sources: [String](), hasPlayer: true))

  var sources: [String] { state.withLock { $0.sources } }

  func setHasPlayer(_ hasPlayer: Bool) {
    state.withLock { $0.hasPlayer = hasPlayer }
  }

  func count(of source: String) -> Int {
    sources.count { $0 == source }
  }

  func run(_ source: String) -> WireValue {
    state.withLock { state in
      state.sources.append(source)
      switch source {
      case PlayerScript.hasPlayer, PlayerScript.closePlayer: return .bool(state.hasPlayer)
      case PlayerScript.enterFullscreen, PlayerScript.leaveFullscreen: return .undefined
      default: return true
      }
    }
  }
}

/// Swift's notion of a clock over the one that tests move.
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
