/// Who hears that cookies have changed. See Apple's page "WKHTTPCookieStoreObserver".
@MainActor
public protocol WKHTTPCookieStoreObserver: AnyObject {
  /// Cookies were set or removed, by the app or by a page; see ``WKHTTPCookieStore/add(_:)``.
  func cookiesDidChange(in cookieStore: WKHTTPCookieStore)
}

extension WKHTTPCookieStoreObserver {
  /// Does nothing: the method is optional, as on Apple's systems.
  public func cookiesDidChange(in cookieStore: WKHTTPCookieStore) {}
}
