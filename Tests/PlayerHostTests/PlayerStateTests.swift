import PageBridgeWebKit
import Testing

@testable import PlayerHost

struct PlayerStateTests {
  private let upright = ScreenMetrics(size: CGSize(width: 400, height: 900))
  private let wide = ScreenMetrics(size: CGSize(width: 900, height: 400), orientation: .landscapeLeft)
  private let enter = PlayerAction.evaluate(PlayerScript.enterFullscreen)
  private let leave = PlayerAction.evaluate(PlayerScript.leaveFullscreen)

  /// A player on a screen, ready or not.
  private func state(on screen: ScreenMetrics, ready: Bool = true) -> PlayerState {
    var state = PlayerState()
    _ = state.appeared()
    _ = state.screenChanged(to: screen)
    if ready { _ = state.received(.initialize) }
    return state
  }

  // MARK: Ready and rotation

  @Test func startsNotReadyAndHidden() {
    let state = PlayerState()
    #expect(!state.isVideoPlayerReady)
    #expect(!state.isFullscreen)
    #expect(state.orientationSource == .none)
    #expect(state.isBetslipHidden)
    #expect(!state.isIdleTimerDisabled)
  }

  @Test func rotationBeforeInitIsIgnored() {
    var state = state(on: upright, ready: false)
    #expect(state.screenChanged(to: wide) == [])
    #expect(!state.isFullscreen)
    #expect(state.layout?.frame == CGRect(x: 0, y: 100, width: 900, height: 300))
  }

  @Test func initAppliesTheCurrentSize() {
    var onItsSide = state(on: wide, ready: false)
    #expect(onItsSide.received(.initialize) == [enter])
    #expect(onItsSide.isVideoPlayerReady)
    #expect(onItsSide.isFullscreen)
    var standing = state(on: upright, ready: false)
    #expect(standing.received(.initialize) == [leave])
    #expect(!standing.isFullscreen)
  }

  @Test func secondInitChangesNothing() {
    var state = state(on: upright)
    _ = state.received(.toggleFullscreen(isFullscreen: nil))
    let before = state
    #expect(state.received(.initialize) == [enter])
    #expect(state == before)
  }

  @Test func screenThatComesAfterInitIsApplied() {
    var state = PlayerState()
    #expect(state.received(.initialize) == [leave])
    #expect(state.screenChanged(to: wide) == [enter])
  }

  @Test func rotationEntersAndLeaves() {
    var state = state(on: upright)
    #expect(state.screenChanged(to: wide) == [enter])
    #expect(state.isFullscreen)
    #expect(state.orientationSource == .none)
    #expect(state.screenChanged(to: upright) == [leave])
    #expect(!state.isFullscreen)
    #expect(state.screenChanged(to: ScreenMetrics(size: CGSize(width: 500, height: 500))) == [])
    #expect(!state.isFullscreen)
  }

  @Test func otherInsetsAloneAreNoRotation() {
    var state = state(on: upright)
    _ = state.received(.toggleFullscreen(isFullscreen: nil))
    var inset = upright
    inset.leftInset = 44
    #expect(state.screenChanged(to: inset) == [])
    #expect(state.isFullscreen)
  }

  // MARK: Toggle

  @Test func toggleAsksForTheOtherOrientation() {
    var state = state(on: upright)
    #expect(state.received(.toggleFullscreen(isFullscreen: nil)) == [.requestOrientation(.landscape), enter])
    #expect(state.isFullscreen)
    #expect(state.orientationSource == .programatically)
    #expect(state.screenChanged(to: wide) == [])
    #expect(state.orientationSource == .programatically)
    #expect(state.received(.toggleFullscreen(isFullscreen: nil)) == [.requestOrientation(.portrait), leave])
    #expect(!state.isFullscreen)
    #expect(state.orientationSource == .none)
  }

  @Test func toggleWithFlagSets() {
    var state = state(on: upright)
    #expect(state.received(.toggleFullscreen(isFullscreen: false)) == [])
    #expect(
      state.received(.toggleFullscreen(isFullscreen: true)) == [.requestOrientation(.landscape), enter])
    #expect(state.received(.toggleFullscreen(isFullscreen: true)) == [])
    #expect(state.isFullscreen)
    #expect(
      state.received(.toggleFullscreen(isFullscreen: false)) == [.requestOrientation(.portrait), leave])
  }

  // MARK: Betslip

  @Test(arguments: zip(MultibetEvent.Command.allCases, [false, false, false, true]))
  func commandsShowOrHideTheBetslip(command: MultibetEvent.Command, hides: Bool) {
    for wasHidden in [true, false] {
      var state = state(on: upright)
      _ = state.received(.multibetEvent(MultibetEvent(command: wasHidden ? .closeBetslip : .openBetslip)))
      #expect(state.isBetslipHidden == wasHidden)
      #expect(state.received(.multibetEvent(MultibetEvent(command: command))) == [])
      #expect(state.isBetslipHidden == hides)
    }
  }

  @Test func eventWithoutCommandLeavesTheBetslipAsItIs() {
    var state = state(on: upright)
    _ = state.received(.multibetEvent(MultibetEvent(command: nil, betslip: Betslip(marketId: "m"))))
    #expect(state.isBetslipHidden)
    #expect(state.betslip == Betslip(marketId: "m"))
  }

  @Test func eventReplacesTheWholeTextUnlessItNamesNoBet() {
    var state = state(on: upright)
    _ = state.received(
      .multibetEvent(MultibetEvent(command: .addToBetslip, betslip: Betslip(marketId: "m", stake: "1"))))
    _ = state.received(.multibetEvent(MultibetEvent(command: .closeBetslip)))
    #expect(state.betslip == Betslip(marketId: "m", stake: "1"))
    _ = state.received(.multibetEvent(MultibetEvent(command: .openBetslip, betslip: Betslip(marketId: "n"))))
    #expect(state.betslip == Betslip(marketId: "n"))
  }

  @Test func buttonsHideTheBetslipAndKeepItsText() {
    var state = state(on: upright)
    _ = state.received(.multibetEvent(MultibetEvent(command: .openBetslip, betslip: Betslip(marketId: "m"))))
    state.betslipButtonPressed()
    #expect(state.isBetslipHidden)
    #expect(state.betslip == Betslip(marketId: "m"))
  }

  @Test func rectangleSurvivesEveryNewLayout() {
    var state = state(on: upright)
    let rectangle = BetslipRectangle(top: 12.5, left: 640, width: 280, height: 320)
    _ = state.received(.betslipDimensions(rectangle))
    _ = state.screenChanged(to: wide)
    _ = state.screenChanged(to: upright)
    state.loads()
    _ = state.received(.initialize)
    #expect(state.betslipRectangle == rectangle)
  }

  @Test func unknownTypeChangesNothing() {
    var state = state(on: upright)
    let before = state
    #expect(state.received(.unknown(type: "xyz")) == [])
    #expect(state == before)
  }

  // MARK: Appear and disappear

  @Test func idleTimerFollowsTheView() {
    var state = state(on: upright)
    #expect(state.isIdleTimerDisabled)
    #expect(state.disappeared() == [.closePlayer])
    #expect(!state.isIdleTimerDisabled)
    #expect(state.disappeared() == [])
  }

  @Test func closedPlayerIsLoadedAgainWhenTheViewComesBack() {
    var state = state(on: upright)
    _ = state.disappeared()
    #expect(state.playerClosed(hadPlayer: true) == [])
    #expect(state.appeared() == [.reload])
    state.loads()
    #expect(!state.isVideoPlayerReady)
    #expect(state.appeared() == [])
  }

  @Test func answerThatComesAfterTheViewIsBackLoadsAgainToo() {
    var state = state(on: upright)
    _ = state.disappeared()
    #expect(state.appeared() == [])
    #expect(state.playerClosed(hadPlayer: true) == [.reload])
  }

  @Test func pageWithoutPlayerIsNotLoadedAgain() {
    var state = state(on: upright)
    _ = state.disappeared()
    #expect(state.playerClosed(hadPlayer: false) == [])
    #expect(state.appeared() == [])
  }

  @Test func answerOfAReplacedDocumentCountsForNothing() {
    var state = state(on: upright)
    _ = state.disappeared()
    state.documentReplaced()
    #expect(state.playerClosed(hadPlayer: true) == [])
    #expect(state.appeared() == [])
  }

  // MARK: Failure

  @Test func failureReloadsOnceAndKeepsTheRest() {
    var state = state(on: wide)
    _ = state.received(.multibetEvent(MultibetEvent(command: .openBetslip, betslip: Betslip(marketId: "m"))))
    #expect(state.failed() == [.reload])
    #expect(!state.isVideoPlayerReady)
    #expect(state.isFullscreen)
    #expect(!state.isBetslipHidden)
    state.loads()
    #expect(state.failed() == [])
    _ = state.received(.initialize)
    #expect(state.failed() == [.reload])
  }

  @Test func rotationAfterFailureWaitsForTheNextInit() {
    var state = state(on: upright)
    _ = state.failed()
    #expect(state.screenChanged(to: wide) == [])
    #expect(state.received(.initialize) == [enter])
  }

  @Test func resumedPageIsReadyIfItHasAPlayer() {
    var state = state(on: wide, ready: false)
    #expect(state.resumed(hasPlayer: false) == [])
    #expect(!state.isVideoPlayerReady)
    #expect(state.resumed(hasPlayer: true) == [enter])
    #expect(state.isVideoPlayerReady)
    #expect(state.resumed(hasPlayer: true) == [])
  }

  // MARK: Availability

  @Test func silenceCountsOnlyWhileNothingWasSaid() {
    var silent = PlayerState()
    silent.silenceElapsed()
    #expect(silent.availability == .silent)
    var heard = PlayerState()
    #expect(heard.received(.playerReady) == [.stopWaitingForPlayer])
    heard.silenceElapsed()
    #expect(heard.availability == .available)
  }

  @Test func lateReadyEndsTheSilence() {
    var state = PlayerState()
    state.silenceElapsed()
    _ = state.received(.playerReady)
    #expect(state.availability == .available)
  }

  @Test func refusalKeepsItsReasons() {
    var state = PlayerState()
    let errors = [PlayerError(code: 1001, message: "not here", details: "")]
    #expect(state.received(.playerNotReady(errors)) == [.stopWaitingForPlayer])
    #expect(state.availability == .refused(errors))
    state.loads()
    #expect(state.availability == .waiting)
  }

  @Test func requestForBetsIsAnswered() {
    var state = PlayerState()
    #expect(state.received(.requestUserBets) == [.sendUserBets])
  }

  // MARK: Reports

  @Test func everythingIsToldAtFirstAndThenWhatChanged() {
    var state = state(on: upright)
    #expect(Set(state.reports(since: nil).map(\.key)).count == 12)
    let before = state
    #expect(state.reports(since: before) == [])
    _ = state.received(.toggleFullscreen(isFullscreen: nil))
    #expect(
      state.reports(since: before).map(\.key) == [
        .isFullscreen, .orientationSource, .frame, .notchPosition, .isNavigationBarHidden,
      ])
  }
}
