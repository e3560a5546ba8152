import PageBridgeTesting
import PageBridgeWebKit
import Testing

@MainActor
@Suite struct FramePolicyTests {
  @Test func aFramesNavigationIsAskedAboutAndChangesNothingOfTheView() async throws {
    let delegate = FrameDelegate()
    let fixture = Fixture()
    fixture.navigationDelegate = delegate
    await fixture.start()
    let page = await fixture.open()
    let frame: WireValue = [
      "main": false, "url": "http://127.0.0.1:8080/inner", "origin": "http://127.0.0.1:8080",
      "id": "fRaMe001",
    ]
    for (id, path) in [("p1", "/yes"), ("p2", "/no")] {
      page.send(
        "navigation",
        [
          "phase": "asked", "url": .string("http://127.0.0.1:8080\(path)"), "type": "link", "frame": frame,
        ], id: id)
    }
    await fixture.relay.settle()
    #expect(page.answers["p1"]?.string == "allow")
    #expect(page.answers["p2"]?.string == "cancel")
    #expect(delegate.actions.map(\.request.url?.path) == ["/yes", "/no"])
    let action = try #require(delegate.actions.first)
    #expect(action.navigationType == .linkActivated)
    #expect(!action.sourceFrame.isMainFrame)
    let target = try #require(action.targetFrame)
    #expect(!target.isMainFrame)
    #expect(target.request.url?.path == "/inner")
    #expect(target.securityOrigin.port == 8_080)
    #expect(target.webView === fixture.view)
    #expect(delegate.starts == 0)
    #expect(fixture.view.url?.absoluteString == page.url)
  }
}

/// Lets frames go where the path is not `/no`.
@MainActor
private final class FrameDelegate: NSObject, WKNavigationDelegate {
  var actions: [WKNavigationAction] = []
  var starts = 0

  func webView(
    _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
    decisionHandler: @escaping @MainActor (WKNavigationActionPolicy) -> Void
  ) {
    actions.append(navigationAction)
    decisionHandler(navigationAction.request.url?.path == "/no" ? .cancel : .allow)
  }

  func webView(_ webView: WKWebView, didStartProvisionalNavigation navigation: WKNavigation!) {
    if webView.url?.path.hasPrefix("/yes") == true { starts += 1 }
  }
}
