extension WKWebView {
  // MARK: The app's side

  /// Loads a page. Answers nil for an address without a host's page behind it.
  ///
  /// The request's `timeoutInterval` is how long the document may stand still while it loads, to within three seconds; then
  /// ``WKNavigationDelegate/webView(_:didFail:withError:)`` is called with `NSURLErrorTimedOut`.
  @discardableResult
  public func load(_ request: URLRequest) -> WKNavigation? {
    guard let url = request.url else { return nil }
    if url.isFileURL { return loadFileURL(url, allowingReadAccessTo: url.deletingLastPathComponent()) }
    if url == Self.blankURL { return begin(.served(path: "/", url: url), request: request) }
    if let path = schemePath(url) { return begin(.served(path: path, url: url), request: request) }
    return begin(.page(url), request: request)
  }

  /// Loads HTML text, which the host serves to the page from the relay's origin.
  ///
  /// - Parameters:
  ///   - string: the text of a whole document.
  ///   - baseURL: what relative addresses in the text are relative to, and the address that the app sees;
  ///     `document.baseURI` is the base, while the document's origin is the relay's.
  @discardableResult
  public func loadHTMLString(_ string: String, baseURL: URL?) -> WKNavigation? {
    let markup = session.connection.markup
    let own = SchemeMarkup(schemes: configuration.schemes, session: session.id)
    let html = HTMLHead.inserting(
      markup.head(base: baseURL.map(pageBase)), into: own.html(Array(string.utf8)))
    return serve(html, type: "text/html; charset=utf-8", baseURL: baseURL)
  }

  /// Loads data of a type, which the host serves to the page from the relay's origin.
  @discardableResult
  public func load(
    _ data: Data, mimeType: String, characterEncodingName: String, baseURL: URL
  ) -> WKNavigation? {
    let type =
      characterEncodingName.isEmpty ? mimeType : "\(mimeType); charset=\(characterEncodingName)"
    guard MediaType.isHTML(mimeType.lowercased()) else {
      return serve(Array(data), type: type, baseURL: baseURL)
    }
    let head = session.connection.markup.head(base: pageBase(baseURL))
    return serve(HTMLHead.inserting(head, into: Array(data)), type: type, baseURL: baseURL)
  }

  /// Loads a local file, which the host serves to the page from the relay's origin.
  ///
  /// - Parameters:
  ///   - url: the file's address, with its query and fragment.
  ///   - readAccessURL: the file itself or a folder; the page reads nothing outside of it, whatever its links say.
  @discardableResult
  public func loadFileURL(_ url: URL, allowingReadAccessTo readAccessURL: URL) -> WKNavigation? {
    let file = url.standardizedFileURL
    let access = readAccessURL.standardizedFileURL
    let folder =
      access.path == file.path
      ? file.deletingLastPathComponent() : URL(fileURLWithPath: access.path, isDirectory: true)
    guard file.isFileURL, file.path.hasPrefix(folder.path == "/" ? "/" : folder.path + "/") else {
      return nil
    }
    let prefix = served.add(folder: folder)
    session.connection.submit(.serveFolder(session: session.id, prefix: prefix, folder: folder.path))
    let relative = file.path.dropFirst(folder.path == "/" ? 1 : folder.path.count + 1)
    let encoded = relative.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? String(relative)
    let suffix = (url.query.map { "?" + $0 } ?? "") + (url.fragment.map { "#" + $0 } ?? "")
    return begin(.served(path: prefix + encoded + suffix, url: url), request: URLRequest(url: url))
  }

  /// Loads the page again.
  @discardableResult
  public func reload() -> WKNavigation? {
    begin(.reload(fromOrigin: false), request: URLRequest(url: url ?? Self.blankURL))
  }

  /// Loads the page again, past the browser's cache where the browser lets a page ask for that.
  @discardableResult
  public func reloadFromOrigin() -> WKNavigation? {
    begin(.reload(fromOrigin: true), request: URLRequest(url: url ?? Self.blankURL))
  }

  /// Stops what is loading.
  public func stopLoading() {
    guard navigation.isLoading else { return }
    if session.isAttached { session.notify("stop") }
    let steps = navigation.supersede()
    target = nil
    url = committedURL
    isLoading = false
    host.later { [weak self] in self?.perform(steps) }
  }

  /// Goes back in the page's history; nil if that is not possible.
  ///
  /// Where a step leads is known to the browser alone, so the navigation delegate is not asked about it.
  @discardableResult
  public func goBack() -> WKNavigation? {
    canGoBack ? go(-1) : nil
  }

  /// Goes forward in the page's history; nil if that is not possible.
  @discardableResult
  public func goForward() -> WKNavigation? {
    canGoForward ? go(1) : nil
  }

  /// Goes to a page of the view's history; nil if it is not in ``backForwardList``, or is the current one.
  @discardableResult
  public func go(to item: WKBackForwardListItem) -> WKNavigation? {
    guard let distance = backForwardList.distance(to: item), distance != 0 else { return nil }
    return go(distance)
  }

  /// Where the view's page can be opened in a browser, once and within 30 seconds; each call makes another such address.
  public var pageURL: URL {
    URL(string: session.ticketed(currentAddress)) ?? host.relay
  }

  // MARK: From wish to page

  /// Where an address of one of the app's schemes is served, below the session's path; nil for another address.
  private func schemePath(_ url: URL) -> String? {
    guard let scheme = url.scheme, configuration.urlSchemeHandler(forURLScheme: scheme) != nil else {
      return nil
    }
    return SchemeAddress.path(of: url)
  }

  /// What a document's base element says, so that relative addresses lead where the app means.
  private func pageBase(_ url: URL) -> String {
    schemePath(url).map { "/s/" + session.id + $0 } ?? url.absoluteString
  }

  private func serve(_ bytes: [UInt8], type: String, baseURL: URL?) -> WKNavigation? {
    let url = baseURL ?? Self.blankURL
    let path = served.add(url)
    session.connection.submit(
      .serve(session: session.id, path: path, ServedContent(bytes: bytes, contentType: type)))
    return begin(.served(path: path, url: url), request: URLRequest(url: url))
  }

  private func go(_ delta: Int) -> WKNavigation? {
    guard !session.isEnded else { return nil }
    let navigation = WKNavigation()
    self.navigation.announce(navigation)
    session.notify("go", ["delta": .number(Double(delta))])
    return navigation
  }

  /// Notes the load at once and asks for its policy later, so that no delegate is called inside the app's own call.
  private func begin(_ target: LoadTarget, request: URLRequest) -> WKNavigation? {
    guard !session.isEnded else { return nil }
    let navigation = WKNavigation()
    navigation.requested = request.url
    let steps = self.navigation.load(navigation)
    if request.timeoutInterval > 0 { loadTimeout = request.timeoutInterval }
    self.target = target
    if case .served(_, let url) = target { self.url = url }
    if case .page(let url) = target { self.url = url }
    isLoading = true
    estimatedProgress = 0.1
    hasRecovered = false
    host.later { [weak self] in
      guard let self else { return }
      perform(steps)
      decide(navigation, target, request)
    }
    return navigation
  }

  private func decide(_ navigation: WKNavigation, _ target: LoadTarget, _ request: URLRequest) {
    let type: WKNavigationType =
      switch target {
      case .page, .served: .other
      case .reload: .reload
      }
    let frame = WKFrameInfo(
      FrameDescription(isMain: true, url: url?.absoluteString, origin: nil), webView: self)
    let action = WKNavigationAction(request: request, type: type, frame: frame)
    ask(action) { [weak self] policy in
      guard let self else { return }
      defer { decided(navigation) }
      if policy == .allow { return proceed(navigation, target, request) }
      guard self.navigation.deny(navigation) else { return }
      self.target = nil
      url = committedURL
      isLoading = false
    }
  }

  /// A load is allowed or denied: whoever waits for that goes on.
  private func decided(_ navigation: WKNavigation) {
    guard let waiting = whenDecided, waiting.navigation === navigation else { return }
    whenDecided = nil
    waiting.then()
  }

  /// Asks the delegate about a navigation; without one that answers it is allowed.
  func ask(
    _ action: WKNavigationAction, _ answer: @escaping @MainActor @Sendable (WKNavigationActionPolicy) -> Void
  ) {
    guard let delegate = navigationDelegate, PolicyQuestion.isAnswered(by: delegate, .action) else {
      return answer(.allow)
    }
    let once = PolicyAnswer<WKNavigationActionPolicy>(mistaken: session.mistaken) { policy in
      MainActor.assumeIsolated { answer(policy) }
    }
    let handler: @MainActor (WKNavigationActionPolicy, WKWebpagePreferences) -> Void = {
      [weak self] policy, _ in
      once.give(policy)
      // The last default of the chain may just have found out that nobody answers.
      if !PolicyQuestion.isAnswered(by: delegate, .action) { self?.session.configurationChanged() }
    }
    delegate.webView(
      self, decidePolicyFor: action, preferences: configuration.defaultWebpagePreferences,
      decisionHandler: handler)
  }

  private func proceed(_ navigation: WKNavigation, _ target: LoadTarget, _ request: URLRequest) {
    let wish = GrowingNumber.next()
    guard let steps = self.navigation.allow(navigation, wish: wish) else { return }
    perform(steps)
    // A delegate may have wanted something else meanwhile.
    guard self.navigation.current === navigation else { return }
    if case .page(let url) = target, !Self.isLoadable(url) {
      return fail(.navigation(NSURLErrorUnsupportedURL, "unsupported URL", url))
    }
    self.wish = wish
    send(target)
  }

  /// Whether a browser's tab can be led there by a page.
  private static func isLoadable(_ url: URL) -> Bool {
    ["http", "https", "about", "blob"].contains(url.scheme?.lowercased() ?? "http")
  }

  /// The page went on by itself before it heard of the app's wish: the document that came is told of it.
  func sendAgain(to document: String) {
    guard let target else { return }
    // What waited has gone to this document.
    guard let told = wishDocument else {
      wishDocument = document
      return
    }
    if told != document { send(target, isAgain: true) }
  }

  /// Leads the page to a target, by the page itself if there is one, else by its screen.
  private func send(_ target: LoadTarget, isAgain: Bool = false) {
    wishDocument = session.isAttached ? session.document : nil
    if case .reload(let fromOrigin) = target {
      guard session.isAttached || !isShownOnScreen else {
        navigation.take()
        return show(address: currentAddress)
      }
      var params: [WireValue.Member] = [.init("navigation", .number(Double(wish)))]
      if fromOrigin { params.append(.init("fromOrigin", true)) }
      return session.notify("reload", .object(params))
    }
    guard let address = address(of: target) else { return }
    if session.isAttached || isAdopted || (session.document != nil && !isShownOnScreen) {
      let isForeign = RelayAddress.isForeign(address, to: pageAddress)
      var params: [WireValue.Member] = [
        .init("url", .string(isForeign ? session.ticketed(address) : address)),
        .init("navigation", .number(Double(wish))),
      ]
      // What is tried first may be overtaken by the page once more.
      if isAgain { params.append(.init("again", true)) }
      // An empty page, or one that only holds the place, is nothing to go back to.
      if committedURL == Self.blankURL || (isAdopted && isPlaceholder) {
        params.append(.init("replace", true))
        replacing = navigation.current
      }
      session.notify("load", .object(params))
    } else {
      // Whoever opens the view is led there.
      navigation.take()
      if isShownOnScreen { show(address: address) }
    }
  }

  private var isPlaceholder: Bool { session.scene?.isPlaceholder ?? false }

  /// The address of a target in the browser; nil for a reload.
  private func address(of target: LoadTarget) -> String? {
    switch target {
    case .page(let url): url.absoluteString
    case .served(let path, _): contentOrigin + "/s/" + session.id + path
    case .reload: nil
    }
  }

  /// Where the page is, or shall be.
  private var currentAddress: String {
    target.flatMap(address) ?? pageAddress ?? contentOrigin + "/s/" + session.id + "/"
  }

  var contentOrigin: String {
    session.scene?.contentOrigin ?? openerOrigin ?? host.relay.absoluteString
  }

  /// What the app sees of an address in the browser.
  func visibleURL(_ address: String) -> URL? {
    let own = "/s/" + session.id
    guard let url = URL(string: address) else { return nil }
    guard url.path.hasPrefix(own), let range = address.range(of: own) else { return url }
    return served.url(of: String(address[range.upperBound...])) ?? url
  }

  /// The address that the app knows of a resource of its schemes, as a page names it; nil for another resource.
  func schemeURL(_ address: String) -> URL? {
    guard !configuration.schemes.isEmpty, let range = address.range(of: "/s/" + session.id) else {
      return nil
    }
    return SchemeAddress.url(of: address[range.upperBound...])
  }

  // MARK: On a screen

  /// Whether a viewer shows the view, as against a tab that is its page.
  var isShownOnScreen: Bool { session.scene?.clientKind == .screen }

  /// Shows an empty page, unless a load is under way that will show its own.
  func showIfNeeded() {
    guard isShownOnScreen, !isShown, !navigation.isLoading else { return }
    show(address: currentAddress)
  }

  /// The viewer knows nothing any more.
  func showAgain() {
    guard isShown else { return }
    show(address: currentAddress)
  }

  private func show(address: String) {
    isShown = true
    session.connection.submit(.expectDocument(session: session.id))
    screen?.send([
      "type": "content", "id": .string(session.id), "url": .string(session.ticketed(address)),
    ])
    sendFrame()
  }

  func frameChanged() {
    let frame = effectiveFrame
    host.events.record(
      "frame",
      [
        "x": .number(Double(frame.origin.x)), "y": .number(Double(frame.origin.y)),
        "width": .number(Double(frame.size.width)), "height": .number(Double(frame.size.height)),
      ], session: session.id)
    sendFrame()
  }

  /// The screen has another size: a view that fills it does so again.
  func screenChanged() {
    if frame.size == .zero { sendFrame() }
  }

  private var effectiveFrame: CGRect { frame.size == .zero ? screen?.bounds ?? frame : frame }

  /// Tells the screen where the view is, and what is behind its page.
  func sendFrame() {
    guard isShownOnScreen, isShown else { return }
    let frame = effectiveFrame
    let background = backgroundColor?.css ?? (isOpaque ? "white" : "transparent")
    screen?.send([
      "type": "frame", "id": .string(session.id), "x": .number(Double(frame.origin.x)),
      "y": .number(Double(frame.origin.y)), "width": .number(Double(frame.size.width)),
      "height": .number(Double(frame.size.height)), "background": .string(background),
    ])
  }
}
