/// Who loads resources of a scheme that browsers do not know. See Apple's page "WKURLSchemeHandler".
///
/// Such a resource is served to the page as content of this host, so the page's own address is the relay's; the app sees
/// `scheme://host/path`. "What differs from WebKit" says where a page shows it.
@MainActor
public protocol WKURLSchemeHandler: AnyObject {
  /// The page, or the app, wants a resource: the task is answered now or later.
  func webView(_ webView: WKWebView, start urlSchemeTask: any WKURLSchemeTask)
  /// Nobody wants the resource any more; the task must not be answered from here on.
  func webView(_ webView: WKWebView, stop urlSchemeTask: any WKURLSchemeTask)
}

/// A resource that a page wants, to be answered by a handler. See Apple's page "WKURLSchemeTask".
///
/// The order is one response, any number of pieces of data, and an end. A handler that breaks it, or answers a task after its
/// end or after it was told to stop, stops the process with a text that says so, as WebKit does.
@MainActor
public protocol WKURLSchemeTask: AnyObject {
  /// What is wanted: the address as the app knows it, method, headers as far as the relay knows their names, and the body.
  var request: URLRequest { get }
  /// Gives the response: status and headers of an `HTTPURLResponse`, else status 200 and the type.
  func didReceive(_ response: URLResponse)
  /// Gives the next piece of the resource.
  func didReceive(_ data: Data)
  /// Ends the resource.
  func didFinish()
  /// Ends the resource without success: a script's request fails, and a page's load with this error.
  func didFailWithError(_ error: any Error)
}
