extension NSError {
  /// The domain of errors that WebKit has for loads beside those of URL loading.
  static let webKitErrorDomain = "WebKitErrorDomain"

  /// An error of a navigation, with the address that was asked for.
  static func navigation(
    _ code: Int, domain: String = NSURLErrorDomain, _ description: String, _ url: URL?
  ) -> NSError {
    var info: [String: Any] = [NSLocalizedDescriptionKey: description]
    if let url { info[NSURLErrorFailingURLErrorKey] = url }
    return NSError(domain: domain, code: code, userInfo: info)
  }

  /// Stopped, or another navigation took its place.
  static func cancelledNavigation(_ url: URL?) -> NSError {
    navigation(NSURLErrorCancelled, "cancelled", url)
  }

  /// The delegate did not want what came.
  static func interruptedNavigation(_ url: URL?) -> NSError {
    navigation(102, domain: webKitErrorDomain, "Frame load interrupted", url)
  }
}
