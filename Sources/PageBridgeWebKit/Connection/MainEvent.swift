import BridgeProtocol

/// What the connection tells the main actor.
enum MainEvent: Sendable {
  case connection(ConnectionState)
  /// The relay gave another instance: every session of the old one is over.
  case instanceLost
  /// A document of a session that this process does not know: a visitor.
  case open(OpenRequest)
  /// A document in a viewer's frame that an earlier process of this host showed.
  case restored(OpenRequest)
  /// A document of a known session is starting.
  case reopened(OpenRequest)
  case attached(session: String, document: String)
  case away(session: String, document: String, isLeaving: Bool)
  case message(ScriptMessage)
  case navigation(PageNavigation)
  case state(PageState)
  /// A page wants a resource of one of the app's schemes.
  case schemeStarted(SchemeRequest)
  /// It does not want it any more.
  case schemeStopped(session: String, id: Int)
  /// Cookies of the page have changed.
  case cookiesChanged(Receipt)
  /// The page has carried out these changes of website data.
  case websiteChanged(session: String, changes: [Int])
  case callEnded(session: String, call: String, CallOutcome)
  /// A page's script waits for an answer.
  case dialog(DialogRequest)
  /// The page of that dialog is gone.
  case dialogCancelled(session: String, id: Int)
  /// A link leads to a window of its own.
  case windowRequest(WindowRequest)
  case windowWish(WindowWish)
  /// A browser has shown a dialog.
  case dialogReport(DialogReport)
  /// No document followed one that left, or one that was cut.
  case abandoned(session: String)
  /// The page broke the protocol; the connection has ended the session already.
  case failed(session: String)
  /// The last reference to a session's web view is gone.
  case viewReleased(session: String)
  /// Work that was put off so that it does not run inside the call that caused it.
  case deferred(@MainActor @Sendable () -> Void)
  /// The socket is closed for good.
  case stopped
}

/// How a host stands towards its relay.
public enum ConnectionState: Hashable, Sendable {
  /// Not started, or stopped.
  case stopped
  /// On the way to the relay, for the first time or again.
  case connecting
  /// The relay knows the host under this instance id.
  case connected(instance: String)
  /// The connection was lost and comes back by itself; the text says why.
  case disconnected(reason: String)
  /// The relay refuses this host for good.
  case refused(code: UInt16, reason: String)
}

/// What the relay's `open` says of a document.
struct OpenRequest: Sendable {
  var session: String
  var document: String
  var url: String?
  var origin: String?
  var kind: WebClientKind
  var isPlaceholder: Bool
  var userAgent: String?
  var title: String?
  var ticket: String?
  var isResumed: Bool
}

/// Where a numbered message came from; given back once its handler has run.
struct Receipt: Hashable, Sendable {
  var session: String
  var document: String
  var number: Int
}

/// A message that a page posted to a handler.
struct ScriptMessage: Sendable {
  var receipt: Receipt
  var handler: String
  var body: ForeignValue
  /// The same body as the wire has it, for the handlers of this package.
  var value: WireValue { body.wire }
  var frame: FrameDescription
  /// The world that posted; nil for the page's.
  var world: String?
  /// The id to answer, of a message that waits for a reply.
  var id: String?
  var isRedelivered: Bool
}

/// What a page says of the frame that a message came from.
struct FrameDescription: Hashable, Sendable {
  var isMain: Bool
  var url: String?
  var origin: String?
  /// How the page names a frame inside it; nil for the main frame.
  var id: String?
}

/// What a page says of a navigation.
struct PageNavigation: Sendable {
  enum Phase: String, Sendable {
    case started, committed, finished, failed, asked
  }

  var receipt: Receipt
  var phase: Phase
  var url: String
  var type: String?
  var errorCode: Int?
  var errorMessage: String?
  /// The number of the app's wish that it is about.
  var wish: Int?
  /// Whether the request posts something.
  var isPost = false
  /// What is known of the response of a committed document.
  var redirects = 0
  var status: Int?
  var mimeType: String?
  var history: PageHistory?
  /// The frame inside the page that is asked about; nil for the page itself.
  var frame: FrameDescription?
  /// The id to answer, of a question.
  var id: String?
}

/// Where a page is in its tab's history.
struct PageHistory: Sendable {
  var canGoBack: Bool?
  var canGoForward: Bool?
  /// The browser's name of the place; nil from a page that knows none.
  var entry: String?
  /// Whether it took the place of the one before.
  var replaces = false
}

/// What a page says of itself; nil where nothing changed.
struct PageState: Sendable {
  var receipt: Receipt
  var title: String?
  var url: String?
  var progress: Double?
  var history: PageHistory?
  var isVisible: Bool?
  var width: Double?
  var height: Double?
  var policy: String?
  /// How many messages of earlier documents nobody has any more.
  var lost: Int?
}

/// How a call to a page ended.
enum CallOutcome: Sendable {
  case value(ForeignValue)
  case failure(ScriptFailure)
}

/// Why a call to a page has no value.
struct ScriptFailure: Hashable, Sendable {
  /// A code of ``WKError`` or ``EvaluationError``.
  var code: Int
  var message: String?
  var line: Int?
  var column: Int?
  var sourceURL: String?
  /// A text for the description where the code's own would say too little.
  var detail: String?
}
