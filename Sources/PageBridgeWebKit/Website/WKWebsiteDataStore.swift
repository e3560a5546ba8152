import BridgeProtocol
import Observation

/// The data that pages keep in the visitor's browser: cookies, storage, caches. See Apple's page "WKWebsiteDataStore".
///
/// The data are in the browser, and a page reaches those of its own origin alone. So a store acts through the pages of the
/// web views that were made with it: those that are attached carry out a wish at once; a page of another origin carries it
/// out at its start, before its first script, when the view goes there. What a page cannot do is listed in "What differs
/// from WebKit".
@MainActor
public final class WKWebsiteDataStore: NSObject {
  private struct User {
    weak var session: WebViewSession?
  }

  private static let shared = WKWebsiteDataStore(isPersistent: true, identifier: nil)
  private static var named: [UUID: WKWebsiteDataStore] = [:]
  private static var lastChange = 0

  /// Whether the store was made to outlive the app. The browser decides what becomes of its data either way.
  public let isPersistent: Bool
  /// What a store of its own was made with; nil for others.
  public let identifier: UUID?
  /// The cookies of the store's pages.
  public var httpCookieStore: WKHTTPCookieStore { cookieStore }
  /// Made once there is a store to give it.
  private var cookieStore: WKHTTPCookieStore!
  private var users: [User] = []

  private init(isPersistent: Bool, identifier: UUID?) {
    self.isPersistent = isPersistent
    self.identifier = identifier
    super.init()
    cookieStore = WKHTTPCookieStore(self)
  }

  /// Makes the store of that name: the app's closures for several visitors may share one so.
  public convenience init(forIdentifier identifier: UUID) {
    self.init(isPersistent: true, identifier: identifier)
  }

  /// The visitor's store: one for each visitor, since a host serves many and each has a browser of its own.
  ///
  /// It is known inside the closure for the visitor and in all that the visitor's pages cause (handlers, delegates,
  /// completion handlers, and tasks made there). Elsewhere it is a store of the process.
  public class func `default`() -> WKWebsiteDataStore {
    WebViewScene.current?.websiteDataStore ?? shared
  }

  /// A store of its own that is not kept. A page cannot keep the browser from keeping its data: a private window can.
  public class func nonPersistent() -> WKWebsiteDataStore {
    WKWebsiteDataStore(isPersistent: false, identifier: nil)
  }

  /// The visitor's store; see ``default()``.
  static func makeForVisitor() -> WKWebsiteDataStore {
    WKWebsiteDataStore(isPersistent: true, identifier: nil)
  }

  /// All kinds of data that WebKit names; a page reaches the first seven.
  public class func allWebsiteDataTypes() -> Set<String> {
    Set(WebsiteDataType.allCases.map(\.publicName)).union([
      WKWebsiteDataTypeDiskCache, WKWebsiteDataTypeMemoryCache, WKWebsiteDataTypeOfflineWebApplicationCache,
      WKWebsiteDataTypeWebSQLDatabases, WKWebsiteDataTypeSearchFieldRecentSearches,
      WKWebsiteDataTypeMediaKeys, WKWebsiteDataTypeHashSalt, WKWebsiteDataTypeScreenTime,
    ])
  }

  // MARK: Records

  /// Gives a record for each host that an attached page of the store has data of, or that the store has cookies for.
  ///
  /// The completion handler runs once, later, on the main actor.
  public func fetchDataRecords(
    ofTypes dataTypes: Set<String>,
    completionHandler: @escaping @MainActor @Sendable ([WKWebsiteDataRecord]) -> Void
  ) {
    let wanted = WebsiteDataType.reachable(dataTypes)
    ask(["action": "fetch", "types": WebsiteDataType.value(wanted)]) { [self] answers in
      var found: [String: Set<String>] = [:]
      for answer in answers {
        guard let host = answer["host"]?.string else { continue }
        let names = (answer["types"]?.array ?? []).compactMap { $0.string.flatMap(WebsiteDataType.init) }
        found[host, default: []].formUnion(names.filter(wanted.contains).map(\.publicName))
      }
      if wanted.contains(.cookies) {
        for host in httpCookieStore.hosts { found[host, default: []].insert(WKWebsiteDataTypeCookies) }
      }
      completionHandler(
        found.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
          .map { WKWebsiteDataRecord(displayName: $0.key, dataTypes: $0.value) })
    }
  }

  /// The records that ``fetchDataRecords(ofTypes:completionHandler:)`` gives.
  public func dataRecords(ofTypes dataTypes: Set<String>) async -> [WKWebsiteDataRecord] {
    await withCheckedContinuation { continuation in
      fetchDataRecords(ofTypes: dataTypes) { continuation.resume(returning: $0) }
    }
  }

  // MARK: Removal

  /// Removes the data of these records' hosts and kinds.
  ///
  /// The completion handler runs once, later, on the main actor, when the attached pages have removed theirs.
  public func removeData(
    ofTypes dataTypes: Set<String>, for dataRecords: [WKWebsiteDataRecord],
    completionHandler: @escaping @MainActor @Sendable () -> Void
  ) {
    remove(dataTypes, hosts: Set(dataRecords.map { $0.displayName.lowercased() }), completionHandler)
  }

  /// Removes the data of these records' hosts and kinds, and returns when the attached pages have removed theirs.
  public func removeData(ofTypes dataTypes: Set<String>, for dataRecords: [WKWebsiteDataRecord]) async {
    await withCheckedContinuation { continuation in
      removeData(ofTypes: dataTypes, for: dataRecords) { continuation.resume() }
    }
  }

  /// Removes the data of these kinds. No page knows when its data changed, so all of them go, unless the date is still to
  /// come.
  ///
  /// The completion handler runs once, later, on the main actor, when the attached pages have removed theirs.
  public func removeData(
    ofTypes dataTypes: Set<String>, modifiedSince date: Date,
    completionHandler: @escaping @MainActor @Sendable () -> Void
  ) {
    guard date <= Date() else { return later(completionHandler) }
    remove(dataTypes, hosts: nil, completionHandler)
  }

  /// Removes the data of these kinds, and returns when the attached pages have removed theirs.
  public func removeData(ofTypes dataTypes: Set<String>, modifiedSince date: Date) async {
    await withCheckedContinuation { continuation in
      removeData(ofTypes: dataTypes, modifiedSince: date) { continuation.resume() }
    }
  }

  private func remove(
    _ names: Set<String>, hosts: Set<String>?, _ completion: @escaping @MainActor @Sendable () -> Void
  ) {
    let types = WebsiteDataType.reachable(names)
    guard !types.isEmpty, hosts?.isEmpty != true else { return later(completion) }
    let hidden = types.contains(.cookies) ? httpCookieStore.forget(hosts: hosts) : []
    change(.remove(types, hosts: hosts)) { [self] in
      if types.contains(.cookies) { httpCookieStore.changed() }
      completion()
    }
    for cookie in hidden { change(.delete(cookie)) {} }
  }

  // MARK: The store's pages

  /// A web view was made with the store.
  func attach(_ session: WebViewSession) {
    users.removeAll { $0.session == nil }
    users.append(User(session: session))
    for (number, cookie) in httpCookieStore.undelivered {
      session.change(WebsiteChange(number: number, action: .set(cookie))) {}
    }
  }

  private var sessions: [WebViewSession] { users.compactMap(\.session).filter { !$0.isEnded } }

  /// A page has carried out changes.
  func carriedOut(_ numbers: [Int]) {
    for number in numbers { httpCookieStore.delivered(number) }
  }

  func settingsChanged() {
    for session in sessions { session.configurationChanged() }
  }

  func report(_ mistake: String) {
    StandardError.write(mistake)
    for session in sessions {
      session.host?.events.record("error", ["message": .string(mistake)], session: session.id)
    }
  }

  /// Asks all attached pages; the completion gets the answers of those that gave one.
  func ask(_ question: WireValue, _ completion: @escaping @MainActor @Sendable ([WireValue]) -> Void) {
    let asked = sessions.filter(\.isAttached)
    let gathering = Gathering(count: asked.count, completion)
    guard !asked.isEmpty else { return later { completion([]) } }
    for session in asked {
      session.askPage("websiteData", question) { gathering.add($0) }
    }
  }

  /// Has a change carried out; the completion runs when all attached pages have done it.
  @discardableResult
  func change(
    _ action: WebsiteChange.Action, _ completion: @escaping @MainActor @Sendable () -> Void
  ) -> Int {
    Self.lastChange += 1
    let change = WebsiteChange(number: Self.lastChange, action: action)
    let sessions = sessions
    let gathering = Gathering(count: sessions.count) { _ in completion() }
    for session in sessions { session.change(change) { gathering.add(nil) } }
    if sessions.isEmpty { later(completion) }
    return change.number
  }

  /// Runs work later on the main actor, so that no completion handler runs inside the call that it was given to.
  func later(_ work: @escaping @MainActor @Sendable () -> Void) {
    if let host = sessions.first?.host ?? WebViewHost.current ?? WebViewHost.all.first {
      host.later(work)
    } else {
      Task { work() }
    }
  }
}

/// Answers of several pages to one question.
@MainActor
private final class Gathering {
  private var missing: Int
  private var answers: [WireValue] = []
  private let completion: @MainActor @Sendable ([WireValue]) -> Void

  init(count: Int, _ completion: @escaping @MainActor @Sendable ([WireValue]) -> Void) {
    missing = count
    self.completion = completion
  }

  /// Takes an answer, nil for none.
  func add(_ answer: WireValue?) {
    if let answer { answers.append(answer) }
    missing -= 1
    if missing == 0 { completion(answers) }
  }
}
