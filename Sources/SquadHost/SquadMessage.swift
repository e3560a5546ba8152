import PageBridgeWebKit

/// A message of the page that its handler may act on.
///
/// The public guide names the types and leaves the members of `data` open; these are this package's:
///
/// | type | data |
/// |---|---|
/// | `call` | `action`: `start`, `accept`, `decline`, `end` or `emoji`; `callId`; `emoji` with that action; `title`? |
/// | `navigation` | `route`, a path within the product, or `url`, an `https` address of the product |
/// | `error` | `code`, `message`? |
///
/// All are texts, bounded by ``SquadLimits``; further members are allowed and ignored.
enum SquadMessage: Hashable, Sendable {
  case call(SquadCallMessage)
  case navigation(SquadRoute)
  case error(SquadProductError)

  enum Kind: String, Hashable, Sendable, CaseIterable {
    case call, navigation, error
  }

  var kind: Kind {
    switch self {
    case .call: .call
    case .navigation: .navigation
    case .error: .error
    }
  }
}

/// What a page says about a call.
struct SquadCallMessage: Hashable, Sendable {
  enum Action: String, Hashable, Sendable, CaseIterable {
    case start, accept, decline, end, emoji
  }

  var action: Action
  var callId: String
  var title: String?
  var emoji: String?
}

/// Where a page goes or wants to go.
enum SquadRoute: Hashable, Sendable {
  /// A path within the product.
  case path(String)
  /// A page of the product elsewhere.
  case address(URL)
}

/// What went wrong in the product.
struct SquadProductError: Hashable, Sendable {
  var code: String
  var message: String?

  /// The product's published codes, as it spells them, and what the app tells its user of each.
  static let known: KeyValuePairs<String, String> = [
    "API_KEY_REQUIRED": "This app has no key for Squad.",
    "PARTNER_NOT_FOUND": "Squad does not know this app’s partner.",
    "PARTNER_MISMATCH": "This account belongs to another partner.",
    "INVALID_TOKEN": "You have been signed out. Sign in again.",
    "RATE_LIMIT_EXCEEDED": "Too many requests. Wait a moment.",
    "Network Error": "Squad cannot be reached. What you write is sent later.",
  ]

  /// What the app tells its user: its own words for a known code, else the page's.
  var text: String {
    Self.known.first { $0.key == code }?.value ?? message ?? "Squad reports a problem."
  }
}

/// Bounds of what pages and hosts say, and of what is kept of it.
enum SquadLimits {
  /// Characters of `callId`, `action` and `code`.
  static let identifierLength = 128
  /// Characters of a call's title.
  static let titleLength = 256
  /// Unicode scalars of an emoji: the longest joined ones have ten.
  static let emojiLength = 32
  /// Characters of a route or address.
  static let addressLength = 2_048
  /// Characters of an error's message.
  static let messageLength = 2_048
  /// Entries of the communication log; the oldest go first.
  static let logEntries = 200
  /// Characters of one message in the log's view.
  static let logTextLength = 160
  /// Messages of the host that wait in the page for its first listener; more are refused as bridge errors.
  static let waitingMessages = 256
}
