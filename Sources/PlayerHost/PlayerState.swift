import Foundation

/// What the app knows of the player, and what each event makes of it. Decides only; ``PlayerAction`` says what to do.
struct PlayerState: Hashable, Sendable {
  private(set) var isVideoPlayerReady = false
  private(set) var isFullscreen = false
  private(set) var orientationSource = OrientationSource.none
  private(set) var isIdleTimerDisabled = false
  private(set) var isBetslipHidden = true
  private(set) var betslip: Betslip?
  /// The last rectangle the page sent; it stays through every new layout.
  private(set) var betslipRectangle: BetslipRectangle?
  private(set) var availability = Availability.waiting
  private(set) var screen: ScreenMetrics?

  private var isShown = false
  private var closing = Closing.none
  /// A page that cannot be loaded is tried once more, not for ever.
  private var hasReloadedAfterFailure = false

  /// Whether the match can be watched.
  enum Availability: Hashable, Sendable {
    /// The player has said nothing yet.
    case waiting
    case available
    /// The player gave reasons.
    case refused([PlayerError])
    /// The player said nothing within the time it has.
    case silent
  }

  /// What came of closing the player when the view went away.
  private enum Closing: Hashable, Sendable {
    case none
    /// The page was told; whether it held a player is not known yet.
    case asked
    case closed
  }

  /// Where the view belongs, once the screen is known.
  var layout: PlayerLayout? {
    screen.map { PlayerLayout(screen: $0, isFullscreen: isFullscreen, orientationSource: orientationSource) }
  }

  // MARK: The page

  /// The player's message.
  mutating func received(_ message: GeniusMessage) -> [PlayerAction] {
    switch message {
    case .initialize:
      hasReloadedAfterFailure = false
      // A second `init` of the same page changes nothing; its class is set once more, in case it was built anew.
      guard !isVideoPlayerReady else { return [.evaluate(fullscreenScript)] }
      isVideoPlayerReady = true
      followScreen()
      return [.evaluate(fullscreenScript)]
    case .toggleFullscreen(let wanted):
      return toggle(to: wanted ?? !isFullscreen)
    case .multibetEvent(let event):
      if let betslip = event.betslip { self.betslip = betslip }
      if let command = event.command { isBetslipHidden = command.hidesBetslip }
      return []
    case .betslipDimensions(let rectangle):
      betslipRectangle = rectangle
      return []
    case .unknown:
      return []
    }
  }

  /// A message on the app's own channel.
  mutating func received(_ message: PlayerPageMessage) -> [PlayerAction] {
    switch message {
    case .playerReady:
      availability = .available
      return [.stopWaitingForPlayer]
    case .playerNotReady(let errors):
      availability = .refused(errors)
      return [.stopWaitingForPlayer]
    case .requestUserBets:
      return [.sendUserBets]
    case .streamData:
      return []
    }
  }

  /// The time in which the player should have said something is over.
  mutating func silenceElapsed() {
    if availability == .waiting { availability = .silent }
  }

  /// The host starts to load its page.
  mutating func loads() {
    isVideoPlayerReady = false
    availability = .waiting
    closing = .none
  }

  /// Another document has taken the place of the page.
  mutating func documentReplaced() {
    isVideoPlayerReady = false
    availability = .waiting
    closing = .none
  }

  /// The page runs already, as after a restart of this process.
  mutating func resumed(hasPlayer: Bool) -> [PlayerAction] {
    guard hasPlayer, !isVideoPlayerReady else { return [] }
    isVideoPlayerReady = true
    availability = .available
    followScreen()
    return [.evaluate(fullscreenScript)]
  }

  /// The page could not be loaded, its process ended, or memory ran low. What the app shows stays.
  mutating func failed() -> [PlayerAction] {
    isVideoPlayerReady = false
    guard !hasReloadedAfterFailure else { return [] }
    hasReloadedAfterFailure = true
    return [.reload]
  }

  // MARK: The device

  /// The screen has a new size, other insets or another orientation.
  mutating func screenChanged(to new: ScreenMetrics) -> [PlayerAction] {
    let isResized = screen?.size != new.size
    screen = new
    guard isVideoPlayerReady, isResized else { return [] }
    let wasFullscreen = isFullscreen
    followScreen()
    return isFullscreen == wasFullscreen ? [] : [.evaluate(fullscreenScript)]
  }

  /// The view is on screen.
  mutating func appeared() -> [PlayerAction] {
    isShown = true
    isIdleTimerDisabled = true
    return closing == .closed ? [.reload] : []
  }

  /// The view is no longer on screen.
  mutating func disappeared() -> [PlayerAction] {
    guard isShown else { return [] }
    isShown = false
    isIdleTimerDisabled = false
    closing = .asked
    return [.closePlayer]
  }

  /// The page was told to close its player. A player that was closed is gone, so the page is loaded anew when the view
  /// comes back; a page that had none is left alone.
  mutating func playerClosed(hadPlayer: Bool) -> [PlayerAction] {
    guard closing == .asked else { return [] }
    closing = hadPlayer ? .closed : .none
    return hadPlayer && isShown ? [.reload] : []
  }

  /// "Place bet" or "Cancel": either only puts the betslip away.
  mutating func betslipButtonPressed() {
    isBetslipHidden = true
  }

  // MARK: Fullscreen

  private var fullscreenScript: String {
    isFullscreen ? PlayerScript.enterFullscreen : PlayerScript.leaveFullscreen
  }

  private mutating func toggle(to wanted: Bool) -> [PlayerAction] {
    guard wanted != isFullscreen else { return [] }
    isFullscreen = wanted
    orientationSource = wanted ? .programatically : .none
    return [.requestOrientation(wanted ? .landscape : .portrait), .evaluate(fullscreenScript)]
  }

  private mutating func followScreen() {
    guard let screen else { return }
    isFullscreen = screen.isWide
    if !isFullscreen { orientationSource = .none }
  }
}
