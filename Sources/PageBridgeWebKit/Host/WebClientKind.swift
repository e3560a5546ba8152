/// What kind of page a visitor opened.
public enum WebClientKind: String, Hashable, Sendable {
  /// The page is the web view's content.
  case page
  /// The page is a viewer: a screen that shows the web view's content in a frame.
  case screen
}
