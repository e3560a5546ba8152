import PageBridgeWebKit

/// What the Squad host writes to its events file: this is the one list of it. Each event carries the session of the web
/// view. The library adds its own events, among them `frame`, `bars` and `views`.
enum SquadRecord {
  /// The names (`key`) of events `state`: told at the start and then whenever `value` changes.
  enum StateKey: String, Hashable, Sendable, CaseIterable {
    /// `loading`, `ready` or `error`.
    case state
    /// `{kind, code, text}` of the error that is shown, else null.
    case failure
    /// Boolean: the indicator is shown.
    case indicator
    /// Boolean: the offline view is shown.
    case offlineView
    /// The text of the error view, null while it is not shown.
    case errorView
    /// `{attempt, of, seconds}` while a load waits to be tried again, else null.
    case retry
    /// `{id, title, phase, emoji}` of the call, else null.
    case call
    /// The route that the page was last at, else null.
    case route
    /// `{code, text}` of the newest error of the product, else null.
    case productError
    /// How many messages were refused.
    case refused
    /// How many of these were no object, or without a type that is a text.
    case ignored
    /// Pages that the app keeps.
    case cachedPages
    /// Boolean: the app hears of what happens outside its page.
    case isObserving
    /// Boolean: pages may run their own scripts, as the web view was told.
    case allowsContentJavaScript
    /// The kinds of media that wait for a gesture, as the web view was told.
    case gestureMedia
    /// Boolean: videos play in the page.
    case allowsInlineMediaPlayback
    /// Boolean: a pool of the web view's own was given to it.
    case ownProcessPool
  }

  /// Events of their own.
  enum Event: String, Hashable, Sendable, CaseIterable {
    /// `kind` (`call`, `navigation`, `error`), `value`: a handler got the whole message.
    case received
    /// `reason`, `type`, `field`, `value`: a message was refused.
    case refusal
    /// `value`, `result` (`delivered`, `queued`, `failed`, `unencodable`), `message`: a message to the page.
    case sent
    /// `text`: a bridge error.
    case bridgeError
    /// `direction` (`fromPage`, `toPage`, `app`), `text`: a line of the communication log.
    case log
    /// `callback` (`start`, `commit`, `finish`, `fail`, `failProvisional`, `terminate`), `url`.
    case navigationCallback
    /// `decision` (`allow`, `cancel`, `cache`), `url`: the app was asked about a navigation.
    case policy
    /// `url`, `attempt`: the web view was told to load.
    case load
    /// `url`, `seconds`: from start to finish.
    case loadTime
    /// `resident` bytes of the process, or null.
    case memory
    /// `action` (`kept`, `served`, `refused`, `cleared`), `url` (null for `cleared`).
    case cache
    /// `kind` (`alert`, `confirm`, `prompt`), `text`, `answer`: a dialog of the page was answered.
    case dialogAnswered
    /// `names`: the cookies that the app reads.
    case cookies
    /// The page's data were removed.
    case dataCleared
    /// `url`: an address of the product that the app opens beside its page.
    case opened
  }
}

/// Writes a web view's records under its session.
@MainActor
struct SquadRecorder {
  let events: HostEvents
  let session: String

  func callAsFunction(_ key: SquadRecord.StateKey, _ value: WireValue) {
    events.record("state", ["key": .string(key.rawValue), "value": value], session: session)
  }

  func callAsFunction(_ event: SquadRecord.Event, _ members: KeyValuePairs<String, WireValue> = [:]) {
    events.record(event.rawValue, members, session: session)
  }
}
