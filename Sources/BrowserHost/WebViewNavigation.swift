/// What the app asks of the web view's history.
enum WebViewNavigation: String, Hashable, Sendable {
  case backward
  case forward
  case reload
}

/// A page's title together with the address that it belongs to; the text is empty for a page without one.
struct PageTitle: Hashable, Sendable {
  var text: String
  var url: String
}
