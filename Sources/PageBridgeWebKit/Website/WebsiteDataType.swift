import BridgeProtocol

/// The kinds of data that a page can see and remove, by the wire's names.
enum WebsiteDataType: String, CaseIterable, Sendable {
  case cookies, localStorage, sessionStorage, indexedDB, fetchCache, serviceWorkers, fileSystem

  /// WebKit's name for the kind.
  var publicName: String {
    switch self {
    case .cookies: WKWebsiteDataTypeCookies
    case .localStorage: WKWebsiteDataTypeLocalStorage
    case .sessionStorage: WKWebsiteDataTypeSessionStorage
    case .indexedDB: WKWebsiteDataTypeIndexedDBDatabases
    case .fetchCache: WKWebsiteDataTypeFetchCache
    case .serviceWorkers: WKWebsiteDataTypeServiceWorkerRegistrations
    case .fileSystem: WKWebsiteDataTypeFileSystem
    }
  }

  /// The kinds among WebKit's names that a page can reach.
  static func reachable(_ names: Set<String>) -> Set<WebsiteDataType> {
    Set(allCases.filter { names.contains($0.publicName) })
  }

  /// The names as the wire has them, in a fixed order.
  static func value(_ types: Set<WebsiteDataType>) -> WireValue {
    .array(allCases.filter(types.contains).map { .string($0.rawValue) })
  }
}
