import PageBridgeWebKit

/// What the player's host writes to its events file: this is the one list of it, and those who watch the host, people and
/// tests, need nothing else of it. Each event carries the session of the web view. The library adds its own events, among
/// them `frame`, `bars`, `orientation` (what the app asked for) and `views`.
enum PlayerRecord {
  /// The names (`key`) of events `state`: told at the start and then whenever `value` changes.
  enum StateKey: String, Hashable, Sendable, CaseIterable {
    /// The configuration in use: an object of the nine parameters and `baseURL`.
    case configuration
    /// Boolean; from `init` until the page goes.
    case isVideoPlayerReady
    /// Boolean; the page's `.video-container` has the class `full-screen`.
    case isFullscreen
    /// `programatically` while the app asked for the fullscreen, else `none`.
    case orientationSource
    /// `{x, y, width, height}` of the web view on the screen, in points; null while the screen is unknown.
    case frame
    /// Which side the notch takes from the frame: `left`, `right`, `none`.
    case notchPosition
    /// Boolean; only in fullscreen.
    case isNavigationBarHidden
    /// Boolean; always true.
    case isStatusBarHidden
    /// Boolean; true while the view is on screen.
    case isIdleTimerDisabled
    /// Boolean.
    case isBetslipHidden
    /// Array of texts `field: value`, seven at most, in their fixed order.
    case betslipText
    /// `{x, y, width, height}` in the web view, in points: the page's last one, else 40, 40, 250, 200.
    case betslipFrame
    /// `waiting`, `available` (the player was ready), `refused` (it said why not), `silent` (it said nothing in time).
    case availability
    /// Array of `{code, message, details}`: the player's reasons, as the app's handler got them. Not told at the start.
    case playerErrors
    /// How many messages and fields were not taken. Not told at the start.
    case refusedMessages
  }

  /// Events of their own.
  enum Event: String, Hashable, Sendable, CaseIterable {
    /// `type`, `payload`: the app's handler was called with a message; `payload` is null if absent.
    case call
    /// `reason`, `type`, `field`: a message, or one field of it, was not taken; null for what does not apply.
    case refusedMessage
    /// `type`: a message whose type this app does not know.
    case unknownMessage
    /// `result`, `message`: what came of the operator's answer, `started`, `empty` or `error` with its text.
    case streamData
    /// `count`: how many bets were handed to the page.
    case userBetsSent
    /// `hadPlayer`: the page was told to close its player; whether there was one.
    case playerClosed
    /// `content`: a page is loaded, `template` (the host's own) or `page` (the visitor's, once more).
    case load
    /// `reason`: why the player counts as not ready, `navigationFailed`, `processTerminated` or `memoryWarning`.
    case failure
    /// `message`: a script that the host evaluated ended with an error.
    case error
  }
}

/// Writes a player's records under its session.
@MainActor
struct PlayerRecorder {
  let events: HostEvents
  let session: String

  func callAsFunction(_ key: PlayerRecord.StateKey, _ value: WireValue) {
    events.record("state", ["key": .string(key.rawValue), "value": value], session: session)
  }

  func callAsFunction(_ event: PlayerRecord.Event, _ members: KeyValuePairs<String, WireValue>) {
    events.record(event.rawValue, members, session: session)
  }
}
