import Observation
import PageBridgeWebKit

/// The app for one visitor: its web view, the bridge, and what the app draws around them.
@MainActor
final class SquadViewController: NSObject {
  let model: SquadModel
  let bridge: SquadBridge
  let webView: WKWebView
  let settings: SquadSettings
  let addresses: SquadAddressRule
  let record: SquadRecorder
  private let scene: WebViewScene
  private let fetcher: any SquadFetching
  /// Serves the product's page from its folder; nil without one.
  private let content: SquadContent?
  private var observers: [any NSObjectProtocol] = []
  private var retryTask: Task<Void, Never>?
  var cache = SquadCache() {
    didSet { model.keeps(pages: cache.count) }
  }
  var stopwatch: SquadStopwatch
  /// The visitor's page that the app loads over; nil if there is none.
  let placeholder: URL?
  /// What the web view was last to show.
  var wanted: URL?
  /// A load of the app that its own navigation rule has not seen yet.
  var asked: URL?
  /// A kept page that is on its way to the web view.
  var served: URL?
  /// Loads that took too long in a row.
  private var attempt = 0
  private var calls = 0

  init(scene: WebViewScene, settings: SquadSettings, fetcher: any SquadFetching = SquadFetcher()) {
    self.scene = scene
    self.settings = settings
    self.fetcher = fetcher
    placeholder = scene.isPlaceholder ? scene.url : nil
    addresses = SquadAddressRule(isProduction: settings.isProduction)
    stopwatch = SquadStopwatch(settings.clock)
    bridge = SquadBridge(
      reader: SquadMessageReader(validates: settings.validatesMessages, addresses: addresses))
    content = settings.websiteFolder.map {
      SquadContent(folder: $0, usesPolicy: settings.usesContentSecurityPolicy)
    }
    let configuration = Self.configuration(bridge, content, settings)
    webView = WKWebView(frame: .zero, configuration: configuration)
    record = SquadRecorder(events: scene.host.events, session: webView.sessionID)
    model = SquadModel(record: record)
    super.init()
    model.configured(
      webView.configuration, hasOwnPool: webView.configuration.processPool === configuration.processPool)
    webView.scrollView.bounces = false
    webView.navigationDelegate = self
    webView.uiDelegate = self
    bridge.webView = webView
    bridge.delegate = self
    content?.kept = { [weak self] url in self?.keptFile(url) }
    content?.read = { [weak self] page in self?.keepFile(page) }
    scene.screen.delegate = self
    scene.screen.backgroundColor = WebColor(css: "light-dark(#eef1f6, #10131a)")
    scene.screen.statusBar = WebStatusBar(isHidden: false, style: .dark)
    if isRunningAlready {
      model.ready()
    } else if ownsContent {
      loadStart()
    }
    if scene.screen.isVisible { observe() }
    keepUpToDate()
  }

  isolated deinit {
    retryTask?.cancel()
    stopObserving()
  }

  private static func configuration(
    _ bridge: SquadBridge, _ content: SquadContent?, _ settings: SquadSettings
  ) -> WKWebViewConfiguration {
    let configuration = WKWebViewConfiguration()
    configuration.processPool = WKProcessPool()
    configuration.allowsInlineMediaPlayback = true
    configuration.mediaTypesRequiringUserActionForPlayback = []
    configuration.defaultWebpagePreferences.allowsContentJavaScript = true
    if let content { configuration.setURLSchemeHandler(content, forURLScheme: SquadContent.scheme) }
    let controller = configuration.userContentController
    controller.add(bridge, name: SquadPageObject.name)
    let scripts = [SquadPageObject.script] + (settings.usesContentSecurityPolicy ? [SquadPolicy.script] : [])
    for source in scripts {
      controller.addUserScript(
        WKUserScript(source: source, injectionTime: .atDocumentStart, forMainFrameOnly: true))
    }
    return configuration
  }

  // MARK: Loading

  /// Whether the host loads its own page over the visitor's; a page with content of its own keeps it.
  private var ownsContent: Bool {
    scene.clientKind == .screen || scene.isPlaceholder || scene.url?.path().hasPrefix("/s/") == true
  }

  /// Whether the page runs already, since an earlier process of this host served it.
  private var isRunningAlready: Bool { scene.isResumed && scene.clientKind == .page }

  private var start: URL? { settings.url ?? (content == nil ? nil : SquadContent.start) }

  /// The user wants to try again.
  func tryAgain() {
    attempt = 0
    load(wanted ?? start)
  }

  private func loadStart() {
    attempt = 0
    load(start)
  }

  private func load(_ url: URL?) {
    retryTask?.cancel()
    guard let url else {
      return fail(SquadFailure(kind: .generic, code: 0, text: "The app has no page of its own."))
    }
    wanted = url
    asked = url
    record(.load, ["url": .string(url.absoluteString), "attempt": .number(Double(attempt))])
    let navigation = webView.load(URLRequest(url: url, timeoutInterval: settings.loadTimeout))
    if navigation == nil {
      fail(
        SquadFailure(kind: .loading, code: NSURLErrorBadURL, text: "\(url.absoluteString) cannot be opened."))
    } else {
      model.loading()
    }
  }

  /// The page is on its way, whoever wanted it.
  func loadBegan() {
    retryTask?.cancel()
    stopwatch.start()
    model.loading()
  }

  func loadEnded() {
    attempt = 0
    model.ready()
  }

  /// The page is not there. What took too long is tried again, a bounded number of times.
  func fail(_ failure: SquadFailure) {
    retryTask?.cancel()
    model.failed(failure)
    let retry = SquadRetry(attempts: settings.retries, firstWait: settings.firstRetryWait)
    guard failure.kind == .timedOut, let wait = retry.wait(before: attempt + 1) else { return }
    attempt += 1
    model.waits(for: SquadModel.WaitingRetry(attempt: attempt, of: retry.attempts, wait: wait))
    let clock = settings.clock
    retryTask = Task { [weak self] in
      do { try await clock.sleep(for: wait) } catch { return }
      guard let self, !Task.isCancelled else { return }
      load(wanted ?? start)
    }
  }

  // MARK: The cache

  /// The kept page of an address of the network, if the cache policy wants it. Of the app's own files each is asked for by
  /// itself.
  func keptPage(_ url: URL) -> SquadPage? {
    guard Self.isOfTheNetwork(url), settings.servesFromCache(url) else { return nil }
    return cache.page(url)
  }

  private static func isOfTheNetwork(_ url: URL) -> Bool {
    ["http", "https"].contains(url.scheme?.lowercased())
  }

  /// Shows a kept page instead of the network's.
  func serve(_ page: SquadPage) {
    served = page.url
    record(.cache, ["action": "served", "url": .string(page.url.absoluteString)])
    model.note(.app, "from the cache: \(page.url.absoluteString)")
    webView.load(
      page.data, mimeType: page.mimeType, characterEncodingName: page.encoding, baseURL: page.url)
  }

  /// Keeps a page that was loaded, if the cache policy wants it.
  func keepIfWanted(_ url: URL?) {
    guard let url, Self.isOfTheNetwork(url), settings.servesFromCache(url),
      cache.page(url) == nil
    else { return }
    Task { [weak self, fetcher] in
      do {
        let page = try await fetcher.fetch(url)
        self?.keep(page)
      } catch {
        self?.record(.cache, ["action": "refused", "url": .string(url.absoluteString)])
      }
    }
  }

  private func keptFile(_ url: URL) -> SquadPage? {
    guard settings.servesFromCache(url), let page = cache.page(url) else { return nil }
    record(.cache, ["action": "served", "url": .string(url.absoluteString)])
    return page
  }

  private func keepFile(_ page: SquadPage) {
    guard settings.servesFromCache(page.url) else { return }
    keep(page)
  }

  private func keep(_ page: SquadPage) {
    let isKept = cache.keep(page)
    record(.cache, ["action": isKept ? "kept" : "refused", "url": .string(page.url.absoluteString)])
  }

  // MARK: Life cycle

  /// Sign-out by another part of the app: the page is loaded anew.
  static let signedOut = Notification.Name("SquadSignedOut")

  func observe() {
    guard observers.isEmpty else { return }
    observers.append(
      NotificationCenter.default.addObserver(forName: Self.signedOut, object: nil, queue: nil) {
        [weak self] _ in
        Task { @MainActor in self?.loadStart() }
      })
    model.observes(true)
  }

  func stopObserving() {
    guard !observers.isEmpty else { return }
    for observer in observers { NotificationCenter.default.removeObserver(observer) }
    observers = []
    model.observes(false)
  }

  // MARK: Calls of the app

  /// The app rings in the page.
  func ring() {
    calls += 1
    let call = SquadCall(id: "app-\(calls)", title: "Did you see that?!", phase: .incoming)
    model.set(call: call)
    bridge.send([
      "type": "call",
      "data": ["action": "incoming", "callId": call.id, "from": "Matchday squad", "title": call.title],
    ])
  }

  func react() {
    guard var call = model.call, call.phase == .active else { return }
    call.react("🔥")
    model.set(call: call)
    bridge.send(["type": "call", "data": ["action": "emoji", "callId": call.id, "emoji": "🔥"]])
  }

  func hangUp() {
    guard let call = model.call else { return }
    model.set(call: nil)
    bridge.send(["type": "call", "data": ["action": "end", "callId": call.id]])
  }

  // MARK: Views

  /// Brings frame, bars and views to what the model says, now and after each change of it or of the screen.
  private func keepUpToDate() {
    withObservationTracking {
      let screen = scene.screen
      screen.navigationBar = WebNavigationBar(isHidden: false, title: SquadViews.title(model.route))
      let layout = SquadLayout(screen: screen)
      webView.frame = layout.content
      screen.nativeViews = SquadViews.views(model, layout)
    } onChange: { [weak self] in
      // The change has not happened yet, and others may come with it.
      Task { @MainActor in self?.keepUpToDate() }
    }
  }
}
