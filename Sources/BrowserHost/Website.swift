import Foundation

/// What the web view is to show.
public enum Website: Hashable, Sendable {
  /// The app's own page: `LocalWebsite.html` in its folder `www`.
  case local
  /// The page on the web that the app is made for.
  case `public`
  /// Whatever the user typed.
  case address(URL)

  /// The name under which it is recorded.
  var name: String {
    switch self {
    case .local: "local"
    case .public: "public"
    case .address: "address"
    }
  }
}

/// Where the app's pages are.
struct WebsiteLocations: Hashable, Sendable {
  static let localPage = "LocalWebsite.html"

  /// The folder `www`; nil if the app was given none.
  var folder: URL?
  var publicURL: URL

  /// The address of a website; nil for the local one without a folder.
  func url(of website: Website) -> URL? {
    switch website {
    case .local: folder?.appending(path: Self.localPage)
    case .public: publicURL
    case .address(let url): url
    }
  }

  /// The address as the address bar shows it: files of the app by their place in its folder.
  func text(of url: URL?) -> String {
    guard let url else { return "" }
    if let path = pathInFolder(url) { return "www/" + path }
    return url.absoluteString
  }

  /// What a text of the address bar means; nil if it is no address that can be opened.
  ///
  /// Without a scheme it is `https`, or `http` on this very machine. Scripts and data are no addresses to open.
  func website(typed text: String) -> Website? {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !text.isEmpty else { return nil }
    if let folder, text.hasPrefix("www/") {
      let file = folder.appending(path: String(text.dropFirst("www/".count))).standardizedFileURL
      return file == url(of: .local)?.standardizedFileURL ? .local : .address(file)
    }
    let hasScheme = text.firstMatch(of: /^[A-Za-z][A-Za-z0-9+.\-]*:(\/\/|blank$)/) != nil
    guard let url = URL(string: hasScheme ? text : Self.scheme(for: text) + "://" + text) else { return nil }
    switch url.scheme?.lowercased() {
    case "http", "https":
      // With a user before the host it is rather a mail address, or a trick.
      return url.host()?.isEmpty == false && url.user() == nil ? .address(url) : nil
    case "about": return .address(url)
    default: return nil
    }
  }

  private static func scheme(for text: String) -> String {
    let host = text.prefix { $0 != "/" && $0 != ":" && $0 != "?" && $0 != "#" }.lowercased()
    let isHere = host == "localhost" || host.hasSuffix(".localhost") || host.hasPrefix("127.")
    return isHere || text.hasPrefix("[::1]") ? "http" : "https"
  }

  private func pathInFolder(_ url: URL) -> String? {
    guard let folder, url.isFileURL else { return nil }
    let base = folder.standardizedFileURL.path(percentEncoded: false)
    let path = url.standardizedFileURL.path(percentEncoded: false)
    let prefix = base.hasSuffix("/") ? base : base + "/"
    return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : nil
  }
}
