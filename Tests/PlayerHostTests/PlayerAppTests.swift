import PageBridgeTesting
import PageBridgeWebKit
import Testing

@testable import PlayerHost

/// The whole host, against simulated pages and viewers.
@MainActor
struct PlayerAppTests {
  // MARK: What is loaded

  @Test func placeholderIsLoadedOverWithTheTemplate() async throws {
    let fixture = PlayerFixture(configuration: PlayerConfiguration(customerId: "c", fixtureId: "a&b"))
    await fixture.start()
    let page = await fixture.openTab()
    let session = try #require(page.session)
    let path = try #require(page.url.firstRange(of: "/s/\(session)/")).lowerBound
    let content = await fixture.relay.get(String(page.url[path...]))
    #expect(content.status == 200)
    #expect(
      content.text.contains(
        "http://127.0.0.1:8080/pages/player/widget.js?customerId=c&amp;fixtureId=a%26b&amp;"))
    #expect(content.text.contains("https://www.example.com"))
    #expect(!content.text.contains("{{"))
    #expect(await fixture.records(.load).map { $0["content"] } == ["template"])
  }

  @Test func pageWithContentOfItsOwnKeepsIt() async {
    let fixture = PlayerFixture()
    await fixture.start()
    let page = await fixture.openTab(isPlaceholder: false)
    #expect(page.url == "http://127.0.0.1:8080/pages/player/")
    #expect(page.documents.count == 1)
    fixture.app.update(PlayerConfiguration(fixtureId: "2"))
    await fixture.settle()
    #expect(page.documents.count == 1)
    #expect(await fixture.records(.load).isEmpty)
  }

  @Test func pageKnowsTheTwoNamesAndTheViewsSettings() async {
    let fixture = PlayerFixture()
    await fixture.start()
    let page = await fixture.openTab()
    #expect(page.handlers == ["gsVideoPlayerBridge", "playerPage"])
    #expect(page.settings["allowsInlineMediaPlayback"] == true)
    #expect(page.settings["allowsPictureInPictureMediaPlayback"] == false)
    #expect(page.settings["bounces"] == false)
    #expect(page.settings["isScrollEnabled"] == false)
    #expect(page.settings["backgroundColor"] == "#000000")
  }

  @Test func otherConfigurationLoadsThePageAnew() async throws {
    let fixture = PlayerFixture()
    await fixture.start()
    let page = await fixture.openTab()
    await fixture.post(page, ["type": "init"])
    let documents = page.documents.count
    fixture.app.update(PlayerConfiguration(fixtureId: "2"))
    await fixture.settle()
    #expect(page.documents.count == documents + 1)
    let session = try #require(page.session)
    let path = try #require(page.url.firstRange(of: "/s/\(session)/")).lowerBound
    #expect(await fixture.relay.get(String(page.url[path...])).text.contains("fixtureId=2&amp;"))
    #expect(await fixture.states(.isVideoPlayerReady, of: page) == [false, true, false])
    #expect(await fixture.states(.configuration, of: page).map { $0["fixtureId"] } == ["1", "2"])
    fixture.app.update(PlayerConfiguration(fixtureId: "2"))
    await fixture.settle()
    #expect(page.documents.count == documents + 1)
  }

  // MARK: Messages

  @Test func eachMessageCallsTheHandlerOnce() async {
    let fixture = PlayerFixture()
    await fixture.start()
    let page = await fixture.openTab()
    await fixture.post(page, ["type": "init", "payload": ["a": 1]])
    await fixture.post(page, ["type": "toggleFullscreen", "payload": nil])
    let calls = await fixture.records(.call)
    #expect(calls.map { $0["type"] } == ["init", "toggleFullscreen"])
    #expect(calls.map { $0["payload"] } == [["a": 1], .null])
    #expect(await fixture.states(.isFullscreen, of: page) == [false, true])
    #expect(fixture.scripts.sources == [PlayerScript.leaveFullscreen, PlayerScript.enterFullscreen])
  }

  @Test func refusedMessagesAreCountedAndCallNobody() async {
    let fixture = PlayerFixture()
    await fixture.start()
    let page = await fixture.openTab()
    for body: WireValue in [
      "init", 42, ["init"], nil, .undefined, ["payload": [:]], ["type": 5], ["type": nil],
    ] {
      await fixture.post(page, body)
    }
    #expect(await fixture.records(.call).isEmpty)
    #expect(await fixture.records(.refusedMessage).count == 8)
    #expect(await fixture.states(.refusedMessages, of: page).last == 8)
    #expect(await fixture.states(.isVideoPlayerReady, of: page) == [false])
  }

  @Test func refusedFieldLeavesTheRestUsable() async {
    let fixture = PlayerFixture()
    await fixture.start()
    let page = await fixture.openTab()
    await fixture.post(
      page,
      ["type": "multibet-event", "payload": ["command": "openBetslip", "marketId": "m", "stake": true]])
    #expect(await fixture.states(.betslipText, of: page).last == ["marketId: m"])
    #expect(await fixture.states(.isBetslipHidden, of: page).last == false)
    let refusals = await fixture.records(.refusedMessage)
    #expect(refusals.map { $0["field"] } == ["stake"])
    #expect(refusals.map { $0["type"] } == ["multibet-event"])
  }

  @Test func unknownTypeIsNotedAndChangesNothing() async {
    let fixture = PlayerFixture()
    await fixture.start()
    let page = await fixture.openTab()
    let states = await fixture.records().count { $0["event"] == "state" }
    await fixture.post(page, ["type": "xyz", "payload": ["a": 1]])
    #expect(await fixture.records(.unknownMessage).map { $0["type"] } == ["xyz"])
    #expect(await fixture.records().count { $0["event"] == "state" } == states)
  }

  @Test func windowThatTurnsTurnsThePlayer() async {
    let fixture = PlayerFixture()
    await fixture.start()
    let page = await fixture.openTab(width: 900, height: 400)
    #expect(await fixture.states(.isFullscreen, of: page) == [false])
    await fixture.post(page, ["type": "init"])
    #expect(await fixture.states(.isFullscreen, of: page) == [false, true])
    page.send("state", ["size": ["width": 500, "height": 500]])
    await fixture.settle()
    #expect(await fixture.states(.isFullscreen, of: page) == [false, true, false])
    #expect(
      await fixture.states(.frame, of: page).last == ["x": 0, "y": 100, "width": 500, "height": 300])
  }

  @Test func scriptThatFailsIsNotedAndNothingElseHappens() async {
    let fixture = PlayerFixture()
    await fixture.start()
    let page = await fixture.openTab()
    page.onEvaluate { _ in throw ScriptException("ReferenceError: x is not defined") }
    await fixture.post(page, ["type": "init"])
    #expect(await fixture.records(.error).count == 1)
    #expect(await fixture.states(.isVideoPlayerReady, of: page).last == true)
  }

  // MARK: The app's own channel

  @Test func playersReasonsReachTheAppsHandler() async {
    let fixture = PlayerFixture()
    await fixture.start()
    let page = await fixture.openTab()
    let error: WireValue = ["code": 1001, "message": "not here", "details": "fixture 1"]
    await fixture.post(page, ["type": "player_not_ready", "payload": ["error": [error]]], to: "playerPage")
    #expect(fixture.notReady == [[PlayerError(code: 1001, message: "not here", details: "fixture 1")]])
    #expect(await fixture.states(.playerErrors, of: page) == [[error]])
    #expect(await fixture.states(.availability, of: page).last == "refused")
    await fixture.post(page, ["type": "player_not_ready", "payload": ["error": "1003"]], to: "playerPage")
    #expect(fixture.notReady.count == 1)
    #expect(await fixture.records(.refusedMessage).map { $0["reason"] } == ["notAnArray"])
  }

  @Test func silentPlayerCountsAsNotAvailable() async {
    let fixture = PlayerFixture()
    await fixture.start()
    let page = await fixture.openTab()
    fixture.relay.advance(by: .milliseconds(14_999))
    await fixture.settle()
    #expect(await fixture.states(.availability, of: page) == ["waiting"])
    fixture.relay.advance(by: .milliseconds(1))
    await fixture.settle()
    #expect(await fixture.states(.availability, of: page) == ["waiting", "silent"])
  }

  @Test func playerThatAnsweredIsNotSilent() async {
    let fixture = PlayerFixture()
    await fixture.start()
    let page = await fixture.openTab()
    await fixture.post(page, ["type": "player_ready", "payload": ["streamId": "s"]], to: "playerPage")
    fixture.relay.advance(by: .seconds(60))
    await fixture.settle()
    #expect(await fixture.states(.availability, of: page) == ["waiting", "available"])
  }

  @Test func requestedBetsAreHandedOver() async throws {
    let fixture = PlayerFixture(userBets: CustomerMarket.samples)
    await fixture.start()
    let page = await fixture.openTab()
    #expect(fixture.scripts.sources.isEmpty)
    await fixture.post(page, ["type": "requestUserBets", "payload": nil], to: "playerPage")
    #expect(fixture.scripts.sources == [try PlayerScript.setUserBets(CustomerMarket.samples)])
    fixture.app.update([CustomerMarket.samples[0]])
    await fixture.settle()
    #expect(fixture.scripts.sources.last == (try PlayerScript.setUserBets([CustomerMarket.samples[0]])))
    #expect(await fixture.records(.userBetsSent).map { $0["count"] } == [2, 1])
  }

  // MARK: The viewer

  @Test func viewerShowsBarsFrameAndViews() async throws {
    let fixture = PlayerFixture()
    await fixture.start()
    let viewer = await fixture.openViewer()
    let frame = try #require(viewer.commands("frame").last)
    #expect(frame["y"] == 100)
    #expect(frame["width"] == 390)
    #expect(frame["height"] == 300)
    let bars = try #require(viewer.commands("bars").last)
    #expect(bars["navigationBar"] == ["hidden": false, "title": "Genius Video Player"])
    #expect(bars["statusBar"]?["hidden"] == true)
    #expect(viewer.commands("background").last?["color"] == "#000000")
    #expect(viewer.commands("keepAwake").last?["on"] == true)
    let content = try #require(viewer.frame)
    #expect(content.url.contains("/s/"))
    #expect(await fixture.states(.isIdleTimerDisabled, of: content) == [false, true])
  }

  @Test func toggleTurnsTheDeviceAndFillsIt() async throws {
    let fixture = PlayerFixture()
    await fixture.start()
    let viewer = await fixture.openViewer()
    let content = try #require(viewer.frame)
    await fixture.post(content, ["type": "init"])
    await fixture.post(content, ["type": "toggleFullscreen"])
    #expect(viewer.commands("orientation").map { $0["value"] } == ["landscape"])
    #expect(await fixture.states(.notchPosition, of: content).last == "left")
    await fixture.turn(viewer, width: 844, height: 390, orientation: "landscape-left", inset: 47)
    let frame = try #require(viewer.commands("frame").last)
    #expect(frame["x"] == 47)
    #expect(frame["width"] == 797)
    #expect(frame["height"] == 390)
    #expect(viewer.commands("bars").last?["navigationBar"]?["hidden"] == true)
    #expect(fixture.scripts.count(of: PlayerScript.enterFullscreen) == 1)
    await fixture.post(content, ["type": "toggleFullscreen"])
    #expect(viewer.commands("orientation").map { $0["value"] } == ["landscape", "portrait"])
    #expect(await fixture.states(.orientationSource, of: content) == ["none", "programatically", "none"])
  }

  @Test(arguments: ["betslip.place", "betslip.cancel"])
  func betslipIsDrawnAndItsButtonsHideIt(button: String) async throws {
    let fixture = PlayerFixture()
    await fixture.start()
    let viewer = await fixture.openViewer()
    let content = try #require(viewer.frame)
    func betslip() -> WireValue? {
      viewer.commands("views").last?["views"]?.array?.first { $0["id"] == "betslip" }
    }
    #expect(betslip()?["hidden"] == true)
    await fixture.post(
      content,
      ["type": "betslip-container-dimensions", "payload": ["top": 1.5, "left": 2, "width": 3, "height": 4]])
    await fixture.post(
      content,
      ["type": "multibet-event", "payload": ["command": "addToBetslip", "marketId": "m", "stake": 10]])
    #expect(betslip()?["hidden"] == false)
    #expect(betslip()?["anchor"] == "content")
    #expect(betslip()?["frame"] == ["x": 2, "y": 1.5, "width": 3, "height": 4])
    #expect(betslip()?["children"]?.array?.compactMap { $0["text"]?.string } == ["marketId: m", "stake: 10"])
    fixture.tell(viewer, ["type": "action", "view": .string(button), "action": "press"])
    await fixture.settle()
    #expect(betslip()?["hidden"] == true)
    #expect(await fixture.states(.isBetslipHidden, of: content) == [true, false, true])
  }

  @Test func nextMatchLoadsTheNextFixture() async throws {
    let fixture = PlayerFixture(fixtureIds: ["1", "2"])
    await fixture.start()
    let viewer = await fixture.openViewer()
    let content = try #require(viewer.frame)
    for _ in 0..<2 {
      fixture.tell(viewer, ["type": "action", "view": "match.next", "action": "press"])
      await fixture.settle()
    }
    #expect(await fixture.states(.configuration, of: content).map { $0["fixtureId"] } == ["1", "2", "1"])
  }

  @Test func homeClosesThePlayerAndComingBackLoadsItAgain() async throws {
    let fixture = PlayerFixture()
    await fixture.start()
    let viewer = await fixture.openViewer()
    let content = try #require(viewer.frame)
    await fixture.post(content, ["type": "init"])
    let loads = await fixture.records(.load).count
    fixture.tell(viewer, ["type": "disappear"])
    await fixture.settle()
    #expect(fixture.scripts.count(of: PlayerScript.closePlayer) == 1)
    #expect(viewer.commands("keepAwake").last?["on"] == false)
    #expect(await fixture.states(.isIdleTimerDisabled, of: content).last == false)
    fixture.tell(viewer, ["type": "appear"])
    await fixture.settle()
    #expect(await fixture.records(.load).count == loads + 1)
    #expect(await fixture.states(.isVideoPlayerReady, of: content).last == false)
    #expect(await fixture.states(.isIdleTimerDisabled, of: content).last == true)
  }

  @Test func pageWithoutPlayerIsLeftAloneWhenTheViewComesBack() async throws {
    let fixture = PlayerFixture()
    await fixture.start()
    let viewer = await fixture.openViewer()
    fixture.scripts.setHasPlayer(false)
    let loads = await fixture.records(.load).count
    for type in ["disappear", "appear"] {
      fixture.tell(viewer, ["type": .string(type)])
      await fixture.settle()
    }
    #expect(await fixture.records(.playerClosed).map { $0["hadPlayer"] } == [false])
    #expect(await fixture.records(.load).count == loads)
    #expect(await fixture.records(.error).isEmpty)
  }

  @Test func memoryWarningLoadsThePageAgainOnce() async throws {
    let fixture = PlayerFixture()
    await fixture.start()
    let viewer = await fixture.openViewer()
    let content = try #require(viewer.frame)
    await fixture.post(content, ["type": "init"])
    let loads = await fixture.records(.load).count
    for _ in 0..<2 {
      fixture.tell(viewer, ["type": "memoryWarning"])
      await fixture.settle()
    }
    #expect(await fixture.records(.failure).map { $0["reason"] } == ["memoryWarning", "memoryWarning"])
    #expect(await fixture.records(.load).count == loads + 1)
    #expect(await fixture.states(.isVideoPlayerReady, of: content).last == false)
  }

  // MARK: Life

  @Test func visitorsDoNotShareState() async {
    let fixture = PlayerFixture()
    await fixture.start()
    let first = await fixture.openTab()
    let second = await fixture.openTab()
    await fixture.post(first, ["type": "init"])
    await fixture.post(first, ["type": "toggleFullscreen"])
    #expect(await fixture.states(.isFullscreen, of: first).last == true)
    #expect(await fixture.states(.isFullscreen, of: second).last == false)
    #expect(await fixture.states(.isVideoPlayerReady, of: second).last == false)
  }

  @Test func controllersGoWithTheirVisitors() async {
    let fixture = PlayerFixture()
    await fixture.start()
    let pages = await fixture.openTabs(200)
    #expect(fixture.app.visitors == 200)
    for page in pages { page.leave() }
    await fixture.settle()
    fixture.relay.advance(by: .seconds(11))
    await fixture.settle()
    #expect(fixture.app.visitors == 0)
  }
}
