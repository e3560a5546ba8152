/// Where a web view stands between two documents, and which delegate calls follow from what happens.
///
/// It decides only; the web view makes the calls.
@MainActor
struct NavigationState {
  enum Phase {
    /// Nothing is under way.
    case idle
    /// A load of the app waits for the delegate's policy.
    case deciding(WKNavigation)
    /// On the way: the old document is still there.
    case provisional(WKNavigation)
    /// The new document is there and still loading.
    case committed(WKNavigation)
  }

  /// A call of the navigation delegate.
  enum Step {
    case start(WKNavigation)
    case commit(WKNavigation)
    case finish(WKNavigation)
    case failProvisional(WKNavigation, NSError)
    case fail(WKNavigation, NSError)
  }

  private(set) var phase = Phase.idle
  /// The document that was committed last.
  private(set) var document: String?
  private var earlierDocuments: Set<String> = []
  /// The navigation that a step in the history will be, if it leads to another document.
  private var announced: WKNavigation?

  var isLoading: Bool {
    switch phase {
    case .idle: false
    case .deciding, .provisional, .committed: true
    }
  }

  /// Whether the old document is still the one that is shown.
  var isProvisional: Bool {
    switch phase {
    case .deciding, .provisional: true
    case .idle, .committed: false
    }
  }

  static let cancelled = NSError(domain: NSURLErrorDomain, code: NSURLErrorCancelled)

  /// The app wants to load something.
  mutating func load(_ navigation: WKNavigation) -> [Step] {
    let steps = supersede()
    announced = nil
    phase = .deciding(navigation)
    return steps
  }

  /// The policy allows the load. Answers nil when something newer took its place.
  mutating func allow(_ navigation: WKNavigation) -> [Step]? {
    guard case .deciding(let current) = phase, current === navigation else { return nil }
    phase = .provisional(navigation)
    return [.start(navigation)]
  }

  /// The policy forbids the load. Answers whether the load was still wanted.
  mutating func deny(_ navigation: WKNavigation) -> Bool {
    guard case .deciding(let current) = phase, current === navigation else { return false }
    phase = .idle
    return true
  }

  /// The app takes a step in the history; only the browser knows whether another document comes of it.
  mutating func announce(_ navigation: WKNavigation) {
    announced = navigation
  }

  private mutating func pagesNavigation() -> WKNavigation {
    defer { announced = nil }
    return announced ?? WKNavigation()
  }

  /// The page is leaving for another document.
  mutating func pageStarted() -> [Step] {
    switch phase {
    // A load of the app is already known, and the page tells of it too.
    case .deciding, .provisional: return []
    case .idle, .committed:
      let steps = supersede()
      let navigation = pagesNavigation()
      phase = .provisional(navigation)
      return steps + [.start(navigation)]
    }
  }

  /// A new document is there.
  mutating func pageCommitted(_ new: String) -> [Step] {
    if let document, document != new { earlierDocuments.insert(document) }
    document = new
    switch phase {
    case .provisional(let navigation):
      phase = .committed(navigation)
      return [.commit(navigation)]
    case .idle, .committed:
      let steps = supersede()
      let navigation = pagesNavigation()
      phase = .committed(navigation)
      return steps + [.start(navigation), .commit(navigation)]
    case .deciding:
      // The page went on by itself while the delegate thinks about another load, which will end it.
      let navigation = WKNavigation()
      return [.start(navigation), .commit(navigation), .fail(navigation, Self.cancelled)]
    }
  }

  /// A new document is there, and the delegate does not want it.
  mutating func pageRejected(_ error: NSError) -> [Step] {
    var steps: [Step] = []
    if !isProvisional { steps = pageStarted() }
    return steps + failed(error)
  }

  /// The document is loaded.
  mutating func pageFinished(_ finished: String) -> [Step] {
    guard finished == document, case .committed(let navigation) = phase else { return [] }
    phase = .idle
    return [.finish(navigation)]
  }

  /// A load led to another place of the document that is there.
  mutating func stayed() -> [Step] {
    guard case .provisional(let navigation) = phase else { return [] }
    phase = .idle
    return [.commit(navigation), .finish(navigation)]
  }

  /// A document that was left has come back as it was.
  mutating func pageReturned(_ returned: String) -> [Step] {
    guard returned != document, earlierDocuments.contains(returned) else { return [] }
    let steps = pageCommitted(returned)
    return steps + pageFinished(returned)
  }

  /// The navigation failed.
  mutating func failed(_ error: NSError) -> [Step] {
    switch phase {
    case .idle, .deciding: return []
    case .provisional(let navigation):
      phase = .idle
      return [.failProvisional(navigation, error)]
    case .committed(let navigation):
      phase = .idle
      return [.fail(navigation, error)]
    }
  }

  /// Everything under way is over, with an error where the delegate knows of it.
  mutating func supersede() -> [Step] {
    let steps = failed(Self.cancelled)
    phase = .idle
    return steps
  }

  /// A document that an earlier process of the host has served.
  mutating func resume(_ document: String) {
    self.document = document
  }
}
