import Observation
import PageBridgeWebKit

/// The app for one visitor: its controls, its web view, and what passes between them.
@MainActor
final class BrowserViewController {
  let model: BrowserViewModel
  /// The web view; nil after the user closed it.
  private(set) var browser: BrowserWebView?
  private let scene: WebViewScene
  private let settings: BrowserSettings
  private let locations: WebsiteLocations
  private var subscriptions: [Task<Void, Never>] = []
  private var position: BrowserPosition?

  init(scene: WebViewScene, settings: BrowserSettings) {
    self.scene = scene
    self.settings = settings
    locations = WebsiteLocations(
      folder: settings.websiteFolder,
      publicURL: settings.publicURL ?? URL(string: scene.contentOrigin + "/pages/browser/home.html")
        ?? scene.host.relay)
    model = BrowserViewModel(record: BrowserRecorder(events: scene.host.events, session: ""))
    scene.screen.delegate = self
    scene.screen.backgroundColor = WebColor(css: "light-dark(#f2f2f7, #1c1c1e)")
    scene.screen.statusBar = WebStatusBar(isHidden: false, style: .dark)
    subscribe()
    open()
    keepUpToDate()
  }

  isolated deinit {
    for subscription in subscriptions { subscription.cancel() }
    close()
  }

  private func subscribe() {
    let titles = model.showWebTitle.values()
    subscriptions.append(
      Task { [weak self] in
        for await title in titles { self?.model.show(title) }
      })
    let loader = model.showLoader.values()
    subscriptions.append(
      Task { [weak self] in
        for await isLoading in loader { self?.model.show(loader: isLoading) }
      })
  }

  // MARK: The web view

  /// Whether the host loads its own page over the visitor's; a page with content of its own keeps it.
  private var ownsContent: Bool {
    scene.clientKind == .screen || scene.isPlaceholder || scene.url?.path().hasPrefix("/s/") == true
  }

  /// Whether the page runs already, since an earlier process of this host served it.
  private var isRunningAlready: Bool { scene.isResumed && scene.clientKind == .page }

  private func open() {
    let browser = scene.perform {
      BrowserWebView(viewModel: model, settings: settings, events: scene.host.events)
    }
    self.browser = browser
    browser.coordinator.delegate = self
    browser.coordinator.start(with: browser.webView, isPageLoaded: isRunningAlready)
    follow()
    model.asks(for: settings.firstWebsite)
  }

  private func close() {
    position = nil
    browser?.dismantle()
    browser = nil
    model.closed()
  }

  /// Takes over what the web view says of itself, now and after each change.
  private func follow() {
    guard let webView = browser?.webView else { return }
    let position = withObservationTracking {
      BrowserPosition(
        url: webView.url, canGoBack: webView.canGoBack, canGoForward: webView.canGoForward,
        progress: webView.estimatedProgress)
    } onChange: { [weak self, weak webView] in
      // The change has not happened yet, and others may come with it.
      Task { @MainActor in
        if let self, let webView, self.browser?.webView === webView { self.follow() }
      }
    }
    guard position != self.position else { return }
    self.position = position
    model.moved(to: position, text: locations.text(of: position.url))
  }

  /// Shows a website. One that the page is at already is left alone, unless the user asks for it by its address.
  private func show(_ website: Website, again: Bool = false) {
    if again || browser?.webView.url != locations.url(of: website) { browser?.forgetTold() }
    model.asks(for: website)
  }

  // MARK: State and views

  /// Brings web view, bars and views to what the model says, now and after each change of it or of the screen.
  private func keepUpToDate() {
    withObservationTracking {
      update()
    } onChange: { [weak self] in
      // The change has not happened yet, and others may come with it.
      Task { @MainActor in self?.keepUpToDate() }
    }
  }

  private func update() {
    if ownsContent, !isRunningAlready, let browser,
      let error = browser.update(model.website, locations: locations)
    {
      model.failed(error)
    }
    let screen = scene.screen
    screen.navigationBar = WebNavigationBar(
      isHidden: false, title: model.title.map { $0.text.isEmpty ? "Untitled" : $0.text } ?? "Browser")
    let layout = BrowserLayout(screen: screen)
    browser?.webView.frame = layout.content
    screen.nativeViews = BrowserViews.views(model, layout)
  }
}

extension BrowserViewController: WebViewHandlerDelegate {
  func receivedJSONValueFromWebView(_ value: WireValue) {
    model.received(json: value)
  }

  func receivedStringValueFromWebView(_ value: String) {
    model.received(string: value)
  }

  func ignoredValueFromWebView() {
    model.ignored()
  }
}

extension BrowserViewController: WebViewScreenDelegate {
  func screen(_ screen: WebViewScreen, didReceive action: NativeViewAction) {
    switch (action.view, action.kind) {
    case (BrowserViews.back, .press): model.webViewNavigation.send(.backward)
    case (BrowserViews.forward, .press): model.webViewNavigation.send(.forward)
    case (BrowserViews.reload, .press): model.webViewNavigation.send(.reload)
    case (BrowserViews.local, .press): show(.local)
    case (BrowserViews.public, .press): show(.public)
    case (BrowserViews.address, .change): model.addressText = action.text ?? ""
    case (BrowserViews.address, .submit): openAddress(action.text ?? "")
    case (BrowserViews.go, .press): openAddress(model.addressText)
    case (BrowserViews.value, .change): model.valueText = action.text ?? ""
    case (BrowserViews.value, .submit): model.values.send(action.text ?? "")
    case (BrowserViews.send, .press): model.values.send(model.valueText)
    case (BrowserViews.openOrClose, .press): openOrClose()
    case (BrowserViews.controls, .press): model.showsControls.toggle()
    default: break
    }
  }

  private func openAddress(_ text: String) {
    model.addressText = text
    guard let website = locations.website(typed: text) else {
      return model.failed(BrowserError(.openingAddress, "'\(text)' is no address"))
    }
    show(website, again: true)
  }

  private func openOrClose() {
    if browser == nil { open() } else { close() }
  }
}
