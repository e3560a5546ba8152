import PageBridgeWebKit

/// What the browser's host writes to its events file: this is the one list of it, and those who watch the host, people and
/// tests, need nothing else of it. Each event carries the session of the web view, or of the visitor while there is no web
/// view. The library adds its own events, among them `frame`, `bars` and `views`.
enum BrowserRecord {
  /// The names (`key`) of events `state`: told at the start of each web view and then whenever `value` changes.
  enum StateKey: String, Hashable, Sendable, CaseIterable {
    /// `local`, `public` or `address`: which website was asked for last.
    case website
    /// What the address bar stands for: the page's address, or of the one under way; null while there is none.
    case url
    /// `{text, url}`: the newest title with the address that it belongs to; null before the first.
    case title
    /// Boolean: the loader shows.
    case isLoading
    /// Number from 0 to 1.
    case progress
    /// Boolean.
    case canGoBack
    /// Boolean.
    case canGoForward
    /// The newest object that the page posted; null before the first.
    case lastJSON
    /// The newest text that the page posted; null before the first.
    case lastString
    /// How many messages were neither object nor text.
    case ignoredBodies
    /// How many values wait for a page that can take them.
    case waitingValues
    /// How many values were refused because too many waited.
    case refusedValues
    /// `{operation, message}` of the newest error; null before the first and after a page has loaded.
    case lastError
    /// Boolean: swipes go back and forward.
    case allowsBackForwardNavigationGestures
    /// Boolean: the page scrolls.
    case isScrollEnabled
    /// Boolean: pages may run scripts of their own. A browser page cannot be kept from that; the wish is told to it.
    case allowsContentJavaScript
    /// Boolean: there is a web view.
    case isOpen
  }

  /// Events of their own. `coordinator` is the number of the object that was called.
  enum Event: String, Hashable, Sendable, CaseIterable {
    /// `value`, `cause` (`start`, `commit`, `finish`, `fail`, `failProvisional`, `terminate`): what the loader was told.
    case loader
    /// `text`, `url`: a title was published.
    case titlePublished
    /// `kind` (`json`, `string`, `ignored`), `value`, `coordinator`: a message on `iOSNative`.
    case received
    /// `callback` (`start`, `commit`, `finish`, `fail`, `failProvisional`, `terminate`), `url`, `coordinator`.
    case navigationCallback
    /// `decision` (`allow`, `cancel`), `url`, `coordinator`: the navigation filter was asked.
    case policy
    /// `command` (`backward`, `forward`, `reload`), `result` (`done`, `impossible`).
    case command
    /// `text`, `result` (`delivered`, `failed`, `waiting`, `refused`), `message` (null unless failed): a value for the page.
    case value
    /// `website`, `url`: the web view was told to load.
    case load
    /// `operation`, `message`.
    case error
    /// `coordinator`: that object is gone, and with it its subscriptions.
    case released
  }
}

/// Writes a web view's records under its session.
@MainActor
struct BrowserRecorder {
  let events: HostEvents
  let session: String

  func callAsFunction(_ key: BrowserRecord.StateKey, _ value: WireValue) {
    events.record("state", ["key": .string(key.rawValue), "value": value], session: session)
  }

  func callAsFunction(_ event: BrowserRecord.Event, _ members: KeyValuePairs<String, WireValue>) {
    events.record(event.rawValue, members, session: session)
  }
}
