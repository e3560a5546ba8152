/// Where a web view stands between two documents, and which delegate calls follow from what happens.
///
/// It decides only; the web view makes the calls.
@MainActor
struct NavigationState {
  /// A navigation whose document is not there yet.
  struct Provisional {
    let navigation: WKNavigation
    /// The number of the app's wish; nil for a navigation of the page itself.
    var wish: Int?
    /// Whether the page is on its way for it. Until then, what the page does by itself does not count: the wish is told to
    /// whatever document comes.
    var isTaken: Bool
  }

  enum Phase {
    /// Nothing is under way.
    case idle
    /// A load of the app waits for the delegate's policy.
    case deciding(WKNavigation)
    /// On the way: the old document is still there.
    case provisional(Provisional)
    /// The new document is there and still loading.
    case committed(WKNavigation)
  }

  /// A call of the navigation delegate.
  enum Step {
    case start(WKNavigation)
    case redirect(WKNavigation)
    case commit(WKNavigation)
    case finish(WKNavigation)
    case failProvisional(WKNavigation, NSError)
    case fail(WKNavigation, NSError)
  }

  private(set) var phase = Phase.idle
  /// The document that was committed last.
  private(set) var document: String?
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

  /// The navigation that is under way or loading; nil if none is.
  var current: WKNavigation? {
    switch phase {
    case .idle: nil
    case .deciding(let navigation), .committed(let navigation): navigation
    case .provisional(let provisional): provisional.navigation
    }
  }

  /// The app wants to load something.
  mutating func load(_ navigation: WKNavigation) -> [Step] {
    let steps = supersede()
    announced = nil
    phase = .deciding(navigation)
    return steps
  }

  /// The policy allows the load. Answers nil when something newer took its place.
  mutating func allow(_ navigation: WKNavigation, wish: Int) -> [Step]? {
    guard case .deciding(let current) = phase, current === navigation else { return nil }
    phase = .provisional(Provisional(navigation: navigation, wish: wish, isTaken: false))
    return [.start(navigation)]
  }

  /// The policy forbids the load. Answers whether the load was still wanted.
  mutating func deny(_ navigation: WKNavigation) -> Bool {
    guard case .deciding(let current) = phase, current === navigation else { return false }
    phase = .idle
    return true
  }

  /// The browser itself was led to the app's wish, whatever the page does.
  mutating func take() {
    guard case .provisional(var provisional) = phase else { return }
    provisional.isTaken = true
    phase = .provisional(provisional)
  }

  /// The app takes a step in the history; only the browser knows whether another document comes of it.
  mutating func announce(_ navigation: WKNavigation) {
    announced = navigation
  }

  private mutating func pagesNavigation(_ url: URL?) -> WKNavigation {
    defer { announced = nil }
    let navigation = announced ?? WKNavigation()
    navigation.requested = url
    return navigation
  }

  private mutating func begin(_ url: URL?) -> [Step] {
    let steps = supersede()
    let navigation = pagesNavigation(url)
    phase = .provisional(Provisional(navigation: navigation, wish: nil, isTaken: true))
    return steps + [.start(navigation)]
  }

  /// The page is leaving for another document.
  ///
  /// - Parameter wish: the number of the app's wish that it fulfils; nil if it goes by itself.
  mutating func pageStarted(_ url: URL?, wish: Int?) -> [Step] {
    switch phase {
    case .deciding: return []
    case .provisional(let provisional):
      if let wish {
        // A page that still follows an older wish hears of the newer one.
        if wish == provisional.wish { take() }
        return []
      }
      // The page goes elsewhere although it was on its way; a second word about the same way is none.
      guard provisional.isTaken, provisional.navigation.requested != url else { return [] }
      return begin(url)
    case .idle, .committed: return wish == nil ? begin(url) : []
    }
  }

  /// A new document is there. Answers whether it is what the app or the page wanted: else the page went on by itself while
  /// the app wanted something else, which is still wanted.
  mutating func pageArrived(_ new: String, _ url: URL?) -> (isWanted: Bool, steps: [Step]) {
    switch phase {
    case .deciding: return (true, [])
    case .provisional(let provisional):
      if !provisional.isTaken { document = new }
      return (provisional.isTaken, [])
    case .idle, .committed: return (true, begin(url))
    }
  }

  /// A server has led the navigation to another address than the one asked for.
  func redirected() -> [Step] {
    guard case .provisional(let provisional) = phase else { return [] }
    return [.redirect(provisional.navigation)]
  }

  /// The new document is the view's.
  mutating func pageCommitted(_ new: String, _ url: URL?) -> [Step] {
    document = new
    switch phase {
    case .provisional(let provisional):
      phase = .committed(provisional.navigation)
      return [.commit(provisional.navigation)]
    case .idle, .committed:
      let steps = begin(url)
      return steps + pageCommitted(new, url)
    case .deciding:
      // The page went on by itself while the delegate thinks about another load, which will end it.
      let navigation = WKNavigation()
      navigation.requested = url
      return [
        .start(navigation), .commit(navigation),
        .fail(navigation, .cancelledNavigation(navigation.requested)),
      ]
    }
  }

  /// The document is loaded.
  mutating func pageFinished(_ finished: String) -> [Step] {
    guard finished == document, case .committed(let navigation) = phase else { return [] }
    phase = .idle
    return [.finish(navigation)]
  }

  /// The app's wish led to another place of the document that is there. Answers nil if it is not the present wish.
  mutating func stayed(wish: Int) -> [Step]? {
    guard case .provisional(let provisional) = phase, provisional.wish == wish else { return nil }
    phase = .idle
    return [.commit(provisional.navigation), .finish(provisional.navigation)]
  }

  /// Whether a failure that the page tells of concerns what is under way.
  ///
  /// - Parameter wish: the number of the app's wish that failed; nil if the document itself did.
  func concerns(wish: Int?) -> Bool {
    guard let wish else { return true }
    guard case .provisional(let provisional) = phase else { return false }
    return provisional.wish == wish
  }

  /// The navigation failed.
  mutating func failed(_ error: NSError) -> [Step] {
    switch phase {
    case .idle, .deciding: return []
    case .provisional(let provisional):
      phase = .idle
      return [.failProvisional(provisional.navigation, error)]
    case .committed(let navigation):
      phase = .idle
      return [.fail(navigation, error)]
    }
  }

  /// Everything under way is over, with an error where the delegate knows of it.
  mutating func supersede() -> [Step] {
    let steps = failed(.cancelledNavigation(current?.requested))
    phase = .idle
    return steps
  }
}
