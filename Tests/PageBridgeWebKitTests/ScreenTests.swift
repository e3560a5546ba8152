import PageBridgeTesting
import PageBridgeWebKit
import Testing

@MainActor
@Suite struct ScreenTests {
  static let metrics: WireValue = [
    "type": "metrics", "device": "phone-notch", "width": 390, "height": 844, "orientation": "portrait",
    "safeArea": ["top": 47, "left": 0, "bottom": 34, "right": 0],
  ]

  /// A viewer that is open and has said how large it is.
  private func openViewer(_ fixture: Fixture) async -> SimulatedPage {
    var options = SimulatedPage.Options()
    options.isScreen = true
    options.tellsState = false
    options.url = "http://localhost:8080/view/test"
    let viewer = await fixture.open(options)
    viewer.post(Self.metrics, to: "pagebridgeScreen")
    await fixture.relay.settle()
    return viewer
  }

  @Test func theClosureRunsOnceTheScreensSizeIsKnown() async {
    let fixture = Fixture()
    var bounds: CGRect?
    fixture.configure = { _, scene in bounds = scene.screen.bounds }
    await fixture.start()
    var options = SimulatedPage.Options()
    options.isScreen = true
    options.tellsState = false
    let viewer = await fixture.open(options)
    #expect(viewer.handlers == ["pagebridgeScreen"])
    #expect(fixture.scenes.count == 0)
    viewer.post(Self.metrics, to: "pagebridgeScreen")
    await fixture.relay.settle()
    #expect(bounds == CGRect(x: 0, y: 0, width: 390, height: 844))
    #expect(fixture.scene.clientKind == .screen)
    #expect(fixture.scene.screen.safeAreaInsets == WebEdgeInsets(top: 47, bottom: 34))
    #expect(fixture.scene.screen.device == "phone-notch")
    #expect(!fixture.scene.screen.isWindow)
    #expect(fixture.scene.screen.isVisible)
  }

  @Test func theViewIsShownInAFrameAsASessionOfItsOwn() async throws {
    let fixture = Fixture()
    await fixture.start()
    let viewer = await openViewer(fixture)
    let content = viewer.commands("content")
    #expect(content.count == 1)
    #expect(content[0]["id"]?.string == fixture.view.sessionID)
    // The visitor's own name of the relay, so that the frame is of the viewer's origin.
    #expect(
      content[0]["url"]?.string?.hasPrefix(
        "http://localhost:8080/s/\(fixture.view.sessionID)/#pagebridge=\(fixture.view.sessionID).") == true)
    let frame = try #require(viewer.frame)
    #expect(frame.session == fixture.view.sessionID)
    #expect(frame.state == .attached)
    #expect(frame.session != viewer.session)
    #expect(frame.handlers == ["log"])
    frame.post("hello", to: "log")
    await fixture.relay.settle()
    #expect(fixture.recorder.bodies == ["hello"])
    #expect(fixture.view.url?.absoluteString == "about:blank")
    #expect(fixture.scenes.count == 1)
    let blank = await fixture.relay.get("/s/\(fixture.view.sessionID)/")
    #expect(blank.text.contains("<script src=\"/bridge.js\" data-app=\"test\">"))
  }

  @Test func aViewWithoutASizeFillsTheScreen() async {
    let fixture = Fixture()
    await fixture.start()
    let viewer = await openViewer(fixture)
    #expect(
      viewer.commands("frame").last == [
        "type": "frame", "id": .string(fixture.view.sessionID), "x": 0, "y": 0, "width": 390, "height": 844,
        "background": "white",
      ])
    fixture.view.frame = CGRect(x: 0, y: 100, width: 390, height: 300)
    await fixture.relay.settle()
    #expect(viewer.commands("frame").last?["y"] == 100)
    #expect(viewer.commands("frame").last?["height"] == 300)
  }

  @Test func aLoadInTheClosureIsTheFirstThingShown() async throws {
    let fixture = Fixture()
    fixture.configure = { view, _ in view.loadHTMLString("<p>app", baseURL: URL(string: "https://a.example/"))
    }
    await fixture.start()
    let viewer = await openViewer(fixture)
    #expect(viewer.commands("content").count == 1)
    #expect(viewer.frame?.url.contains("/html/") == true)
    #expect(fixture.view.url?.absoluteString == "https://a.example/")
    #expect(fixture.recorder.events == ["didStart", "didCommit", "didFinish"])
  }

  @Test func aLaterLoadIsDoneByThePageItself() async {
    let fixture = Fixture()
    await fixture.start()
    let viewer = await openViewer(fixture)
    fixture.view.loadHTMLString("<p>app", baseURL: nil)
    await fixture.relay.settle()
    #expect(viewer.commands("content").count == 1)
    #expect(viewer.frame?.received.last { $0.method == "load" }?.params["replace"] == true)
    #expect(viewer.frame?.url.contains("/html/") == true)
    // The page is of the relay's origin already: its own key opens the session.
    #expect(
      viewer.frame?.received.last { $0.method == "load" }?.params["url"]?.string?.contains("#") == false)
  }

  @Test func commandsReachTheViewer() async {
    let fixture = Fixture()
    await fixture.start()
    let viewer = await openViewer(fixture)
    let screen = fixture.scene.screen
    screen.navigationBar.title = "Live"
    screen.navigationBar.isHidden = false
    screen.statusBar.isHidden = true
    screen.backgroundColor = .white
    screen.isIdleTimerDisabled = true
    screen.requestOrientation(.landscape)
    screen.nativeViews = [
      .panel(
        "betslip", frame: CGRect(x: 1, y: 2, width: 3, height: 4), anchor: .content, title: "Betslip",
        children: [.label("l", text: "x"), .button("b", title: "Place", role: .primary)])
    ]
    await fixture.relay.settle()
    #expect(
      viewer.commands("bars").last == [
        "type": "bars", "navigationBar": ["hidden": false, "title": "Live"],
        "statusBar": ["hidden": true, "style": "dark"],
      ])
    #expect(viewer.commands("background").last?["color"] == "#ffffff")
    #expect(viewer.commands("keepAwake").last?["on"] == true)
    #expect(viewer.commands("orientation").last?["value"] == "landscape")
    #expect(
      viewer.commands("views").last?["views"] == [
        [
          "id": "betslip", "kind": "panel", "frame": ["x": 1, "y": 2, "width": 3, "height": 4],
          "anchor": "content", "title": "Betslip",
          "children": [
            ["id": "l", "kind": "label", "text": "x"],
            ["id": "b", "kind": "button", "title": "Place", "role": "primary"],
          ],
        ]
      ])
  }

  @Test func whatHappensToTheScreenReachesItsDelegate() async {
    let fixture = Fixture()
    let delegate = ScreenRecorder()
    fixture.configure = { _, scene in scene.screen.delegate = delegate }
    await fixture.start()
    let viewer = await openViewer(fixture)
    #expect(delegate.events == ["appear"])
    delegate.events = []
    viewer.post(["type": "appear"], to: "pagebridgeScreen")
    viewer.post(
      [
        "type": "metrics", "device": "phone-notch", "width": 844, "height": 390,
        "orientation": "landscape-left", "safeArea": ["top": 0, "left": 47, "bottom": 21, "right": 47],
      ], to: "pagebridgeScreen")
    viewer.post(["type": "memoryWarning"], to: "pagebridgeScreen")
    viewer.post(
      ["type": "action", "view": "name", "action": "change", "value": "Ana"], to: "pagebridgeScreen")
    viewer.post(["type": "disappear"], to: "pagebridgeScreen")
    viewer.post(["type": "appear"], to: "pagebridgeScreen")
    viewer.post(["type": "nonsense"], to: "pagebridgeScreen")
    viewer.post(5, to: "pagebridgeScreen")
    viewer.post(["type": "metrics", "width": "wide", "height": 1], to: "pagebridgeScreen")
    await fixture.relay.settle()
    #expect(
      delegate.events == [
        "metrics 844x390 landscape-left", "memoryWarning", "name change Ana", "disappear", "appear",
      ])
    #expect(fixture.scene.screen.orientation == .landscapeLeft)
  }

  @Test func aReloadedViewerIsToldEverythingAgain() async throws {
    let fixture = Fixture()
    await fixture.start()
    let viewer = await openViewer(fixture)
    let screen = fixture.scene.screen
    screen.navigationBar.title = "Live"
    screen.isIdleTimerDisabled = true
    screen.nativeViews = [.label("l", text: "x")]
    fixture.view.frame = CGRect(x: 1, y: 2, width: 3, height: 4)
    await fixture.relay.settle()
    let before = viewer.received.count
    viewer.frame?.leave()
    viewer.navigate(to: viewer.url)
    await fixture.relay.settle()
    let told = viewer.received.dropFirst(before).filter { $0.method == "screen" }
    let types = told.compactMap { $0.params["type"]?.string }
    for type in ["background", "bars", "keepAwake", "views", "content", "frame"] {
      #expect(types.contains(type), "\(type)")
    }
    #expect(told.last { $0.params["type"] == "frame" }?.params["x"] == 1)
    #expect(viewer.frame?.session == fixture.view.sessionID)
    #expect(viewer.frame?.state == .attached)
    #expect(fixture.scenes.count == 1)
    fixture.relay.advance(by: .seconds(60))
    await fixture.relay.settle()
    #expect(!fixture.recorder.events.contains("didTerminate"))
    #expect(viewer.frame?.state == .attached)
  }

  @Test func aRestartedHostTakesOverWhatTheViewerShows() async throws {
    let file = TemporaryFile()
    var options = WebViewHost.Options()
    options.stateFile = file.url
    let fixture = Fixture(options: options)
    await fixture.start()
    let viewer = await openViewer(fixture)
    let content = fixture.view.sessionID
    let frame = try #require(viewer.frame)
    fixture.relay.crash(fixture.host)
    await fixture.relay.settle()

    let recorder = Recorder()
    let next = fixture.relay.makeHost(app: "test", options: options)
    var scenes: [WebViewScene] = []
    weak var view: WKWebView?
    next.start { scene in
      scenes.append(scene)
      let configuration = WKWebViewConfiguration()
      configuration.userContentController.add(recorder, name: "log")
      let made = WKWebView(frame: .zero, configuration: configuration)
      view = made
      return made
    }
    await fixture.relay.settle()
    viewer.post(Self.metrics, to: "pagebridgeScreen")
    await fixture.relay.settle()
    #expect(scenes.map(\.clientKind) == [.screen])
    #expect(scenes.first?.isResumed == true)
    #expect(view?.sessionID == content)
    #expect(view?.url?.absoluteString == "about:blank")
    #expect(viewer.frame === frame)
    #expect(frame.state == .attached)
    #expect(viewer.commands("content").count == 1)
    frame.post("x", to: "log")
    await fixture.relay.settle()
    #expect(recorder.bodies == ["x"])
    await next.stop()
  }

  @Test func whatARestartedHostDoesNotShowAgainIsEnded() async throws {
    let file = TemporaryFile()
    var options = WebViewHost.Options()
    options.stateFile = file.url
    let fixture = Fixture(options: options)
    await fixture.start()
    let viewer = await openViewer(fixture)
    let frame = try #require(viewer.frame)
    fixture.relay.crash(fixture.host)
    let next = fixture.relay.makeHost(app: "test", options: options)
    var scenes: [WebViewScene] = []
    next.start { scene in
      scenes.append(scene)
      return nil
    }
    await fixture.relay.settle()
    viewer.post(Self.metrics, to: "pagebridgeScreen")
    await fixture.relay.settle()
    #expect(scenes.count == 1)
    #expect(frame.state == .ended)
    #expect(viewer.state == .attached)
    await next.stop()
  }

  @Test func closingTheViewerEndsItsContentsToo() async {
    let fixture = Fixture()
    await fixture.start()
    let viewer = await openViewer(fixture)
    let delegate = ScreenRecorder()
    fixture.scene.screen.delegate = delegate
    fixture.recorder.events = []
    viewer.frame?.leave()
    viewer.leave()
    await fixture.relay.settle()
    fixture.relay.advance(by: .seconds(10))
    await fixture.relay.settle()
    #expect(fixture.recorder.events == ["didTerminate"])
    #expect(delegate.events == ["disappear"])
    #expect(await fixture.relay.get("/s/\(fixture.view.sessionID)/").status == 404)
  }

  @Test func aFrameThatLosesItsPageTerminatesAndCanBeLoadedAgain() async {
    let fixture = Fixture()
    await fixture.start()
    let viewer = await openViewer(fixture)
    fixture.recorder.events = []
    viewer.frame?.leave()
    await fixture.relay.settle()
    fixture.relay.advance(by: .seconds(10))
    await fixture.relay.settle()
    #expect(fixture.recorder.events == ["didTerminate"])
    fixture.view.loadHTMLString("again", baseURL: nil)
    await fixture.relay.settle()
    #expect(fixture.recorder.events == ["didTerminate", "didStart", "didCommit", "didFinish"])
    #expect(viewer.frame?.state == .attached)
  }

  @Test func withoutTheMethodALostPageIsLoadedAgainOnce() async {
    let fixture = Fixture()
    let silent = SilentDelegate()
    fixture.navigationDelegate = silent
    fixture.configure = { view, _ in view.loadHTMLString("x", baseURL: nil) }
    await fixture.start()
    let viewer = await openViewer(fixture)
    #expect(viewer.commands("content").count == 1)
    viewer.frame?.leave()
    await fixture.relay.settle()
    fixture.relay.advance(by: .seconds(10))
    await fixture.relay.settle()
    #expect(viewer.commands("content").count == 2)
    #expect(viewer.frame?.state == .attached)
    viewer.frame?.leave()
    await fixture.relay.settle()
    fixture.relay.advance(by: .seconds(60))
    await fixture.relay.settle()
    #expect(viewer.commands("content").count == 2)
  }

  @Test func aPageThatNeverSpeaksFailsItsNavigation() async {
    let fixture = Fixture()
    await fixture.start()
    let viewer = await openViewer(fixture)
    fixture.recorder.events = []
    // The frame goes to a page without the bridge: the document is left, and no other one says hello.
    viewer.frame?.followLoads(false)
    fixture.view.load(URLRequest(url: URL(string: "http://127.0.0.1:9000/plain")!))
    await fixture.relay.settle()
    viewer.frame?.leave()
    await fixture.relay.settle()
    fixture.relay.advance(by: .seconds(10))
    await fixture.relay.settle()
    #expect(fixture.recorder.events.prefix(2) == ["didStart", "didFailProvisional -1001"])
    #expect(fixture.view.url?.absoluteString == "about:blank")
    #expect(viewer.frame?.state == .attached)
  }

  @Test func releasingTheViewTakesItOffTheScreen() async {
    let fixture = Fixture()
    var second: WKWebView?
    fixture.configure = { _, scene in
      second = WKWebView(frame: .zero, configuration: WKWebViewConfiguration())
    }
    await fixture.start()
    let viewer = await openViewer(fixture)
    #expect(viewer.commands("content").count == 2)
    #expect(fixture.scene.webViews.count == 2)
    let id = second?.sessionID
    second = nil
    await fixture.relay.settle()
    #expect(
      viewer.commands("content").last == ["type": "content", "id": .string(id ?? ""), "url": nil])
    #expect(fixture.scene.webViews.count == 1)
  }

  @Test func aTabIsAWindowWhoseSizeComesWithThePage() async {
    let fixture = Fixture()
    let delegate = ScreenRecorder()
    fixture.configure = { _, scene in scene.screen.delegate = delegate }
    await fixture.start()
    var options = SimulatedPage.Options()
    options.width = 900
    options.height = 400
    let page = await fixture.open(options)
    let screen = fixture.scene.screen
    #expect(screen.isWindow)
    #expect(screen.device == "window")
    #expect(delegate.events == ["metrics 900x400 landscape-left", "appear"])
    page.send("state", ["size": ["width": 400, "height": 900], "visibility": "hidden"])
    await fixture.relay.settle()
    #expect(screen.orientation == .portrait)
    #expect(!screen.isVisible)
    screen.requestOrientation(.landscape)
    screen.navigationBar.title = "x"
    fixture.view.frame = CGRect(x: 0, y: 0, width: 1, height: 1)
    await fixture.relay.settle()
    #expect(!page.received.contains { $0.method == "screen" })
  }

  @Test func theViewerSeesTheTrafficOfItsContent() async throws {
    let fixture = Fixture()
    await fixture.start()
    let viewer = await openViewer(fixture)
    let frame = try #require(viewer.frame)
    frame.onEvaluate { _ in 42 }
    frame.post(["a": 1], to: "log")
    await fixture.relay.settle()
    _ = try await fixture.view.evaluateJavaScript("6*7")
    await fixture.relay.settle()
    let entries = viewer.commands("traffic").flatMap { $0["entries"]?.array ?? [] }
    let message = try #require(entries.first { $0["kind"] == "message" })
    #expect(message["direction"] == "toHost")
    #expect(message["name"] == "log")
    #expect((message["bytes"]?.number ?? 0) > 10)
    #expect(message["preview"]?.string?.contains("\"a\":1") == true)
    #expect(entries.contains { $0["kind"] == "evaluate" && $0["direction"] == "toPage" })
    #expect(entries.contains { $0["kind"] == "result" && $0["direction"] == "toHost" })
    viewer.post(
      ["type": "trafficBody", "entry": try #require(message["entry"])], to: "pagebridgeScreen")
    await fixture.relay.settle()
    let body = try #require(viewer.commands("trafficBody").last)
    #expect(body["entry"] == message["entry"])
    #expect(body["body"]?.string?.contains("\"handler\":\"log\"") == true)
    let count = entries.count
    viewer.post(["type": "trafficPause", "paused": true], to: "pagebridgeScreen")
    await fixture.relay.settle()
    frame.post(2, to: "log")
    await fixture.relay.settle()
    #expect(viewer.commands("traffic").flatMap { $0["entries"]?.array ?? [] }.count == count)
  }
}

@MainActor
private final class ScreenRecorder: WebViewScreenDelegate {
  var events: [String] = []

  func screenDidChangeMetrics(_ screen: WebViewScreen) {
    let size = screen.bounds.size
    events.append("metrics \(Int(size.width))x\(Int(size.height)) \(screen.orientation.rawValue)")
  }

  func screenDidAppear(_ screen: WebViewScreen) { events.append("appear") }
  func screenDidDisappear(_ screen: WebViewScreen) { events.append("disappear") }
  func screenDidReceiveMemoryWarning(_ screen: WebViewScreen) { events.append("memoryWarning") }

  func screen(_ screen: WebViewScreen, didReceive action: NativeViewAction) {
    events.append("\(action.view) \(action.kind.rawValue) \(action.text ?? "-")")
  }
}

@MainActor
private final class SilentDelegate: NSObject, WKNavigationDelegate {}
