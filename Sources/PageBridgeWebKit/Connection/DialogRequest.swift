/// What a page's script asks for and waits for.
struct DialogRequest: Sendable {
  enum Kind: String, Sendable {
    case alert, confirm, prompt, open
  }

  var id: Int
  var session: String
  var document: String
  /// Nil for one that this version does not know.
  var kind: Kind?
  var text: String
  var defaultText: String?
  /// What is asked of a new window.
  var features: String?
  var frame: FrameDescription
  /// The page's message that is to be handled before.
  var after: Int
}

/// How a host answers a dialog.
enum DialogAnswer: Sendable {
  /// Nil for the answer of a view without a delegate.
  case value(WireValue?)
  /// The browser shows it.
  case present
}

/// A link that leads to a window of its own.
struct WindowRequest: Sendable {
  var receipt: Receipt
  var url: String
  var frame: FrameDescription
  /// The id to answer.
  var id: String?
}

/// What a page does to a window that it has opened, or, without one named, to its own.
struct WindowWish: Sendable {
  var receipt: Receipt
  var window: String?
  /// Where it is to go; nil to close it.
  var url: String?
}

/// What a browser reports of a dialog that it has shown.
struct DialogReport: Sendable {
  var receipt: Receipt
  var id: Int
  var value: WireValue
}
