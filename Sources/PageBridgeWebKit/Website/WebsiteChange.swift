import BridgeProtocol

/// A change of what a browser keeps for pages, which a page carries out.
struct WebsiteChange: Sendable {
  enum Action: Sendable {
    case set(WebCookie)
    case delete(WebCookie)
    /// Everything of these kinds; of these hosts, or of all.
    case remove(Set<WebsiteDataType>, hosts: Set<String>?)
  }

  /// Tells changes apart; a later one has a higher number.
  let number: Int
  let action: Action

  /// Whether a page of that host can carry it out, or a part of it.
  func concerns(_ place: WebsitePlace) -> Bool {
    switch action {
    case .set(let cookie), .delete(let cookie):
      cookie.matches(host: place.host) && (!isHidden || place.isHostContent)
    case .remove(_, let hosts):
      hosts?.contains { place.host == $0 || place.host.hasSuffix("." + $0) } ?? true
    }
  }

  /// What the page is told.
  ///
  /// - Parameter session: where cookies come from that scripts may not see.
  func value(session: String) -> WireValue {
    switch action {
    case .set where isHidden, .delete where isHidden:
      ["visit": .string("/s/\(session)\(Self.visitPrefix)\(number)")]
    case .set(let cookie): ["cookie": .string(cookie.header(isRemoved: false, isForScript: true))]
    case .delete(let cookie): ["cookie": .string(cookie.header(isRemoved: true, isForScript: true))]
    case .remove(let types, _): ["remove": WebsiteDataType.value(types)]
    }
  }

  /// Whether it is about a cookie that scripts may not see.
  var isHidden: Bool {
    switch action {
    case .set(let cookie), .delete(let cookie): cookie.cookie.isHTTPOnly
    case .remove: false
    }
  }

  /// The header of the content that sets a cookie which scripts may not see; nil for other changes.
  var setCookie: String? {
    switch action {
    case .set(let cookie): cookie.header(isRemoved: false, isForScript: false)
    case .delete(let cookie): cookie.header(isRemoved: true, isForScript: false)
    case .remove: nil
    }
  }

  /// Where the content that sets such cookies is, below the session's path.
  static let visitPrefix = "/_pagebridge/cookie/"

  /// The kinds that one page of a place removes for all pages of its host.
  fileprivate var isOnce: Bool {
    switch action {
    case .set, .delete: true
    case .remove: false
    }
  }

  fileprivate var identity: WebCookie.Identity? {
    switch action {
    case .set(let cookie), .delete(let cookie): cookie.identity
    case .remove: nil
    }
  }
}

/// Where a document is, as far as its data go.
struct WebsitePlace: Hashable, Sendable {
  let origin: String
  let host: String
  /// Whether the host's own content is there, which can set cookies that scripts do not see.
  let isHostContent: Bool

  init?(address: String, session: String) {
    guard let components = URLComponents(string: address), let scheme = components.scheme else { return nil }
    host = (components.host ?? "").lowercased()
    origin = "\(scheme)://\(host):\(components.port ?? 0)"
    isHostContent = components.path.hasPrefix("/s/\(session)/")
  }
}

/// The changes that a session's pages have not all carried out.
struct WebsiteLog: Sendable {
  /// How many changes wait at most; the oldest go first.
  static let limit = 1_024

  private struct Entry: Sendable {
    let change: WebsiteChange
    /// The origins whose pages have it.
    var origins: Set<String> = []
  }

  private var entries: [Entry] = []
  /// What is on its way, by call or by the document whose start carries it.
  private var flying: [String: (place: WebsitePlace, changes: [WebsiteChange])] = [:]
  /// The headers that pages are to fetch, by change.
  private var headers: [Int: String] = [:]

  var isEmpty: Bool { entries.isEmpty }

  /// Adds a change, in the place of what it makes needless. Answers whether an older one was given up.
  mutating func add(_ change: WebsiteChange) -> Bool {
    switch change.action {
    case .set, .delete: entries.removeAll { $0.change.identity == change.identity }
    case .remove(let types, let hosts):
      guard hosts == nil else { break }
      entries.removeAll { entry in
        switch entry.change.action {
        case .set, .delete: types.contains(.cookies)
        case .remove(let earlier, _): types.isSuperset(of: earlier)
        }
      }
    }
    entries.append(Entry(change: change))
    guard entries.count > Self.limit else { return false }
    entries.removeFirst()
    return true
  }

  /// Hands out what the pages of a place have not carried out, in order; ``arrived(_:)`` or ``lost(_:)`` follows.
  mutating func take(for place: WebsitePlace, carrier: String) -> [WebsiteChange] {
    var taken: [WebsiteChange] = []
    for index in entries.indices
    where entries[index].change.concerns(place) && !entries[index].origins.contains(place.origin) {
      entries[index].origins.insert(place.origin)
      let change = entries[index].change
      taken.append(change)
      if change.isHidden { headers[change.number] = change.setCookie }
    }
    while headers.count > Self.limit, let oldest = headers.keys.min() { headers[oldest] = nil }
    if !taken.isEmpty { flying[carrier] = (place, taken) }
    return taken
  }

  /// The page has carried out what that carrier brought.
  mutating func arrived(_ carrier: String) -> [WebsiteChange] {
    guard let (_, changes) = flying.removeValue(forKey: carrier) else { return [] }
    let once = Set(changes.filter(\.isOnce).map(\.number))
    entries.removeAll { once.contains($0.change.number) }
    return changes
  }

  /// The page went before it could: the next one of that place gets it.
  mutating func lost(_ carrier: String) -> [WebsiteChange] {
    guard let (place, changes) = flying.removeValue(forKey: carrier) else { return [] }
    for index in entries.indices where changes.contains(where: { $0.number == entries[index].change.number })
    {
      entries[index].origins.remove(place.origin)
    }
    return changes
  }

  /// Whether a call carries the change now.
  func isFlying(_ number: Int) -> Bool {
    flying.values.contains { $0.changes.contains { $0.number == number } }
  }

  /// The header that a page fetches for a change, once.
  mutating func takeHeader(_ number: Int) -> String? { headers.removeValue(forKey: number) }
}
