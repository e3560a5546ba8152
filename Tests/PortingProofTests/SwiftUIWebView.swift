// The second system as its SwiftUI app has it: a representable view with a coordinator that is message handler and
// navigation delegate, and a view model whose subjects connect the two sides.
//
// Changed for the port, and nothing else:
//   import WebKit, import SwiftUI, import Combine    -> import PageBridgeWebKit
//   UIViewRepresentable                              -> the same methods on a plain struct
//   PassthroughSubject                               -> Subject, which is an AsyncStream for each subscriber
//   .sink { } kept as AnyCancellable                 -> for await in a Task, cancelled where the cancellable was
//   Bundle.main.url(forResource:)                    -> a folder that the program is given

import PageBridgeWebKit

/// What Combine's subject of that kind was used for: values for those who listen now.
@MainActor
final class Subject<Value: Sendable> {
  private var continuations: [AsyncStream<Value>.Continuation] = []

  var values: AsyncStream<Value> {
    let (stream, continuation) = AsyncStream.makeStream(of: Value.self)
    continuations.append(continuation)
    return stream
  }

  func send(_ value: Value) {
    continuations.removeAll {
      if case .terminated = $0.yield(value) { true } else { false }
    }
  }
}

@MainActor
final class WebViewModel {
  enum Navigation: Sendable {
    case backward, forward, reload
  }

  let webViewNavigationPublisher = Subject<Navigation>()
  let showWebTitle = Subject<String>()
  let showLoader = Subject<Bool>()
  let valuePublisher = Subject<String>()
}

enum WebURL: Equatable {
  case localURL(folder: URL)
  case publicURL(URL)
}

@MainActor
protocol WebViewHandlerDelegate: AnyObject {
  func receivedJSONValueFromWebView(value: [String: Any?])
  func receivedStringValueFromWebView(value: String)
}

@MainActor
struct WebView {
  var url: WebURL
  var viewModel: WebViewModel
  weak var delegate: (any WebViewHandlerDelegate)?

  func makeCoordinator() -> Coordinator {
    Coordinator(self)
  }

  func makeUIView(coordinator: Coordinator) -> WKWebView {
    let preferences = WKPreferences()
    preferences.javaScriptCanOpenWindowsAutomatically = false
    let configuration = WKWebViewConfiguration()
    configuration.preferences = preferences
    configuration.defaultWebpagePreferences.allowsContentJavaScript = true
    configuration.userContentController.add(coordinator, name: "iOSNative")

    let webView = WKWebView(frame: CGRect.zero, configuration: configuration)
    webView.navigationDelegate = coordinator
    webView.allowsBackForwardNavigationGestures = true
    webView.scrollView.isScrollEnabled = true
    return webView
  }

  func updateUIView(_ webView: WKWebView, coordinator: Coordinator) {
    guard coordinator.shown != url else { return }
    coordinator.shown = url
    switch url {
    case .localURL(let folder):
      let file = folder.appendingPathComponent("LocalWebsite.html")
      webView.loadFileURL(file, allowingReadAccessTo: folder)
    case .publicURL(let url):
      webView.load(URLRequest(url: url))
    }
  }

  static func dismantleUIView(_ webView: WKWebView, coordinator: Coordinator) {
    webView.configuration.userContentController.removeScriptMessageHandler(forName: "iOSNative")
    coordinator.cancel()
  }

  final class Coordinator: NSObject, WKNavigationDelegate {
    var parent: WebView
    weak var delegate: (any WebViewHandlerDelegate)?
    fileprivate(set) var shown: WebURL?
    private(set) var errors: [String] = []
    private var valueSubscriber: Task<Void, Never>?
    private var navigationSubscriber: Task<Void, Never>?

    init(_ webView: WebView) {
      parent = webView
      delegate = webView.delegate
    }

    isolated deinit {
      cancel()
    }

    func cancel() {
      valueSubscriber?.cancel()
      navigationSubscriber?.cancel()
    }

    private func listen(_ webView: WKWebView) {
      navigationSubscriber?.cancel()
      let commands = parent.viewModel.webViewNavigationPublisher.values
      navigationSubscriber = Task { [weak webView] in
        for await command in commands {
          switch command {
          case .backward: if webView?.canGoBack == true { webView?.goBack() }
          case .forward: if webView?.canGoForward == true { webView?.goForward() }
          case .reload: webView?.reload()
          }
        }
      }
    }

    private func sendValues(to webView: WKWebView) {
      valueSubscriber?.cancel()
      let values = parent.viewModel.valuePublisher.values
      valueSubscriber = Task { [weak self, weak webView] in
        for await value in values {
          guard let json = try? JSONEncoder().encode(value) else { continue }
          let script = "valueGotFromIOS(\(String(decoding: json, as: UTF8.self)))"
          webView?.evaluateJavaScript(script) { _, error in
            if let error { self?.errors.append("valueGotFromIOS: \(error.localizedDescription)") }
          }
        }
      }
    }

    func webView(_ webView: WKWebView, didStartProvisionalNavigation navigation: WKNavigation!) {
      parent.viewModel.showLoader.send(true)
      listen(webView)
    }

    func webView(_ webView: WKWebView, didCommit navigation: WKNavigation!) {
      parent.viewModel.showLoader.send(true)
    }

    func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) {
      webView.evaluateJavaScript("document.title") { [weak self] response, error in
        if let error {
          self?.errors.append("title: \(error.localizedDescription)")
          return
        }
        guard let title = response as? String else { return }
        self?.parent.viewModel.showWebTitle.send(title)
      }
      sendValues(to: webView)
      parent.viewModel.showLoader.send(false)
    }

    func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: Error) {
      parent.viewModel.showLoader.send(false)
    }

    func webView(
      _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: Error
    ) {
      parent.viewModel.showLoader.send(false)
    }

    func webViewWebContentProcessDidTerminate(_ webView: WKWebView) {
      parent.viewModel.showLoader.send(false)
    }

    func webView(
      _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
      decisionHandler: @escaping (WKNavigationActionPolicy) -> Void
    ) {
      if let host = navigationAction.request.url?.host {
        if host == "restricted.com" {
          decisionHandler(.cancel)
          return
        }
      }
      decisionHandler(.allow)
    }
  }
}

extension WebView.Coordinator: WKScriptMessageHandler {
  func userContentController(
    _ userContentController: WKUserContentController, didReceive message: WKScriptMessage
  ) {
    guard message.name == "iOSNative" else { return }
    if let body = message.body as? [String: Any?] {
      delegate?.receivedJSONValueFromWebView(value: body)
    } else if let body = message.body as? String {
      delegate?.receivedStringValueFromWebView(value: body)
    }
  }
}
