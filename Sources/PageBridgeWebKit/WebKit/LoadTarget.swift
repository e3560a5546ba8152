/// What a load leads to.
enum LoadTarget {
  /// A page somewhere.
  case page(URL)
  /// Content of this host below the session's own path; `url` is what the app sees as the address.
  case served(path: String, url: URL)
  case reload(fromOrigin: Bool)
}

/// The addresses under which a session's own content is found, and what the app sees in their place.
struct ServedAddresses {
  private var urls: [String: URL] = [:]
  private var folders: [(prefix: String, folder: URL)] = []
  private var count = 0

  /// A new path for content with that address.
  mutating func add(_ url: URL) -> String {
    count += 1
    let path = "/html/\(count)"
    urls[path] = url
    return path
  }

  /// The prefix of paths below a folder; the same folder keeps its prefix, so that pages find each other in history.
  mutating func add(folder: URL) -> String {
    if let known = folders.first(where: { $0.folder == folder }) { return known.prefix }
    count += 1
    let prefix = "/files/\(count)/"
    folders.append((prefix, folder))
    return prefix
  }

  /// What the app sees of an address of a page below the session's path.
  ///
  /// - Parameter path: what follows `/s/<session>`, with query and fragment.
  func url(of path: String) -> URL? {
    let end = path.firstIndex { $0 == "?" || $0 == "#" } ?? path.endIndex
    let bare = String(path[..<end])
    let rest = String(path[end...])
    if let url = SchemeAddress.url(of: path) { return url }
    if bare == "/" || bare.isEmpty { return WKWebView.blankURL }
    if let url = urls[bare] {
      guard let hash = rest.firstIndex(of: "#"), url != WKWebView.blankURL else { return url }
      return URL(string: url.absoluteString.prefix { $0 != "#" } + String(rest[hash...])) ?? url
    }
    guard let entry = folders.first(where: { bare.hasPrefix($0.prefix) }) else { return nil }
    let base = entry.folder.absoluteString
    return URL(string: base + (base.hasSuffix("/") ? "" : "/") + bare.dropFirst(entry.prefix.count) + rest)
  }
}
