import PageBridgeWebKit

/// Gives web views the bridge.
@MainActor
public enum BridgeWebViewConfigurator {
  private struct Owner {
    weak var webView: WKWebView?
    weak var host: BridgeHost?
  }

  /// Which host each view that is alive was given to.
  private static var owners: [Owner] = []

  /// Makes a web view with the bridge, for the visitor whose closure is running; inline media play without a tap.
  public static func makeWebView(host: BridgeHost) -> WKWebView {
    let configuration = WKWebViewConfiguration()
    configuration.allowsInlineMediaPlayback = true
    configuration.mediaTypesRequiringUserActionForPlayback = []
    let webView = WKWebView(frame: .zero, configuration: configuration)
    configure(webView, host: host)
    return webView
  }

  /// Gives a web view the bridge and leaves everything else of it as it is; load its page after this.
  ///
  /// A view that the host had before loses the bridge: it belongs to one view. So does a host that the view had before.
  public static func configure(_ webView: WKWebView, host: BridgeHost) {
    if let old = host.webView, old !== webView { detach(old) }
    for owner in owners where owner.webView === webView && owner.host !== host { owner.host?.webView = nil }
    owners.removeAll { $0.webView == nil || $0.host == nil || $0.webView === webView || $0.host === host }
    owners.append(Owner(webView: webView, host: host))
    let controller = webView.configuration.userContentController
    controller.removeScriptMessageHandler(forName: BridgeHost.handlerName)
    controller.add(WeakMessageHandler(host), name: BridgeHost.handlerName)
    if !controller.userScripts.contains(where: { $0.source == BridgeBootstrap.source }) {
      controller.addUserScript(
        WKUserScript(
          source: BridgeBootstrap.source, injectionTime: .atDocumentStart, forMainFrameOnly: true))
    }
    host.webView = webView
  }

  private static func detach(_ webView: WKWebView) {
    webView.configuration.userContentController.removeScriptMessageHandler(
      forName: BridgeHost.handlerName)
  }
}

/// A handler that does not retain the host: the content controller retains its handlers.
private final class WeakMessageHandler: NSObject, WKScriptMessageHandler {
  private weak var host: BridgeHost?

  init(_ host: BridgeHost) {
    self.host = host
  }

  func userContentController(
    _ userContentController: WKUserContentController, didReceive message: WKScriptMessage
  ) {
    host?.receive(message)
  }
}
