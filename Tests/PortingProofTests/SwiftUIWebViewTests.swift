import PageBridgeTesting
import PageBridgeWebKit
import Testing

@MainActor
struct SwiftUIWebViewTests {
  /// What a SwiftUI view around the web view held as its state.
  private final class ContentView: WebViewHandlerDelegate {
    let viewModel = WebViewModel()
    private(set) var coordinator: WebView.Coordinator!
    private(set) var webView: WKWebView!
    private(set) var titles: [String] = []
    private(set) var loader: [Bool] = []
    private(set) var json: [[String: Any?]] = []
    private(set) var strings: [String] = []
    private var subscriptions: [Task<Void, Never>] = []

    init() {
      let view = WebView(
        url: .publicURL(URL(string: "http://127.0.0.1:8080/start")!), viewModel: viewModel, delegate: self)
      coordinator = view.makeCoordinator()
      webView = view.makeUIView(coordinator: coordinator)
      let (titles, loader) = (viewModel.showWebTitle.values, viewModel.showLoader.values)
      subscriptions.append(Task { [weak self] in for await title in titles { self?.titles.append(title) } })
      subscriptions.append(Task { [weak self] in for await shown in loader { self?.loader.append(shown) } })
      view.updateUIView(webView, coordinator: coordinator)
      view.updateUIView(webView, coordinator: coordinator)
    }

    isolated deinit {
      for subscription in subscriptions { subscription.cancel() }
    }

    func show(_ url: WebURL) {
      coordinator.parent.url = url
      coordinator.parent.updateUIView(webView, coordinator: coordinator)
    }

    func dismantle() {
      WebView.dismantleUIView(webView, coordinator: coordinator)
    }

    func receivedJSONValueFromWebView(value: [String: Any?]) {
      json.append(value)
    }

    func receivedStringValueFromWebView(value: String) {
      strings.append(value)
    }
  }

  private func open() async -> (ProofFixture<ContentView>, SimulatedPage) {
    let fixture = ProofFixture { _ in ContentView() }
    fixture.scripts.answer("document.title") { "A title" }
    let page = await fixture.open()
    return (fixture, page)
  }

  @Test func pageIsLoadedOnceAndItsTitlePublished() async {
    let (fixture, page) = await open()
    #expect(page.url == "http://127.0.0.1:8080/start")
    #expect(page.received.count { $0.method == "load" } == 1)
    #expect(fixture.app.titles.last == "A title")
    #expect(fixture.app.loader.suffix(3) == [true, true, false])
  }

  @Test func messagesReachTheirCallbacks() async {
    let (fixture, page) = await open()
    await fixture.post(page, ["name": "Ana", "note": nil], to: "iOSNative")
    await fixture.post(page, "{\"a\":1}", to: "iOSNative")
    for other: WireValue in [7, true, nil, [1]] { await fixture.post(page, other, to: "iOSNative") }
    #expect(fixture.app.json.count == 1)
    #expect(fixture.app.json.first?["name"] as? String == "Ana")
    #expect(fixture.app.json.first?["note"] is NSNull)
    #expect(fixture.app.strings == ["{\"a\":1}"])
  }

  @Test func valuesAreSentOnceAfterEachPageWasLoaded() async {
    let (fixture, page) = await open()
    page.navigate(to: "http://127.0.0.1:8080/second")
    await fixture.relay.settle()
    fixture.app.viewModel.valuePublisher.send("1);x=1;(\"")
    await fixture.relay.settle()
    #expect(
      fixture.scripts.sources.filter { $0.contains("valueGotFromIOS") } == [
        "valueGotFromIOS(\"1);x=1;(\\\"\")"
      ])
    let errors = fixture.app.coordinator.errors.count
    fixture.scripts.answer("valueGotFromIOS") { throw ScriptException("ReferenceError: valueGotFromIOS") }
    fixture.app.viewModel.valuePublisher.send("again")
    await fixture.relay.settle()
    #expect(fixture.app.coordinator.errors.count == errors + 1)
  }

  @Test func commandsMoveInTheHistoryWhereTheyCan() async {
    let (fixture, page) = await open()
    page.send("state", ["history": ["back": false, "forward": false]])
    await fixture.relay.settle()
    fixture.app.viewModel.webViewNavigationPublisher.send(.backward)
    await fixture.relay.settle()
    #expect(page.received.allSatisfy { $0.method != "go" })
    page.send("state", ["history": ["back": true, "forward": false]])
    await fixture.relay.settle()
    fixture.app.viewModel.webViewNavigationPublisher.send(.backward)
    await fixture.relay.settle()
    #expect(page.received.last { $0.method == "go" }?.params["delta"] == -1)
    fixture.app.viewModel.webViewNavigationPublisher.send(.reload)
    await fixture.relay.settle()
    #expect(page.received.contains { $0.method == "reload" })
  }

  @Test func restrictedHostIsCancelled() async {
    let (fixture, page) = await open()
    #expect(await !fixture.isAllowed(page, "http://restricted.com/"))
    #expect(await fixture.isAllowed(page, "http://127.0.0.1:8080/second"))
  }

  @Test func localWebsiteIsLoadedFromItsFolder() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("www-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data("<p>here".utf8).write(to: folder.appendingPathComponent("LocalWebsite.html"))
    let (fixture, page) = await open()
    fixture.app.show(.localURL(folder: folder))
    await fixture.relay.settle()
    #expect(page.url.hasSuffix("/LocalWebsite.html"))
    #expect(fixture.app.webView.url?.lastPathComponent == "LocalWebsite.html")
  }

  @Test func dismantledViewHearsAndSendsNothing() async {
    let (fixture, page) = await open()
    fixture.app.dismantle()
    await fixture.relay.settle()
    #expect(page.handlers.isEmpty)
    fixture.app.viewModel.valuePublisher.send("late")
    await fixture.post(page, "late", to: "iOSNative")
    #expect(fixture.app.strings.isEmpty)
    #expect(fixture.scripts.sources.allSatisfy { !$0.contains("valueGotFromIOS") })
  }
}
