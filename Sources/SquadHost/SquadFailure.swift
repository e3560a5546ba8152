import PageBridgeWebKit

/// The page loads, is there, or could not be loaded.
enum SquadState: Hashable, Sendable {
  case loading
  case ready
  case error(SquadFailure)

  /// The name under which it is recorded.
  var name: String {
    switch self {
    case .loading: "loading"
    case .ready: "ready"
    case .error: "error"
    }
  }
}

/// Why the page is not there, sorted by what the app does about it.
struct SquadFailure: Hashable, Sendable, Error {
  enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Not connected to the internet: the offline view.
    case offline
    /// The load took too long: it is tried again, then the error view.
    case timedOut
    /// Another error of loading: the error view with its text.
    case loading
    /// An error of the web view itself, such as the end of the page's process.
    case webView
    /// The rule of secure content forbids the address.
    case insecure
    /// Anything else.
    case generic
  }

  var kind: Kind
  /// The error's number, as its domain has it.
  var code: Int
  /// What the user is told.
  var text: String

  init(kind: Kind, code: Int, text: String) {
    self.kind = kind
    self.code = code
    self.text = text
  }

  /// Sorts an error.
  init(_ error: any Error) {
    if let failure = error as? SquadFailure {
      self = failure
    } else if let error = error as? URLError {
      switch error.code {
      case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff, .callIsActive:
        self.init(kind: .offline, code: error.errorCode, text: "You are offline.")
      case .timedOut:
        self.init(kind: .timedOut, code: error.errorCode, text: "Squad did not answer in time.")
      default:
        self.init(kind: .loading, code: error.errorCode, text: error.localizedDescription)
      }
    } else if let error = error as? WKError {
      self.init(kind: .webView, code: error.errorCode, text: error.localizedDescription)
    } else {
      let error = error as NSError
      let isWebViews = error.domain == "WebKitErrorDomain"
      self.init(
        kind: isWebViews ? .webView : .generic, code: error.code,
        text: isWebViews ? error.localizedDescription : "Something went wrong.")
    }
  }

  /// An address that the rule of secure content forbids.
  static func insecure(_ url: URL?) -> SquadFailure {
    SquadFailure(
      kind: .insecure, code: NSURLErrorAppTransportSecurityRequiresSecureConnection,
      text: "\(url?.host() ?? "The address") is not secure.")
  }

  /// The heading of the view that tells of it.
  var title: String {
    switch kind {
    case .offline: "No connection"
    case .timedOut: "This takes too long"
    case .loading: "Squad could not be loaded"
    case .webView: "The page has ended"
    case .insecure: "Not opened"
    case .generic: "Squad is not available"
    }
  }
}

/// How often and after which waits a load that took too long is tried again.
///
/// The guide says "retry" and no more; here the waits double and their number is bounded, since a server that is too slow
/// becomes slower by being asked.
struct SquadRetry: Hashable, Sendable {
  var attempts = 3
  var firstWait = Duration.seconds(1)

  /// The wait before an attempt, the first is 1; nil when there are no more.
  func wait(before attempt: Int) -> Duration? {
    guard attempt >= 1, attempt <= attempts else { return nil }
    return firstWait * (1 << min(attempt - 1, 16))
  }
}
