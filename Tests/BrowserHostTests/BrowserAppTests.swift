import Foundation
import PageBridgeTesting
import PageBridgeWebKit
import Testing

@testable import BrowserHost

/// The whole host, against simulated pages and viewers.
@MainActor
struct BrowserAppTests {
  private let call = "valueGotFromIOS(value)"

  // MARK: What is loaded

  @Test func placeholderIsLoadedOverWithTheLocalPage() async throws {
    let fixture = try BrowserFixture()
    await fixture.start()
    let page = await fixture.openTab()
    let session = try #require(page.session)
    #expect(page.url.hasSuffix("/s/\(session)/files/1/LocalWebsite.html"))
    #expect(await fixture.records(.load).map { $0["website"] } == ["local"])
    #expect(await fixture.states(.url).last?.string?.hasPrefix("file:///") == true)
  }

  @Test func filesBesideTheLocalPageAreReadAndOthersAreNot() async throws {
    let fixture = try BrowserFixture()
    await fixture.start()
    let page = await fixture.openTab()
    let session = try #require(page.session)
    #expect(await fixture.relay.get("/s/\(session)/files/1/sibling.txt").text == "beside")
    for path in ["../above.txt", "%2e%2e/above.txt", "..%2fabove.txt", "/etc/passwd"] {
      #expect(await fixture.relay.get("/s/\(session)/files/1/\(path)").status == 404)
    }
  }

  @Test func pageWithContentOfItsOwnKeepsIt() async throws {
    let fixture = try BrowserFixture()
    await fixture.start()
    let page = await fixture.openTab(isPlaceholder: false)
    #expect(page.documents.count == 1)
    #expect(await fixture.records(.load).isEmpty)
  }

  @Test func publicPageIsTheRelaysUnlessAnotherIsNamed() async throws {
    let fixture = try BrowserFixture { $0.firstWebsite = .public }
    await fixture.start()
    #expect(await fixture.openTab().url == "http://127.0.0.1:8080/pages/browser/home.html")
    let other = try BrowserFixture {
      $0.firstWebsite = .public
      $0.publicURL = URL(string: "https://www.example.com/start")
    }
    await other.start()
    #expect(await other.openTab().url == "https://www.example.com/start")
  }

  @Test func appWithoutPagesOfItsOwnSaysSoOnce() async throws {
    let fixture = try BrowserFixture { $0.websiteFolder = nil }
    await fixture.start()
    _ = await fixture.openTab()
    #expect(await fixture.records(.error).map { $0["message"] } == ["The app has no page of its own"])
  }

  @Test func stateThatDoesNotChangeTheWebsiteLoadsNothing() async throws {
    let fixture = try BrowserFixture()
    await fixture.start()
    let viewer = await fixture.openViewer()
    let page = try #require(viewer.frame)
    page.post("x", to: "iOSNative")
    page.post(["a": 1], to: "iOSNative")
    await fixture.act(viewer, "website.local")
    #expect(await fixture.records(.load).count == 1)
    await fixture.act(viewer, "website.public")
    await fixture.act(viewer, "website.public")
    #expect(await fixture.records(.load).map { $0["website"] } == ["local", "public"])
    #expect(page.url == "http://127.0.0.1:8080/pages/browser/home.html")
    #expect(await fixture.states(.website) == ["local", "public"])
  }

  @Test func websiteIsLoadedAgainAfterALinkLedElsewhere() async throws {
    let fixture = try BrowserFixture { $0.firstWebsite = .public }
    await fixture.start()
    let viewer = await fixture.openViewer()
    let page = try #require(viewer.frame)
    page.navigate(to: "http://127.0.0.1:8080/pages/browser/second.html")
    await fixture.settle()
    await fixture.act(viewer, "website.public")
    #expect(await fixture.records(.load).count == 2)
    #expect(page.url == "http://127.0.0.1:8080/pages/browser/home.html")
  }

  @Test func addressBarFollowsThePageAndLeadsIt() async throws {
    let fixture = try BrowserFixture()
    await fixture.start()
    let viewer = await fixture.openViewer()
    #expect(fixture.views(viewer)["address"]?["value"] == "www/LocalWebsite.html")
    await fixture.act(viewer, "address", "change", "127.0.0.1:8080/pages/browser/second.html")
    await fixture.act(viewer, "address.go")
    #expect(viewer.frame?.url == "http://127.0.0.1:8080/pages/browser/second.html")
    #expect(fixture.views(viewer)["address"]?["value"] == "http://127.0.0.1:8080/pages/browser/second.html")
    await fixture.act(viewer, "address", "submit", "javascript:alert(1)")
    #expect(await fixture.records(.load).count == 2)
    #expect(await fixture.records(.error).map { $0["message"] } == ["'javascript:alert(1)' is no address"])
    // The same address again is a wish to load it again.
    await fixture.act(viewer, "address", "submit", "http://127.0.0.1:8080/pages/browser/second.html")
    #expect(await fixture.records(.load).count == 3)
  }

  // MARK: From the page to the app

  @Test func eachKindOfBodyReachesItsCallback() async throws {
    let fixture = try BrowserFixture()
    await fixture.start()
    let viewer = await fixture.openViewer()
    let page = try #require(viewer.frame)
    page.post(["name": "Ana", "note": nil], to: "iOSNative")
    page.post("hello from page", to: "iOSNative")
    page.post("{\"a\":1}", to: "iOSNative")
    for body: WireValue in [7, true, nil, [1], .undefined, .date(milliseconds: 0)] {
      page.post(body, to: "iOSNative")
    }
    await fixture.settle()
    #expect(
      await fixture.records(.received).map { $0["kind"] } == [
        "json", "string", "string", "ignored", "ignored", "ignored", "ignored", "ignored", "ignored",
      ])
    #expect(await fixture.states(.lastJSON) == [nil, ["name": "Ana", "note": nil]])
    #expect(await fixture.states(.lastString) == [nil, "hello from page", "{\"a\":1}"])
    #expect(await fixture.states(.ignoredBodies) == [0, 1, 2, 3, 4, 5, 6])
    let views = fixture.views(viewer)
    #expect(views["lastJSON"]?["text"] == "{\"name\": \"Ana\", \"note\": null}")
    #expect(views["lastString"]?["text"] == "{\"a\":1}")
    #expect(views["counts"]?["text"] == "6 ignored")
  }

  @Test func otherNamesReachNobody() async throws {
    let fixture = try BrowserFixture()
    await fixture.start()
    let page = await fixture.openTab()
    #expect(page.handlers == ["iOSNative"])
    page.post("x", to: "other")
    await fixture.settle()
    #expect(await fixture.records(.received).isEmpty)
  }

  // MARK: From the app to the page

  @Test func valueTravelsAsAnArgument() async throws {
    let fixture = try BrowserFixture()
    await fixture.start()
    let viewer = await fixture.openViewer()
    let value = "it's \"quoted\" \\ \n\u{2028}1);window.__pwned=true;(</script>"
    await fixture.act(viewer, "value", "submit", .string(value))
    await fixture.act(viewer, "value", "change", "42")
    await fixture.act(viewer, "value.send")
    let calls = try #require(viewer.frame).received.filter { $0.method == "callAsync" }
    #expect(calls.map { $0.params["source"] } == [.string(call), .string(call)])
    #expect(calls.map { $0.params["arguments"]?["value"] } == [.string(value), "42"])
    #expect(await fixture.records(.value).map { $0["result"] } == ["delivered", "delivered"])
  }

  @Test func failureOfThePagesFunctionReachesTheApp() async throws {
    let fixture = try BrowserFixture()
    await fixture.start()
    let viewer = await fixture.openViewer()
    fixture.scripts.setFailure("ReferenceError: valueGotFromIOS is not defined")
    await fixture.act(viewer, "value", "submit", "a")
    #expect(
      await fixture.states(.lastError).last == [
        "operation": "callingValueGotFromIOS", "message": "ReferenceError: valueGotFromIOS is not defined",
      ])
    #expect(fixture.views(viewer)["error"]?["hidden"] == false)
    fixture.scripts.setFailure(nil)
    await fixture.act(viewer, "value", "submit", "b")
    #expect(await fixture.records(.value).map { $0["result"] } == ["failed", "delivered"])
  }

  @Test func valuesWaitForThePageInOrder() async throws {
    let fixture = try BrowserFixture()
    await fixture.start()
    let viewer = await fixture.openViewer()
    let page = try #require(viewer.frame)
    page.send("navigation", ["phase": "started", "url": "http://127.0.0.1:8080/slow", "type": "link"])
    await fixture.settle()
    for text: WireValue in ["a", "b"] { await fixture.act(viewer, "value", "submit", text) }
    #expect(page.received.filter { $0.method == "callAsync" }.isEmpty)
    #expect(fixture.views(viewer)["counts"]?["text"] == "2 waiting")
    page.navigate(to: "http://127.0.0.1:8080/slow")
    await fixture.settle()
    let calls = page.received.filter { $0.method == "callAsync" }
    #expect(calls.map { $0.params["arguments"]?["value"] } == ["a", "b"])
    #expect(await fixture.states(.waitingValues) == [0, 1, 2, 0])
    #expect(
      await fixture.records(.value).map { $0["result"] } == ["waiting", "waiting", "delivered", "delivered"])
  }

  @Test func pageThatStaysGetsWhatWaited() async throws {
    let fixture = try BrowserFixture()
    await fixture.start()
    let viewer = await fixture.openViewer()
    let page = try #require(viewer.frame)
    page.send("navigation", ["phase": "started", "url": "http://127.0.0.1:1/", "type": "link"])
    await fixture.act(viewer, "value", "submit", "a")
    page.send(
      "navigation",
      [
        "phase": "failed", "url": "http://127.0.0.1:1/", "type": "link",
        "error": ["code": -1004, "message": "Could not connect to the server."],
      ])
    await fixture.settle()
    #expect(await fixture.records(.value).map { $0["result"] } == ["waiting", "delivered"])
    #expect(
      await fixture.states(.lastError).last == [
        "operation": "loading", "message": "Could not connect to the server.",
      ])
    #expect(await fixture.states(.isLoading).last == false)
  }

  @Test func valuesAreDeliveredOnceAfterReloads() async throws {
    let fixture = try BrowserFixture()
    await fixture.start()
    let viewer = await fixture.openViewer()
    for _ in 1...3 { await fixture.act(viewer, "reload") }
    await fixture.act(viewer, "value", "submit", "once")
    let calls = try #require(viewer.frame).received.filter { $0.method == "callAsync" }
    #expect(calls.count == 1)
    #expect(await fixture.records(.navigationCallback).count { $0["callback"] == "finish" } == 4)
  }

  @Test func tooManyWaitingValuesAreRefusedAndCounted() async throws {
    let fixture = try BrowserFixture()
    await fixture.start()
    let viewer = await fixture.openViewer()
    try #require(viewer.frame).send("navigation", ["phase": "started", "url": "http://a/", "type": "link"])
    await fixture.settle()
    for number in 0...ValueQueue.limit {
      viewer.post(
        ["type": "action", "view": "value", "action": "submit", "value": .string("\(number)")],
        to: "pagebridgeScreen")
    }
    await fixture.settle()
    #expect(await fixture.states(.waitingValues).last == .number(Double(ValueQueue.limit)))
    #expect(await fixture.states(.refusedValues) == [0, 1])
    #expect(await fixture.records(.value).last?["result"] == "refused")
  }

  // MARK: Navigation

  @Test func loaderFollowsTheNavigation() async throws {
    let fixture = try BrowserFixture()
    await fixture.start()
    let viewer = await fixture.openViewer()
    #expect(
      await fixture.records(.loader).map { [$0["value"], $0["cause"]] } == [
        [true, "start"], [true, "commit"], [false, "finish"],
      ])
    #expect(fixture.views(viewer)["loader"]?["hidden"] == true)
    let page = try #require(viewer.frame)
    page.send("navigation", ["phase": "started", "url": "http://a/", "type": "link"])
    await fixture.settle()
    #expect(fixture.views(viewer)["loader"]?["hidden"] == false)
    #expect(fixture.views(viewer)["loader.bar"]?["hidden"] == false)
  }

  @Test func loaderEndsWithTheFailureOfADocument() async throws {
    let fixture = try BrowserFixture()
    await fixture.start()
    let page = await fixture.openTab()
    page.send("navigation", ["phase": "committed", "url": .string(page.url), "type": "other"])
    page.send(
      "navigation",
      [
        "phase": "failed", "url": .string(page.url), "type": "other",
        "error": ["code": -1005, "message": "The network connection was lost."],
      ])
    await fixture.settle()
    #expect(
      await fixture.records(.loader).suffix(1).map { [$0["value"], $0["cause"]] } == [[false, "fail"]])
    #expect(await fixture.states(.lastError).last?["message"] == "The network connection was lost.")
  }

  @Test func loaderEndsWithThePage() async throws {
    let fixture = try BrowserFixture()
    await fixture.start()
    let page = await fixture.openTab()
    page.send("navigation", ["phase": "started", "url": "http://a/", "type": "link"])
    await fixture.settle()
    page.leave()
    await fixture.settle()
    fixture.relay.advance(by: .seconds(11))
    await fixture.settle()
    #expect(
      await fixture.records(.loader).last.map { [$0["value"], $0["cause"]] } == [false, "terminate"])
    #expect(await fixture.states(.isLoading).last == false)
  }

  @Test(arguments: ["A title", ""])
  func titleIsPublishedWithItsAddress(title: String) async throws {
    let fixture = try BrowserFixture { $0.firstWebsite = .public }
    fixture.scripts.setTitle(title)
    await fixture.start()
    let viewer = await fixture.openViewer(title: title)
    let expected: WireValue = [
      "text": .string(title), "url": "http://127.0.0.1:8080/pages/browser/home.html",
    ]
    #expect(await fixture.states(.title) == [nil, expected])
    #expect(await fixture.records(.titlePublished).count == 1)
    let bar = viewer.commands("bars").last?["navigationBar"]
    #expect(bar?["title"] == .string(title.isEmpty ? "Untitled" : title))
  }

  @Test func titleThatIsNoTextIsNotPublished() async throws {
    let fixture = try BrowserFixture()
    fixture.scripts.setTitle(nil)
    await fixture.start()
    _ = await fixture.openViewer()
    #expect(await fixture.records(.titlePublished).isEmpty)
  }

  @Test func historyCommandsActOnlyWhenTheyCan() async throws {
    let fixture = try BrowserFixture()
    await fixture.start()
    let viewer = await fixture.openViewer()
    let page = try #require(viewer.frame)
    await fixture.act(viewer, "back")
    await fixture.act(viewer, "forward")
    #expect(page.received.filter { $0.method == "go" }.isEmpty)
    #expect(await fixture.records(.command).map { $0["result"] } == ["impossible", "impossible"])
    #expect(fixture.views(viewer)["back"]?["disabled"] == true)
    page.send("state", ["history": ["back": true, "forward": true]])
    await fixture.settle()
    #expect(fixture.views(viewer)["back"]?["disabled"] == false)
    await fixture.act(viewer, "back")
    #expect(page.received.last { $0.method == "go" }?.params["delta"] == -1)
    page.navigate(to: page.url)
    page.send("state", ["history": ["back": true, "forward": true]])
    await fixture.settle()
    await fixture.act(viewer, "forward")
    #expect(page.received.last { $0.method == "go" }?.params["delta"] == 1)
    #expect(await fixture.records(.error).isEmpty)
  }

  @Test func restrictedHostIsCancelledAndOthersAreNot() async throws {
    let fixture = try BrowserFixture()
    await fixture.start()
    let viewer = await fixture.openViewer()
    let page = try #require(viewer.frame)
    page.send(
      "navigation", ["phase": "asked", "url": "http://WWW.Restricted.COM./", "type": "link"], id: "p1")
    page.send("navigation", ["phase": "asked", "url": "http://notrestricted.com/", "type": "link"], id: "p2")
    await fixture.settle()
    #expect(page.settings["asksNavigation"] == true)
    #expect(await fixture.records(.policy).map { $0["decision"] } == ["allow", "cancel", "allow"])
    #expect(await fixture.records(.navigationCallback).count == 3)
    #expect(await fixture.states(.lastError).last?["message"] == "WWW.Restricted.COM. is blocked")
  }

  @Test func restrictedAddressOfTheAppIsNotLoaded() async throws {
    let fixture = try BrowserFixture()
    await fixture.start()
    let viewer = await fixture.openViewer()
    await fixture.act(viewer, "address", "submit", "restricted.com")
    let page = try #require(viewer.frame)
    #expect(page.received.filter { $0.method == "load" }.isEmpty)
    #expect(fixture.views(viewer)["address"]?["value"] == "www/LocalWebsite.html")
  }

  // MARK: Settings, coordinator, teardown

  @Test func settingsAreToldToPageAndRecords() async throws {
    let fixture = try BrowserFixture { $0.allowsContentJavaScript = false }
    await fixture.start()
    let page = await fixture.openTab()
    #expect(page.settings["allowsBackForwardNavigationGestures"] == true)
    #expect(page.settings["isScrollEnabled"] == true)
    #expect(page.settings["allowsContentJavaScript"] == false)
    #expect(await fixture.states(.allowsBackForwardNavigationGestures) == [true])
    #expect(await fixture.states(.isScrollEnabled) == [true])
    #expect(await fixture.states(.allowsContentJavaScript) == [false])
  }

  @Test func oneCoordinatorHearsMessagesAndNavigations() async throws {
    let fixture = try BrowserFixture()
    await fixture.start()
    let page = await fixture.openTab()
    page.post("x", to: "iOSNative")
    await fixture.settle()
    let numbers = await fixture.records().compactMap { $0["coordinator"] }
    #expect(numbers.count >= 5)
    #expect(Set(numbers).count == 1)
  }

  @Test func closedViewHearsAndDoesNothing() async throws {
    let fixture = try BrowserFixture()
    await fixture.start()
    let viewer = await fixture.openViewer()
    let page = try #require(viewer.frame)
    await fixture.act(viewer, "openOrClose")
    #expect(await fixture.records(.released).count == 1)
    #expect(await fixture.states(.isOpen).last == false)
    #expect(viewer.commands("content").last?["url"] == .null)
    let count = await fixture.records().count { $0["event"] != "views" && $0["event"] != "message" }
    for action in ["back", "forward", "reload", "value.send", "website.public"] {
      await fixture.act(viewer, action)
    }
    await fixture.act(viewer, "value", "submit", "late")
    page.post("late", to: "iOSNative")
    await fixture.settle()
    #expect(page.received.filter { $0.method == "callAsync" }.isEmpty)
    let news = await fixture.records().filter { $0["event"] != "views" && $0["event"] != "message" }
      .dropFirst(count)
    #expect(news.compactMap { $0["key"] } == ["website"])
  }

  @Test func closedViewIsMadeAnew() async throws {
    let fixture = try BrowserFixture()
    await fixture.start()
    let viewer = await fixture.openViewer()
    await fixture.act(viewer, "openOrClose")
    await fixture.act(viewer, "openOrClose")
    await fixture.act(viewer, "value", "submit", "again")
    #expect(await fixture.states(.isOpen) == [true, false, true])
    let page = try #require(viewer.frame)
    #expect(page.received.filter { $0.method == "callAsync" }.count == 1)
    #expect(Set(await fixture.records(.navigationCallback).compactMap { $0["coordinator"] }).count == 2)
  }

  @Test func visitorWhoLeavesLeavesNothingBehind() async throws {
    let fixture = try BrowserFixture()
    await fixture.start()
    let page = await fixture.openTab()
    page.leave()
    await fixture.settle()
    fixture.relay.advance(by: .seconds(11))
    await fixture.settle()
    #expect(await fixture.records(.released).count == 1)
  }

  @Test func plainWindowShowsControlsOnDemand() async throws {
    let fixture = try BrowserFixture()
    await fixture.start()
    let viewer = await fixture.openViewer()
    fixture.turn(viewer, device: "window", width: 500, height: 900)
    await fixture.settle()
    #expect(fixture.views(viewer)["value"] == nil)
    await fixture.act(viewer, "controls")
    #expect(fixture.views(viewer)["value"] != nil)
    await fixture.act(viewer, "controls")
    #expect(fixture.views(viewer)["value"] == nil)
  }

  /// The bodies that the page's side of this system may post, as they are listed for it.
  @Test func nestedAndUnusualObjectsArriveAsTheyWere() async throws {
    let fixture = try BrowserFixture()
    await fixture.start()
    let page = await fixture.openTab()
    let deep = (0..<60).reduce(WireValue.number(1)) { value, _ in [value] }
    let bodies: [WireValue] = [
      [:], ["deep": ["list": [1, 2.5, "x", nil, true, ["k": []]]]],
      ["キー": "値", "emoji": "😀", "rtl": "שלום", "combining": "e\u{301}"],
      ["sep": "a\u{2028}b\u{2029}c", "nul": "a\u{0}b", "tab": "\t"], ["big": 9_007_199_254_740_992],
      ["huge": 1.2345678901234568e29], ["neg": -9.223372036854775808e18], ["type": "multibet-event"],
      ["nest": deep], ["blob": .string(String(repeating: "A", count: 4_096))],
    ]
    for body in bodies { page.post(body, to: "iOSNative") }
    await fixture.settle()
    #expect(await fixture.states(.lastJSON).dropFirst() == bodies[...])
  }
}
