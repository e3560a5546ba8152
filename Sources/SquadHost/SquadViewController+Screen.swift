import PageBridgeWebKit

extension SquadViewController: WebViewScreenDelegate {
  func screenDidAppear(_ screen: WebViewScreen) {
    observe()
  }

  func screenDidDisappear(_ screen: WebViewScreen) {
    stopObserving()
  }

  func screenDidReceiveMemoryWarning(_ screen: WebViewScreen) {
    cache.removeAll()
    URLCache.shared.removeAllCachedResponses()
    let store = webView.configuration.websiteDataStore
    Task { [weak self] in
      await store.removeData(
        ofTypes: [WKWebsiteDataTypeMemoryCache, WKWebsiteDataTypeFetchCache], modifiedSince: .distantPast)
      guard let self else { return }
      record(.cache, ["action": "cleared", "url": nil])
      model.note(.app, "memory warning: caches cleared")
    }
  }

  /// Reads the names of the page's cookies, by which the product keeps its sign-in.
  private func readCookies() {
    let cookies = webView.configuration.websiteDataStore.httpCookieStore
    Task { [weak self] in
      let names = await cookies.allCookies().map(\.name).sorted()
      self?.model.read(cookies: names)
    }
  }

  /// Removes all that pages keep in the browser. Only the user's wish leads here.
  private func clearData() {
    let store = webView.configuration.websiteDataStore
    Task { [weak self] in
      await store.removeData(ofTypes: WKWebsiteDataStore.allWebsiteDataTypes(), modifiedSince: .distantPast)
      self?.model.clearedData()
    }
  }

  func screen(_ screen: WebViewScreen, didReceive action: NativeViewAction) {
    switch (action.view, action.kind) {
    case (SquadViews.tryAgain, .press): tryAgain()
    case (SquadViews.ring, .press): ring()
    case (SquadViews.react, .press): react()
    case (SquadViews.hangUp, .press): hangUp()
    case (SquadViews.dismiss, .press): model.set(productError: nil)
    case (SquadViews.logToggle, .press): model.panel = model.panel == .log ? nil : .log
    case (SquadViews.toolsToggle, .press): model.panel = model.panel == .tools ? nil : .tools
    case (SquadViews.message, .change): model.messageText = action.text ?? ""
    case (SquadViews.message, .submit): bridge.send(text: action.text ?? "")
    case (SquadViews.send, .press): bridge.send(text: model.messageText)
    case (SquadViews.broken, .press): bridge.send(["type": "state", "data": ["score": Double.nan]])
    case (SquadViews.foreign, .press): fail(SquadFailure(ForeignError()))
    case (SquadViews.readCookies, .press): readCookies()
    case (SquadViews.clearData, .press): clearData()
    case (SquadViews.measure, .press): model.measured(memory: SquadMemory.resident())
    default: break
    }
  }
}

/// An error of neither loading nor the web view, to see what the app makes of it.
private struct ForeignError: Error {}
