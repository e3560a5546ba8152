import BridgeProtocol

/// The cookies of a data store's pages. See Apple's page "WKHTTPCookieStore".
///
/// The cookies themselves are in the visitor's browser. A page sets and reads those of its own host that scripts may see;
/// the store remembers what it was told, and gives a page what was set for its host before the page's first script runs.
/// What a page cannot do is listed in "What differs from WebKit".
@MainActor
public final class WKHTTPCookieStore: NSObject {
  private struct Observer {
    weak var observer: (any WKHTTPCookieStoreObserver)?
  }

  private struct Known {
    var cookie: WebCookie
    /// Whether a page has put it into its browser; until then new views' pages are given it.
    var isDelivered: Bool
    /// The change that brings it.
    var change: Int
  }

  /// How many cookies the store remembers; the oldest go first.
  static let keptCookies = 1_024

  private unowned let dataStore: WKWebsiteDataStore
  private var known: [Known] = []
  private var observers: [Observer] = []

  init(_ dataStore: WKWebsiteDataStore) {
    self.dataStore = dataStore
  }

  /// Gives all cookies that the attached pages see, and those that the store has set and pages do not see: cookies for
  /// scripts forbidden, and cookies of hosts whose page has not come yet.
  ///
  /// - Parameter completionHandler: runs once, later, on the main actor. Without an attached page it gets what the store
  ///   remembers.
  public func getAllCookies(_ completionHandler: @escaping @MainActor @Sendable ([HTTPCookie]) -> Void) {
    dataStore.ask(["action": "cookies"]) { [self] answers in
      for answer in answers { learn(answer) }
      known.removeAll { $0.cookie.isExpired }
      completionHandler(known.map(\.cookie.cookie))
    }
  }

  /// All cookies, as ``getAllCookies(_:)`` gives them.
  public func allCookies() async -> [HTTPCookie] {
    await withCheckedContinuation { continuation in
      getAllCookies { continuation.resume(returning: $0) }
    }
  }

  /// Sets a cookie: in the attached pages of its host now, in others at their start.
  ///
  /// A cookie that scripts may not see (`HttpOnly`) reaches the browser only through content of this host. A cookie that
  /// no header could carry is refused, which the host's events tell (`error`). The completion handler runs once, later, on the
  /// main actor, when the attached pages have it.
  public func setCookie(
    _ cookie: HTTPCookie, completionHandler: (@MainActor @Sendable () -> Void)? = nil
  ) {
    let cookie = WebCookie(cookie)
    if let mistake = cookie.mistake {
      dataStore.report("the cookie '\(cookie.cookie.name.prefix(64))' was refused: \(mistake)")
      return dataStore.later { completionHandler?() }
    }
    if cookie.isExpired { return delete(cookie.cookie, completionHandler: completionHandler) }
    let number = dataStore.change(.set(cookie)) { [self] in
      changed()
      completionHandler?()
    }
    keep(Known(cookie: cookie, isDelivered: false, change: number))
  }

  /// Sets a cookie, as ``setCookie(_:completionHandler:)`` does, and returns when the attached pages have it.
  public func setCookie(_ cookie: HTTPCookie) async {
    await withCheckedContinuation { continuation in
      setCookie(cookie) { continuation.resume() }
    }
  }

  /// Removes the cookie of that name, domain and path.
  ///
  /// The completion handler runs once, later, on the main actor, when the attached pages have removed it.
  public func delete(
    _ cookie: HTTPCookie, completionHandler: (@MainActor @Sendable () -> Void)? = nil
  ) {
    let cookie = WebCookie(cookie)
    guard cookie.mistake == nil else { return dataStore.later { completionHandler?() } }
    known.removeAll { $0.cookie.identity == cookie.identity }
    dataStore.change(.delete(cookie)) { [self] in
      changed()
      completionHandler?()
    }
  }

  /// Removes the cookie of that name, domain and path, and returns when the attached pages have removed it.
  public func deleteCookie(_ cookie: HTTPCookie) async {
    await withCheckedContinuation { continuation in
      delete(cookie) { continuation.resume() }
    }
  }

  /// Tells somebody of changes, who is not retained: of those that the app makes, and of those that pages make in a browser
  /// that tells pages of them.
  public func add(_ observer: any WKHTTPCookieStoreObserver) {
    observers.removeAll { $0.observer == nil || $0.observer === observer }
    observers.append(Observer(observer: observer))
    dataStore.settingsChanged()
  }

  /// Tells somebody no longer.
  public func remove(_ observer: any WKHTTPCookieStoreObserver) {
    observers.removeAll { $0.observer == nil || $0.observer === observer }
    dataStore.settingsChanged()
  }

  /// Whether pages shall tell of changes.
  var isObserved: Bool { observers.contains { $0.observer != nil } }

  func changed() {
    for entry in observers { entry.observer?.cookiesDidChange(in: self) }
  }

  // MARK: What the store remembers

  /// The cookies that no page has put into its browser yet.
  var undelivered: [(number: Int, cookie: WebCookie)] {
    known.filter { !$0.isDelivered && !$0.cookie.isExpired }.map { ($0.change, $0.cookie) }
  }

  /// The hosts that the store knows cookies of.
  var hosts: [String] {
    known.map { entry in
      let domain = entry.cookie.cookie.domain
      return domain.hasPrefix(".") ? String(domain.dropFirst()) : domain
    }
  }

  func delivered(_ number: Int) {
    guard let index = known.firstIndex(where: { $0.change == number }) else { return }
    known[index].isDelivered = true
  }

  /// Forgets the cookies of these hosts, or of all. Answers those that only a removal of each takes from the browser.
  func forget(hosts: Set<String>?) -> [WebCookie] {
    let isConcerned = { (entry: Known) in
      hosts?.contains { name in
        let domain = entry.cookie.cookie.domain.lowercased()
        return domain == name || domain.hasSuffix("." + name)
      } ?? true
    }
    let hidden = known.filter { isConcerned($0) && $0.cookie.cookie.isHTTPOnly && $0.isDelivered }
    known.removeAll(where: isConcerned)
    return hidden.map(\.cookie)
  }

  private func keep(_ entry: Known) {
    known.removeAll { $0.cookie.identity == entry.cookie.identity }
    known.append(entry)
    if known.count > Self.keptCookies { known.removeFirst() }
  }

  /// Takes over what a page sees; what it should see and does not is gone.
  private func learn(_ answer: WireValue) {
    guard let host = answer["host"]?.string, let path = answer["path"]?.string else { return }
    let seen = (answer["cookies"]?.array ?? []).compactMap { WebCookie($0, host: host) }
    known.removeAll { entry in
      let cookie = entry.cookie.cookie
      return entry.isDelivered && !cookie.isHTTPOnly && !cookie.isSecure && entry.cookie.matches(host: host)
        && path.hasPrefix(cookie.path) && !seen.contains { $0.cookie.name == cookie.name }
    }
    for new in seen {
      // A page that knows less of a cookie than the store tells only its value.
      if let index = known.firstIndex(where: {
        $0.cookie.cookie.name == new.cookie.name && !$0.cookie.cookie.isHTTPOnly
          && $0.cookie.matches(host: host)
      }) {
        guard known[index].isDelivered, known[index].cookie.cookie.value != new.cookie.value else { continue }
        known[index].cookie = new
      } else {
        keep(Known(cookie: new, isDelivered: true, change: 0))
      }
    }
  }
}
