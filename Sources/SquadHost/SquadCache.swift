import PageBridgeWebKit

/// A page that the app keeps, so that it can serve it without the network.
struct SquadPage: Hashable, Sendable {
  var url: URL
  var data: Data
  var mimeType: String
  var encoding: String
}

/// The pages that the app keeps, the least recently used go first.
struct SquadCache: Sendable {
  /// Pages that are kept at most.
  static let maxPages = 16
  /// Bytes of all pages together.
  static let maxBytes = 4 * 1_048_576
  /// Bytes of one page; a larger one is not kept.
  static let maxPageBytes = 1_048_576

  private var pages: [String: SquadPage] = [:]
  /// Least recently used first.
  private var order: [String] = []
  private(set) var bytes = 0

  var count: Int { pages.count }

  /// Keeps a page; answers false for one that is too large.
  mutating func keep(_ page: SquadPage) -> Bool {
    remove(page.url)
    guard page.data.count <= Self.maxPageBytes else { return false }
    let key = Self.key(page.url)
    pages[key] = page
    order.append(key)
    bytes += page.data.count
    while order.count > Self.maxPages || bytes > Self.maxBytes { drop(order[0]) }
    return true
  }

  /// The page of that address, whatever its fragment.
  mutating func page(_ url: URL) -> SquadPage? {
    let key = Self.key(url)
    guard let page = pages[key] else { return nil }
    order.removeAll { $0 == key }
    order.append(key)
    return page
  }

  mutating func removeAll() {
    self = SquadCache()
  }

  private mutating func remove(_ url: URL) {
    drop(Self.key(url))
  }

  private mutating func drop(_ key: String) {
    guard let page = pages.removeValue(forKey: key) else { return }
    order.removeAll { $0 == key }
    bytes -= page.data.count
  }

  private static func key(_ url: URL) -> String {
    String(url.absoluteString.prefix { $0 != "#" })
  }
}

/// Gets a page for the cache.
protocol SquadFetching: Sendable {
  func fetch(_ url: URL) async throws -> SquadPage
}

/// Gets pages by HTTP.
struct SquadFetcher: SquadFetching {
  /// Seconds that a server may take.
  static let timeout: TimeInterval = 15

  func fetch(_ url: URL) async throws -> SquadPage {
    let request = URLRequest(url: url, timeoutInterval: Self.timeout)
    let (data, response) = try await URLSession.shared.data(for: request)
    guard let answer = response as? HTTPURLResponse, (200..<300).contains(answer.statusCode) else {
      throw URLError(.badServerResponse)
    }
    return SquadPage(
      url: url, data: data, mimeType: response.mimeType ?? "text/html",
      encoding: response.textEncodingName ?? "utf-8")
  }
}
