import PageBridgeTesting
import PageBridgeWebKit
import Relay
import Testing

/// Host, relay and pages over real sockets, in one process.
@MainActor
@Suite(.serialized, .timeLimit(.minutes(2))) struct EndToEndTests {
  @Test func messagesGoInAndEvaluationsComeOut() async throws {
    let rig = try Rig()
    let host = rig.start()
    let page = try rig.page()
    page.onEvaluate { .string("got " + $0) }
    page.open()
    await page.wait { $0.state == .attached }
    #expect(page.handlers == ["log"])
    page.post(["a": [1, true, nil]], to: "log")
    await rig.recorder.messages(1)
    #expect(rig.recorder.bodies == [["a": [1, true, nil]]])
    #expect(try await rig.view.evaluateJavaScript("x") as? String == "got x")
    await host.stop()
    await page.wait { $0.state == .ended }
    rig.relay.stop()
  }

  @Test func aThousandMessagesEachWaySurviveCuts() async throws {
    let rig = try Rig()
    let host = rig.start()
    let page = try rig.page()
    page.onEvaluate { .string($0) }
    page.open()
    await page.wait { $0.state == .attached }
    var results: [String] = []
    for number in 1...1_000 {
      page.post(.number(Double(number)), to: "log")
      rig.view.evaluateJavaScript("\(number)") { value, _ in results.append(value as? String ?? "?") }
      if number % 250 == 125 {
        page.cut()
        await page.wait { $0.state == .closed }
        page.open()
      }
    }
    await rig.recorder.messages(1_000)
    #expect(try await rig.view.evaluateJavaScript("last") as? String == "last")
    #expect(rig.recorder.bodies == (1...1_000).map { .number(Double($0)) })
    #expect(results == (1...1_000).map(String.init))
    #expect(rig.scenes.count == 1)
    await host.stop()
    rig.relay.stop()
  }

  @Test func aLongMessageCrossesBothWays() async throws {
    let rig = try Rig()
    let host = rig.start()
    let page = try rig.page()
    page.onEvaluate { .string($0) }
    page.open()
    await page.wait { $0.state == .attached }
    let text = String(repeating: "é😀\"\u{1}", count: 200_000)
    page.post(.string(text), to: "log")
    await rig.recorder.messages(1)
    #expect(rig.recorder.bodies == [.string(text)])
    #expect(try await rig.view.evaluateJavaScript(text) as? String == text)
    await host.stop()
    rig.relay.stop()
  }

  @Test func contentAndTheOneTimeScriptComeByHTTP() async throws {
    let rig = try Rig()
    let host = rig.start()
    let page = try rig.page()
    page.open()
    await page.wait { $0.state == .attached }
    let script = try #require(page.script)
    let (bootstrap, first) = try await rig.get(script)
    #expect(first.statusCode == 200)
    #expect(String(decoding: bootstrap, as: UTF8.self).hasPrefix("__pagebridge__.boot(\""))
    #expect(try await rig.get(script).1.statusCode == 410)

    let body = String(repeating: "<p>x</p>", count: 100_000)
    rig.view.loadHTMLString(body, baseURL: nil)
    await page.wait { $0.url.contains("/html/") && $0.state == .attached }
    let (html, response) = try await rig.get(String(page.url.dropFirst(rig.relay.url.count)))
    #expect(response.statusCode == 200)
    #expect(response.value(forHTTPHeaderField: "Content-Type") == "text/html; charset=utf-8")
    #expect(String(decoding: html, as: UTF8.self).hasSuffix(body))
    #expect(String(decoding: html, as: UTF8.self).hasPrefix("<script src=\"/bridge.js\" data-app=\"test\">"))
    await host.stop()
    rig.relay.stop()
  }

  @Test func aTicketOpensTheHostsOwnViewOnce() async throws {
    let rig = try Rig()
    let host = rig.start()
    try await host.connected()
    let view = WKWebView(frame: .zero, configuration: WKWebViewConfiguration(), host: host)
    view.navigationDelegate = rig.recorder
    let address = view.pageURL.absoluteString
    let page = try rig.page()
    page.open(address)
    await page.wait { $0.state == .attached }
    #expect(page.session == view.sessionID)
    #expect(rig.scenes.isEmpty)
    let thief = try rig.page()
    thief.open(address)
    await thief.wait { $0.closeCode != nil || $0.state == .ended || $0.state == .away }
    #expect(thief.session != view.sessionID || thief.state != .attached)
    #expect(page.state == .attached)
    await host.stop()
    rig.relay.stop()
  }

  @Test func aHostThatComesBackFindsItsPages() async throws {
    let file = TemporaryFile()
    var options = WebViewHost.Options()
    options.stateFile = file.url
    let rig = try Rig(options: options)
    let first = rig.start()
    let page = try rig.page()
    page.open()
    await page.wait { $0.state == .attached }
    let port = rig.relay.port
    // The relay dies and comes again on the same port with the same secret: same process, nothing lost.
    rig.relay.stop()
    await page.wait { $0.state == .closed }
    page.post("meanwhile", to: "log")
    let relay = try Rig.makeRelay(port: port)
    page.open()
    await page.wait { $0.state == .attached }
    await rig.recorder.messages(1)
    #expect(rig.recorder.bodies == ["meanwhile"])
    #expect(rig.scenes.count == 1)
    await first.stop()
    await page.wait { $0.state == .ended }
    relay.stop()
  }

  @Test func pagesThatCameFirstAreServedWhenTheHostComes() async throws {
    let rig = try Rig()
    let page = try rig.page()
    page.open()
    await page.wait { $0.state == .waiting }
    let host = rig.start()
    await page.wait { $0.state == .attached }
    #expect(page.handlers == ["log"])
    await host.stop()
    rig.relay.stop()
  }

  @Test func aViewerShowsTheViewInAFrame() async throws {
    let rig = try Rig()
    let host = rig.start()
    var options = SimulatedPage.Options()
    options.isScreen = true
    options.tellsState = false
    options.url = rig.relay.url + "/view/test"
    let viewer = try rig.page(options)
    viewer.open()
    await viewer.wait { $0.state == .attached }
    viewer.post(ScreenTests.metrics, to: "pagebridgeScreen")
    await viewer.wait { $0.frame != nil }
    let frame = try #require(viewer.frame)
    await frame.wait { $0.state == .attached }
    #expect(frame.session == rig.view.sessionID)
    frame.post("x", to: "log")
    await rig.recorder.messages(1)
    // A reloaded viewer shows it again.
    frame.leave()
    viewer.navigate(to: viewer.url)
    await viewer.wait { $0.frame != nil && $0.frame !== frame }
    let again = try #require(viewer.frame)
    await again.wait { $0.state == .attached }
    #expect(again.session == rig.view.sessionID)
    #expect(rig.scenes.count == 1)
    await host.stop()
    rig.relay.stop()
  }
}

/// A relay on a free port and a host whose closure makes one web view for each visitor.
@MainActor
private final class Rig {
  let relay: RelayServer
  let recorder = Recorder()
  private let options: WebViewHost.Options
  private(set) var scenes: [WebViewScene] = []
  private(set) var views: [WKWebView] = []

  var view: WKWebView { views.last! }

  init(options: WebViewHost.Options = WebViewHost.Options()) throws {
    self.options = options
    relay = try Self.makeRelay(port: 0)
  }

  static func makeRelay(port: Int) throws -> RelayServer {
    var configuration = RelayConfiguration(secret: Array("a secret for tests only".utf8))
    configuration.listen.port = port
    // The main actor is shared with hundreds of tests that run at the same time: a host may answer late.
    configuration.limits.openTimeout = .seconds(8)
    let relay = try RelayServer(configuration)
    try relay.start()
    return relay
  }

  func start() -> WebViewHost {
    let host = WebViewHost(app: "test", relay: URL(string: relay.url)!, options: options)
    host.start { [unowned self] scene in
      scenes.append(scene)
      let configuration = WKWebViewConfiguration()
      configuration.userContentController.add(recorder, name: "log")
      let view = WKWebView(frame: .zero, configuration: configuration)
      view.navigationDelegate = recorder
      views.append(view)
      return view
    }
    return host
  }

  func page(_ options: SimulatedPage.Options = SimulatedPage.Options()) throws -> SimulatedPage {
    var options = options
    if !options.isScreen { options.url = relay.url + "/page" }
    return try SimulatedPage(app: "test", relay: URL(string: relay.url)!, options: options)
  }

  func get(_ path: String) async throws -> (Data, HTTPURLResponse) {
    let (data, response) = try await URLSession.shared.data(from: URL(string: relay.url + path)!)
    return (data, response as! HTTPURLResponse)
  }
}
