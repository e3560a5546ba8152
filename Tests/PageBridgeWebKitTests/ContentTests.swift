import PageBridgeTesting
import Testing

@testable import PageBridgeWebKit

@MainActor
@Suite struct ContentTests {
  @Test func anHTMLStringIsServedWithTheBridgeFirstAndItsBaseSecond() async throws {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    let html = "<!DOCTYPE html><html><head><title>é</title></head><body>x</body></html>"
    fixture.view.loadHTMLString(html, baseURL: URL(string: "https://www.example.com/?a&b")!)
    #expect(fixture.view.url?.absoluteString == "https://www.example.com/?a&b")
    await fixture.relay.settle()
    #expect(page.url.hasPrefix("http://127.0.0.1:8080/s/\(page.session ?? "?")/"))
    let response = await fixture.relay.get(path(page))
    #expect(response.status == 200)
    #expect(response.header("content-type") == "text/html; charset=utf-8")
    #expect(response.header("cache-control") == "no-store")
    #expect(response.length == response.body.count)
    #expect(
      response.text == "<!DOCTYPE html><html><head><script src=\"/bridge.js\" data-app=\"test\"></script>"
        + "<base href=\"https://www.example.com/?a&amp;b\"><title>é</title></head><body>x</body></html>")
    #expect(fixture.view.url?.absoluteString == "https://www.example.com/?a&b")
    #expect(fixture.recorder.events.suffix(3) == ["didStart", "didCommit", "didFinish"])
  }

  @Test func anHTMLStringWithoutABaseIsAtAboutBlank() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    fixture.view.loadHTMLString("<p>x", baseURL: nil)
    await fixture.relay.settle()
    #expect(fixture.view.url?.absoluteString == "about:blank")
    let response = await fixture.relay.get(path(page))
    #expect(response.text == "<script src=\"/bridge.js\" data-app=\"test\"></script><p>x")
  }

  @Test func earlierHTMLStringsAreStillThereForTheHistory() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    fixture.view.loadHTMLString("one", baseURL: nil)
    await fixture.relay.settle()
    let first = path(page)
    fixture.view.loadHTMLString("two", baseURL: nil)
    await fixture.relay.settle()
    #expect(path(page) != first)
    #expect(await fixture.relay.get(first).text.hasSuffix("one"))
    #expect(await fixture.relay.get(path(page)).text.hasSuffix("two"))
  }

  @Test func dataIsServedWithItsType() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    let base = URL(string: "https://example.com/")!
    fixture.view.load(Data("a,b".utf8), mimeType: "text/csv", characterEncodingName: "utf-8", baseURL: base)
    await fixture.relay.settle()
    let response = await fixture.relay.get(path(page))
    #expect(response.header("content-type") == "text/csv; charset=utf-8")
    #expect(response.text == "a,b")
  }

  @Test func filesOfTheAccessFolderAreServedAndNothingElse() async throws {
    let files = TemporaryFile()
    try files.write("<head></head>page", to: "www/a page.html")
    try files.write("body {}", to: "www/style/a.css")
    try files.write("secret", to: "secret.txt")
    try FileManager.default.createSymbolicLink(
      atPath: files.folder.path + "/www/link.txt", withDestinationPath: files.folder.path + "/secret.txt")
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    let www = files.folder.appendingPathComponent("www", isDirectory: true)
    let url = www.appendingPathComponent("a page.html")
    #expect(fixture.view.loadFileURL(url, allowingReadAccessTo: www) != nil)
    await fixture.relay.settle()
    #expect(page.url.hasSuffix("/a%20page.html"))
    #expect(fixture.view.url == url)
    let base = path(page).replacingOccurrences(of: "a%20page.html", with: "")
    let document = await fixture.relay.get(path(page), headers: [("Sec-Fetch-Dest", "document")])
    #expect(document.status == 200)
    #expect(document.text == "<head><script src=\"/bridge.js\" data-app=\"test\"></script></head>page")
    // A script that fetches the page wants the file itself.
    let fetched = await fixture.relay.get(path(page), headers: [("sec-fetch-dest", "empty")])
    #expect(fetched.text == "<head></head>page")
    let style = await fixture.relay.get(base + "style/a.css?x=1")
    #expect(style.text == "body {}")
    #expect(style.header("content-type") == "text/css; charset=utf-8")
    for escape in [
      "../secret.txt", "style/../../secret.txt", "%2e%2e/secret.txt", "..%2Fsecret.txt", "link.txt", "style",
      "", "missing.html", "a%00b",
    ] {
      let response = await fixture.relay.get(base + escape)
      #expect(response.status == 404, "\(escape)")
      #expect(!response.text.contains("secret"), "\(escape)")
    }
  }

  @Test func aFileOutsideOfItsAccessFolderIsNotLoaded() async {
    let fixture = Fixture()
    await fixture.start()
    _ = await fixture.open()
    let folder = URL(fileURLWithPath: "/usr/share")
    #expect(
      fixture.view.loadFileURL(URL(fileURLWithPath: "/etc/hostname"), allowingReadAccessTo: folder) == nil)
  }

  @Test func contentKeepsToTheRelaysCredit() async throws {
    let files = TemporaryFile()
    let text = String(repeating: "0123456789", count: 150_000)
    try files.write(text, to: "www/large.txt")
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    let www = files.folder.appendingPathComponent("www", isDirectory: true)
    fixture.view.loadFileURL(www.appendingPathComponent("large.txt"), allowingReadAccessTo: www)
    await fixture.relay.settle()
    let file = await fixture.relay.get(path(page))
    #expect(file.length == 1_500_000)
    #expect(file.text == text)
    #expect(file.mostUngranted == 0)
    fixture.view.loadHTMLString(text, baseURL: nil)
    await fixture.relay.settle()
    let html = await fixture.relay.get(path(page))
    #expect(html.text.hasSuffix(text))
    #expect(html.mostUngranted == 0)
  }

  @Test func theBootstrapHoldsHandlersSettingsAndScripts() async throws {
    let fixture = Fixture()
    let source = "window.x = '</script>\u{2028}é😀\"\\';"
    fixture.userScripts = [
      WKUserScript(source: source, injectionTime: .atDocumentStart, forMainFrameOnly: true),
      WKUserScript(source: "two", injectionTime: .atDocumentEnd, forMainFrameOnly: false),
    ]
    await fixture.start()
    let page = await fixture.open()
    let response = await fixture.relay.get(try #require(page.script))
    #expect(response.header("content-type") == "text/javascript; charset=utf-8")
    let script = response.text
    #expect(script.hasPrefix("__pagebridge__.boot(\""))
    #expect(script.hasSuffix("\");\n"))
    #expect(script.utf8.allSatisfy { $0 < 0x80 })
    #expect(!script.contains("<"))
    // The literal's inside has JSON's own escapes.
    let literal = script.dropFirst("__pagebridge__.boot(".count).dropLast(");\n".count)
    let json = try #require(try WireValue(json: literal.utf8).string)
    let boot = try WireValue(json: json.utf8)
    #expect(boot["handlers"] == ["log"])
    #expect(boot["settings"]?["asksNavigation"] != nil)
    let scripts = try #require(boot["scripts"]?.array)
    #expect(scripts[0] == ["source": .string(source), "time": "start", "mainFrameOnly": true])
    #expect(scripts[1] == ["source": "two", "time": "end", "mainFrameOnly": false])
    #expect(await fixture.relay.get(page.script ?? "").status == 410)
  }

  @Test func userScriptsOfALoadedPageAreForLaterDocuments() async throws {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    let controller = fixture.view.configuration.userContentController
    let script = WKUserScript(source: "1", injectionTime: .atDocumentStart, forMainFrameOnly: true)
    controller.addUserScript(script)
    #expect(controller.userScripts == [script])
    await fixture.relay.settle()
    let response = await fixture.relay.get(try #require(page.script))
    #expect(response.text.contains("source"))
    controller.removeAllUserScripts()
    #expect(controller.userScripts == [])
  }

  @Test func contentOfAnEndedSessionIsMissing() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    let path = "/s/\(page.session ?? "")/"
    #expect(await fixture.relay.get(path).status == 200)
    page.leave()
    await fixture.relay.settle()
    fixture.relay.advance(by: .seconds(10))
    await fixture.relay.settle()
    #expect(await fixture.relay.get(path).status == 404)
  }

  private func path(_ page: SimulatedPage) -> String {
    String(page.url.dropFirst("http://127.0.0.1:8080".count))
  }
}

@Suite struct HTMLHeadTests {
  @Test(arguments: [
    ("", 0), ("<p>x", 0), ("text", 0), ("<head>|x", 6), ("<!doctype html>|<p>", 15),
    ("\u{FEFF}<!DOCTYPE html>\n<!-- <head> -->\n<html lang='a>b'>\n<head data-x=\">\">|<meta>", -1),
    ("<html>|<body>", 6), ("<header>x</header>", 0), ("<HTML><HEAD>|", 12), ("<!-- open", 0),
    ("<?xml version='1.0'?>|<p>", 21), ("<head", 0),
    ("<!-->|<script>1</script><!-- -->", -1), ("<!--->|<script>1</script>-->", -1),
    ("<!-- a --!>|<script>'-->'</script>", -1), ("<head a=b'c>|<script>'>'</script>", -1),
    ("<head 'a>|<script>'>'</script>", -1), ("<html a = '>' b=\">\"/c>|<p>", -1),
  ])
  func theScriptStandsFirstInTheHead(_ html: String, _ offset: Int) {
    let bar = html.utf8.firstIndex(of: UInt8(ascii: "|"))
    let expected = bar.map { html.utf8.distance(from: html.utf8.startIndex, to: $0) } ?? max(offset, 0)
    let text = html.replacingOccurrences(of: "|", with: "")
    #expect(HTMLHead.offset(in: Array(text.utf8)) == expected)
  }
}
