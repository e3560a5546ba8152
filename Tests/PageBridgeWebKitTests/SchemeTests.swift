import BridgeProtocol
import PageBridgeTesting
import Testing

@testable import PageBridgeWebKit

@MainActor
@Suite struct SchemeTests {
  /// Answers as the test says, and keeps what it was told.
  @MainActor private final class Handler: WKURLSchemeHandler {
    var tasks: [any WKURLSchemeTask] = []
    var stopped: [URL?] = []
    var onStart: (any WKURLSchemeTask) -> Void = { _ in }

    func webView(_ webView: WKWebView, start urlSchemeTask: any WKURLSchemeTask) {
      tasks.append(urlSchemeTask)
      onStart(urlSchemeTask)
    }

    func webView(_ webView: WKWebView, stop urlSchemeTask: any WKURLSchemeTask) {
      stopped.append(urlSchemeTask.request.url)
    }
  }

  private func open(_ handler: Handler) async -> (Fixture, SimulatedPage, prefix: String) {
    let fixture = Fixture()
    fixture.schemes = ["shop": handler]
    await fixture.start()
    let page = await fixture.open()
    return (fixture, page, "/s/\(page.session!)/_pagebridge/scheme/shop/")
  }

  private func response(_ task: any WKURLSchemeTask, _ type: String, _ length: Int = -1) -> URLResponse {
    URLResponse(
      url: task.request.url!, mimeType: type, expectedContentLength: length, textEncodingName: "utf-8")
  }

  @Test func aLoadLeadsToTheServedAddressAndIsShownAsTheAppsOwn() async {
    let handler = Handler()
    handler.onStart = { task in
      task.didReceive(self.response(task, "text/html"))
      task.didReceive(Data("<title>x</title>".utf8))
      task.didFinish()
    }
    let (fixture, page, prefix) = await open(handler)
    fixture.view.load(URLRequest(url: URL(string: "shop://main/a/b.html?q=1#part")!))
    await fixture.relay.settle()
    #expect(page.url == "http://127.0.0.1:8080\(prefix)main/a/b.html?q=1#part")
    #expect(fixture.view.url?.absoluteString == "shop://main/a/b.html?q=1#part")
    let answer = await fixture.relay.get("\(prefix)main/a/b.html?q=1", headers: [("accept", "text/html")])
    #expect(answer.text == "<script src=\"/bridge.js\" data-app=\"test\"></script><title>x</title>")
    #expect(answer.length == answer.body.count)
    #expect(answer.header("content-type") == "text/html; charset=utf-8")
    #expect(handler.tasks.map(\.request.url?.absoluteString) == ["shop://main/a/b.html?q=1"])
    page.post(1, to: "log")
    await fixture.relay.settle()
    let frame = fixture.recorder.messages[0].frameInfo
    #expect(frame.request.url?.absoluteString == "shop://main/a/b.html?q=1#part")
    #expect((frame.securityOrigin.protocol, frame.securityOrigin.host) == ("shop", "main"))
  }

  @Test func largeDataWaitForTheRelaysCredit() async {
    let handler = Handler()
    let piece = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
    handler.onStart = { task in
      task.didReceive(self.response(task, "application/x", 900_000))
      for _ in 0..<3 { task.didReceive(piece) }
      task.didFinish()
    }
    let (fixture, _, prefix) = await open(handler)
    let answer = await fixture.relay.get("\(prefix)main/large")
    #expect(Data(answer.body) == piece + piece + piece)
    #expect(answer.length == 900_000 && answer.error == nil)
    #expect(answer.mostUngranted <= 0)
  }

  @Test func moreThanWasPromisedIsCutAndLessIsAnError() async {
    let handler = Handler()
    let (fixture, _, prefix) = await open(handler)
    for (given, text, isError) in [("123456", "12345", false), ("1234", "1234", true)] {
      handler.onStart = { task in task.didReceive(self.response(task, "text/plain", 5)) }
      async let answer = fixture.relay.get("\(prefix)main/x")
      while handler.tasks.isEmpty { await Task.yield() }
      // The head leaves first, alone: with the whole content beside it, its length is known better.
      await fixture.relay.settle()
      let task = handler.tasks.removeFirst()
      task.didReceive(Data(given.utf8))
      task.didFinish()
      let got = await answer
      #expect(got.text == text && (got.error != nil) == isError)
    }
  }

  @Test func aTaskIsStoppedWhenTheConnectionIsLostAndNotAfterItsEnd() async {
    let handler = Handler()
    let (fixture, _, prefix) = await open(handler)
    handler.onStart = { task in
      task.didReceive(self.response(task, "text/plain"))
      if task.request.url?.path == "/done" { task.didFinish() }
    }
    _ = await fixture.relay.get("\(prefix)main/done")
    async let held = fixture.relay.get("\(prefix)main/held")
    while handler.tasks.count < 2 { await Task.yield() }
    fixture.relay.cutHosts()
    await fixture.relay.settle()
    #expect(handler.stopped.map { $0?.path } == ["/held"])
    _ = await held
  }

  @Test func unknownSchemesAndHeadsDoNotReachAHandler() async {
    let handler = Handler()
    let (fixture, page, _) = await open(handler)
    let other = await fixture.relay.get("/s/\(page.session!)/_pagebridge/scheme/other/main/x")
    #expect(other.status == 404)
    #expect(handler.tasks.isEmpty)
    #expect(page.settings["schemes"] == ["shop"])
    #expect(fixture.view.configuration.urlSchemeHandler(forURLScheme: "SHOP") === handler)
    #expect(fixture.view.configuration.urlSchemeHandler(forURLScheme: "other") == nil)
    #expect(WKWebView.handlesURLScheme("HTTPS") && !WKWebView.handlesURLScheme("shop"))
  }

  @Test(arguments: [
    ("shop://main/a/b?c#d", "shop/main/a/b?c#d", "shop://main/a/b?c#d"),
    ("SHOP://main", "shop/main/", "shop://main/"), ("shop:///a", "shop/_/a", "shop:///a"),
    ("shop:a", "shop/_/a", "shop:///a"), ("shop://h:80?q", "shop/h:80/?q", "shop://h:80/?q"),
  ])
  func addressesAreServedUnderTheirSchemeAndHost(address: String, path: String, back: String) {
    let served = SchemeAddress.path(of: URL(string: address)!)
    #expect(served == SchemeAddress.prefix + path)
    #expect(SchemeAddress.url(of: served!)?.absoluteString == back)
  }

  @Test func addressesInMarkupAreServedOnesAndScriptsStay() {
    let markup = SchemeMarkup(schemes: ["shop"], session: "S")
    let to = "/s/S/_pagebridge/scheme/shop/"
    func html(_ text: String) -> String { String(decoding: markup.html(Array(text.utf8)), as: UTF8.self) }
    #expect(html("<a href=\"shop://m/x\">shop://m</a>") == "<a href=\"\(to)m/x\">shop://m</a>")
    #expect(html("<img srcset='SHOP://m/1, shop://m/2 2x'>") == "<img srcset='\(to)m/1, \(to)m/2 2x'>")
    #expect(html("<p title='workshop://x'>") == "<p title='workshop://x'>")
    #expect(html("<script src=shop://m/a>'shop://m'</script>") == "<script src=\(to)m/a>'shop://m'</script>")
    #expect(html("<style>a{b:url(shop://m)}</style>") == "<style>a{b:url(\(to)m)}</style>")
    #expect(html("<p title='>' id=\"shop://m") == "<p title='>' id=\"\(to)m")
    #expect(html("a < b <") == "a < b <")
    let css = markup.styleSheet(Array("@import 'shop://m/a.css'".utf8))
    #expect(String(decoding: css, as: UTF8.self) == "@import '\(to)m/a.css'")
  }

  @Test func anAnswerAfterTheEndStopsTheProcess() async {
    await #expect(processExitsWith: .failure) { @MainActor in
      let handler = Handler()
      handler.onStart = { task in
        task.didReceive(
          URLResponse(url: task.request.url!, mimeType: nil, expectedContentLength: 0, textEncodingName: nil))
        task.didFinish()
        task.didFinish()
      }
      let (fixture, _, prefix) = await SchemeTests().open(handler)
      _ = await fixture.relay.get("\(prefix)main/x")
    }
  }

  @Test func dataBeforeTheResponseStopTheProcess() async {
    await #expect(processExitsWith: .failure) { @MainActor in
      let handler = Handler()
      handler.onStart = { $0.didReceive(Data()) }
      let (fixture, _, prefix) = await SchemeTests().open(handler)
      _ = await fixture.relay.get("\(prefix)main/x")
    }
  }

  @Test func aSchemeOfBrowsersHasNoHandler() async {
    await #expect(processExitsWith: .failure) { @MainActor in
      WKWebViewConfiguration().setURLSchemeHandler(Handler(), forURLScheme: "https")
    }
  }
}
