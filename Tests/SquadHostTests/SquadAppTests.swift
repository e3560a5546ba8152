import Foundation
import PageBridgeTesting
import PageBridgeWebKit
import Testing

@testable import SquadHost

/// The whole host, against simulated pages and viewers.
@MainActor
struct SquadAppTests {
  private let url = SquadFixture.url.absoluteString

  // MARK: What the page is given

  @Test func placeholderIsLoadedOverWithHandlerAndScripts() async throws {
    let fixture = try SquadFixture()
    let page = await fixture.openTab()
    #expect(page.url == url)
    #expect(page.handlers == ["squadBridge"])
    let text = await fixture.relay.get(try #require(page.script)).text
    #expect(text.contains("handleNativeMessage") && text.contains("squadPolicy"))
    #expect(await fixture.records(.load).map { $0["url"] } == [.string(url)])
    #expect(page.settings["mediaTypesRequiringUserActionForPlayback"] == [])
    #expect(await fixture.states(.allowsContentJavaScript) == [true])
    #expect(await fixture.states(.gestureMedia) == [[]])
    #expect(await fixture.states(.ownProcessPool) == [true])
  }

  @Test func folderIsServedWithThePolicyAndNothingBesideIt() async throws {
    let fixture = try SquadFixture { $0.url = nil }
    let page = await fixture.openTab()
    let base = "/s/\(try #require(page.session))/_pagebridge/scheme/squad/app"
    #expect(page.url.hasSuffix(base + "/index.html"))
    let answer = await fixture.relay.get(base + "/index.html")
    #expect(answer.status == 200 && answer.text.contains("<title>Squad</title>"))
    #expect(answer.header("Content-Security-Policy") == SquadPolicy.text)
    #expect(await fixture.relay.get(base + "/squad.css").header("Content-Security-Policy") == nil)
    for path in ["/missing.js", "/../events.ndjson", "/%2e%2e/events.ndjson", "/out.txt", "/"] {
      #expect(await fixture.relay.get(base + path).status != 200, "\(path)")
    }
  }

  @Test func fileThatTheHookWantsIsReadOnce() async throws {
    let fixture = try SquadFixture {
      $0.url = nil
      $0.servesFromCache = { $0.path().hasSuffix(".css") }
    }
    let viewer = await fixture.openViewer()
    let base = "/s/\(try #require(viewer.frame?.session))/_pagebridge/scheme/squad/app"
    #expect(await fixture.relay.get(base + "/squad.css").text == "body {}")
    try fixture.write("changed", to: "squad.css")
    #expect(await fixture.relay.get(base + "/squad.css").text == "body {}")
    await fixture.post(["type": "memoryWarning"], to: "pagebridgeScreen", viewer)
    #expect(await fixture.relay.get(base + "/squad.css").text == "changed")
  }

  @Test func pageWithContentOfItsOwnKeepsIt() async throws {
    let fixture = try SquadFixture()
    let page = await fixture.openTab(isPlaceholder: false)
    #expect(page.documents.count == 1)
    #expect(await fixture.records(.load).isEmpty)
  }

  @Test func policyCanBeLeftAway() async throws {
    let fixture = try SquadFixture { $0.usesContentSecurityPolicy = false }
    let page = await fixture.openTab()
    #expect(await !fixture.relay.get(try #require(page.script)).text.contains("squadPolicy"))
  }

  @Test func eachViewHasAPoolOfItsOwn() async throws {
    let fixture = try SquadFixture()
    _ = await fixture.openTab()
    _ = await fixture.openTab()
    let pools = fixture.controllers.map(\.webView.configuration.processPool)
    #expect(pools.count == 2 && pools[0] !== pools[1])
  }

  // MARK: Messages

  @Test func handlersGetTheWholeMessage() async throws {
    let fixture = try SquadFixture()
    let viewer = await fixture.openViewer()
    let page = try #require(viewer.frame)
    let call: WireValue = ["type": "call", "data": ["action": "start", "callId": "c-1"], "extra": [1, nil]]
    await fixture.post(call, page)
    await fixture.post(["type": "navigation", "data": ["route": "/squads/42"]], page)
    await fixture.post(["type": "navigation", "data": ["url": "https://app.squadforsports.com/polls"]], page)
    await fixture.post(["type": "error", "data": ["code": "RATE_LIMIT_EXCEEDED", "message": "x"]], page)
    let received = await fixture.records(.received)
    #expect(received.map { $0["kind"] } == ["call", "navigation", "navigation", "error"])
    #expect(received.first?["value"] == call)
    #expect(await fixture.states(.route) == [nil, "/squads/42"])
    #expect(await fixture.records(.opened).map { $0["url"] } == ["https://app.squadforsports.com/polls"])
    let views = fixture.views(viewer)
    #expect(views["productError"]?["title"] == "RATE_LIMIT_EXCEEDED")
    #expect(views["productError"]?["text"] == "Too many requests. Wait a moment.")
    await fixture.act(viewer, "productError.dismiss")
    #expect(fixture.views(viewer)["productError"]?["hidden"] == true)
  }

  @Test func refusedMessagesReachNoHandlerAndAreCounted() async throws {
    let fixture = try SquadFixture()
    let page = await fixture.openTab()
    for body: WireValue in [
      "call", 7, nil, [1], .undefined, [:], ["type": 1], ["type": "reaction", "data": [:]],
    ] {
      await fixture.post(body, page)
    }
    await fixture.post(["type": "call", "data": ["action": "start"]], page)
    #expect(await fixture.records(.received).isEmpty)
    #expect(await fixture.states(.refused).last == 9)
    #expect(await fixture.states(.ignored).last == 7)
    #expect(
      await fixture.records(.log).contains { $0["text"] == "refused, unknown message type: reaction" })
    await fixture.post(["type": "navigation", "data": ["route": "/home"]], page)
    #expect(await fixture.records(.received).count == 1)
  }

  @Test func messagesOfFramesAreRefused() async throws {
    let fixture = try SquadFixture()
    let page = await fixture.openTab()
    page.send(
      "message",
      [
        "handler": "squadBridge", "body": ["type": "navigation", "data": ["route": "/"]],
        "frame": ["main": false, "url": "http://127.0.0.1:8080/frame", "id": "f1"],
      ])
    await fixture.settle()
    #expect(await fixture.records(.refusal).map { $0["reason"] } == ["notTheMainFrame"])
  }

  @Test func callsGoBothWays() async throws {
    let fixture = try SquadFixture()
    let viewer = await fixture.openViewer()
    let page = try #require(viewer.frame)
    await fixture.act(viewer, "ring")
    #expect(
      await fixture.records(.sent).last?["value"]?["data"]?["action"] == "incoming")
    #expect(fixture.views(viewer)["call"]?["text"] == "Ringing in the page")
    await fixture.post(["type": "call", "data": ["action": "accept", "callId": "app-1"]], page)
    await fixture.post(["type": "call", "data": ["action": "emoji", "callId": "app-1", "emoji": "👏"]], page)
    await fixture.act(viewer, "call.react")
    #expect(fixture.views(viewer)["call"]?["text"] == "👏 🔥")
    await fixture.act(viewer, "call.end")
    #expect(
      await fixture.records(.sent).compactMap { $0["value"]?["data"]?["action"] } == [
        "incoming", "emoji", "end",
      ])
    #expect(fixture.views(viewer)["call"]?["hidden"] == true)
    // A call that the page starts is accepted by the app.
    await fixture.post(["type": "call", "data": ["action": "start", "callId": "c-9", "title": "T"]], page)
    #expect(await fixture.records(.sent).last?["value"]?["data"]?["action"] == "accept")
    await fixture.post(["type": "call", "data": ["action": "end", "callId": "c-9"]], page)
    #expect(await fixture.states(.call).last == .some(.null))
  }

  @Test func messagesToThePageEndInOneOfFourWays() async throws {
    let fixture = try SquadFixture()
    let viewer = await fixture.openViewer()
    await fixture.act(
      viewer, "message", "submit", #"{"type":"state","data":{"n":-0.5,"z":[null,true,false],"o":{}}}"#)
    fixture.scripts.setAnswer("queued")
    await fixture.act(viewer, "message", "submit", #"{"type":"state"}"#)
    fixture.scripts.setFailure("TypeError: no")
    await fixture.act(viewer, "message", "submit", #"{"type":"state"}"#)
    let calls = fixture.scripts.sources.count
    for text in ["[]", "\"hello\"", "null", "{", ""] {
      await fixture.act(viewer, "message", "submit", .string(text))
    }
    await fixture.act(viewer, "message.broken")
    #expect(fixture.scripts.sources.count == calls)
    let sent = await fixture.records(.sent)
    #expect(
      sent.map { $0["result"] } == ["delivered", "queued", "failed"]
        + Array(repeating: "unencodable", count: 6))
    #expect(sent.first?["value"]?["data"]?["z"] == [nil, true, false])
    #expect(await fixture.records(.bridgeError).first?["text"] == "TypeError: no")
    #expect(await fixture.records(.bridgeError).count == 7)
  }

  // MARK: States

  @Test func statesFollowTheNavigation() async throws {
    let fixture = try SquadFixture()
    let viewer = await fixture.openViewer()
    let page = try #require(viewer.frame)
    #expect(await fixture.states(.state) == ["loading", "ready"])
    #expect(await fixture.states(.indicator) == [true, false])
    await fixture.navigate(page, "started", url + "2")
    #expect(fixture.views(viewer)["indicator"]?["hidden"] == false)
    await fixture.navigate(page, "failed", url + "2", error: (-1004, "Could not connect to the server."))
    #expect(await fixture.states(.errorView).last == "Could not connect to the server.")
    #expect(fixture.views(viewer)["error"]?["hidden"] == false)
    await fixture.act(viewer, "tryAgain")
    #expect(await fixture.states(.state).last == "ready")
    #expect(fixture.views(viewer)["error"]?["hidden"] == true)
  }

  @Test func missingNetworkShowsTheOfflineView() async throws {
    let fixture = try SquadFixture()
    let viewer = await fixture.openViewer()
    await fixture.fail(try #require(viewer.frame), -1009)
    #expect(await fixture.states(.offlineView) == [false, true])
    #expect(await fixture.states(.errorView).last == .some(.null))
    #expect(fixture.views(viewer)["offline"]?["hidden"] == false)
    #expect(await fixture.states(.retry).count == 1)
  }

  @Test func timedOutLoadIsTriedAgainWithGrowingWaitsThenGivenUp() async throws {
    let fixture = try SquadFixture()
    let page = await fixture.openTab()
    page.followLoads(false)
    await fixture.fail(page, -1001)
    for (attempt, wait) in [1, 2, 4].enumerated() {
      #expect(await fixture.states(.retry).last?["seconds"] == .number(Double(wait)))
      fixture.relay.advance(by: .seconds(wait) - .milliseconds(1))
      await fixture.settle()
      #expect(await fixture.records(.load).count == 1 + attempt)
      fixture.relay.advance(by: .milliseconds(1))
      await fixture.settle()
      #expect(await fixture.records(.load).count == 2 + attempt)
      await fixture.navigate(page, "failed", error: (-1001, "timed out"))
    }
    fixture.relay.advance(by: .seconds(60))
    await fixture.settle()
    #expect(await fixture.records(.load).count == 4)
    #expect(await fixture.states(.state).last == "error")
    #expect(await fixture.states(.retry).last == .some(.null))
    #expect(await fixture.states(.errorView).last == "Squad did not answer in time.")
  }

  @Test func successMakesTheNextTimeoutTheFirst() async throws {
    let fixture = try SquadFixture()
    let page = await fixture.openTab()
    await fixture.fail(page, -1001)
    fixture.relay.advance(by: .seconds(1))
    await fixture.settle()
    #expect(await fixture.states(.state).last == "ready")
    await fixture.fail(page, -1001)
    #expect(await fixture.states(.retry).last?["attempt"] == 1)
  }

  @Test func userDoesNotHaveToWait() async throws {
    let fixture = try SquadFixture()
    let viewer = await fixture.openViewer()
    await fixture.fail(try #require(viewer.frame), -1001)
    #expect(fixture.views(viewer)["failure.retry"]?["text"] == "Trying again in 1 s (1 of 3)")
    await fixture.act(viewer, "tryAgain")
    #expect(await fixture.states(.state).last == "ready")
    fixture.relay.advance(by: .seconds(60))
    await fixture.settle()
    #expect(await fixture.records(.load).count == 2)
  }

  @Test func cancelledNavigationIsNoFailure() async throws {
    let fixture = try SquadFixture()
    let page = await fixture.openTab()
    await fixture.fail(page, -999)
    #expect(await !fixture.states(.state).contains("error"))
  }

  @Test func endOfThePageIsAnErrorOfTheWebView() async throws {
    let fixture = try SquadFixture()
    let page = await fixture.openTab()
    page.leave()
    await fixture.settle()
    fixture.relay.advance(by: .seconds(11))
    await fixture.settle()
    #expect(await fixture.states(.failure).last?["kind"] == "webView")
  }

  @Test func foreignErrorTakesTheGenericBranch() async throws {
    let fixture = try SquadFixture()
    let viewer = await fixture.openViewer()
    await fixture.act(viewer, "error.foreign")
    #expect(await fixture.states(.failure).last?["kind"] == "generic")
    #expect(await fixture.states(.errorView).last == "Something went wrong.")
  }

  @Test func insecureAddressIsNotLoaded() async throws {
    let fixture = try SquadFixture { $0.url = URL(string: "http://squad.example/") }
    let page = await fixture.openTab()
    #expect(page.documents.count == 1)
    #expect(await fixture.states(.failure).last?["kind"] == "insecure")
    let open = try SquadFixture {
      $0.url = URL(string: "http://squad.example/")
      $0.isProduction = false
    }
    #expect(await open.openTab().url == "http://squad.example/")
  }

  @Test func appWithoutAPageSaysSo() async throws {
    let fixture = try SquadFixture {
      $0.url = nil
      $0.websiteFolder = nil
    }
    _ = await fixture.openTab()
    #expect(await fixture.states(.errorView).last == "The app has no page of its own.")
  }

  // MARK: Cache, life cycle, figures

  @Test func keptPageIsServedInsteadOfTheNetworks() async throws {
    let fixture = try SquadFixture { $0.servesFromCache = { $0 == SquadFixture.url } }
    fixture.network.put("<title>kept</title>", at: SquadFixture.url)
    let viewer = await fixture.openViewer()
    let page = try #require(viewer.frame)
    #expect(page.url == url)
    await fixture.settle()
    #expect(await fixture.states(.cachedPages).last == 1)
    await fixture.act(viewer, "error.foreign")
    await fixture.act(viewer, "tryAgain")
    let session = try #require(page.session)
    #expect(page.url.hasSuffix("/s/\(session)/html/1"))
    #expect(await fixture.relay.get("/s/\(session)/html/1").text.hasSuffix("<title>kept</title>"))
    #expect(await fixture.records(.policy).map { $0["decision"] } == ["allow", "cache", "allow"])
    #expect(await fixture.states(.state).last == "ready")
    #expect(fixture.network.requests == [url])
    // A memory warning empties the cache: the network is asked again.
    await fixture.post(["type": "memoryWarning"], to: "pagebridgeScreen", viewer)
    #expect(await fixture.states(.cachedPages).last == 0)
    await fixture.act(viewer, "error.foreign")
    await fixture.act(viewer, "tryAgain")
    #expect(page.url == url)
  }

  @Test func nothingIsKeptUnlessTheHookSaysSo() async throws {
    let fixture = try SquadFixture()
    fixture.network.put("x", at: SquadFixture.url)
    _ = await fixture.openTab()
    #expect(fixture.network.requests.isEmpty)
    #expect(await fixture.states(.cachedPages) == [0])
  }

  @Test func observersFollowTheScreen() async throws {
    let fixture = try SquadFixture()
    let viewer = await fixture.openViewer()
    let page = try #require(viewer.frame)
    await fixture.post(["type": "disappear"], to: "pagebridgeScreen", viewer)
    #expect(page.settings["isHidden"] == true)
    await fixture.post(["type": "appear"], to: "pagebridgeScreen", viewer)
    #expect(page.settings["isHidden"] == false)
    #expect(await fixture.states(.isObserving) == [false, true, false, true])
  }

  @Test func loadTimesAndMemoryAreMeasured() async throws {
    let fixture = try SquadFixture()
    let viewer = await fixture.openViewer()
    let page = try #require(viewer.frame)
    let before = await fixture.records(.loadTime).count
    #expect(before == 1)
    await fixture.navigate(page, "started")
    fixture.relay.advance(by: .milliseconds(250))
    page.navigate(to: url)
    await fixture.settle()
    #expect(await fixture.records(.loadTime).last?["seconds"] == 0.25)
    await fixture.act(viewer, "memory")
    #expect(await fixture.records(.memory).last?["resident"]?.number ?? 0 > 1_048_576)
  }

  @Test func logShowsBothDirections() async throws {
    let fixture = try SquadFixture()
    let viewer = await fixture.openViewer()
    let page = try #require(viewer.frame)
    await fixture.post(["type": "navigation", "data": ["route": "/a"]], page)
    await fixture.act(viewer, "message", "submit", #"{"type":"state"}"#)
    let directions = await fixture.records(.log).compactMap { $0["direction"]?.string }
    #expect(directions.suffix(2) == ["fromPage", "toPage"])
    await fixture.act(viewer, "log.toggle")
    let views = fixture.views(viewer)
    #expect(views["log"] != nil)
    #expect(views.values.contains { $0["text"] == #"→ {type: "state"}"# })
  }
}
