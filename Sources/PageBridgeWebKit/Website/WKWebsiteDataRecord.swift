/// Cookies.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let WKWebsiteDataTypeCookies = "WKWebsiteDataTypeCookies"
/// `localStorage`.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let WKWebsiteDataTypeLocalStorage = "WKWebsiteDataTypeLocalStorage"
/// `sessionStorage`; what the bridge itself keeps there is neither reported nor removed.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let WKWebsiteDataTypeSessionStorage = "WKWebsiteDataTypeSessionStorage"
/// IndexedDB databases.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let WKWebsiteDataTypeIndexedDBDatabases = "WKWebsiteDataTypeIndexedDBDatabases"
/// Caches of the Cache API, which pages and service workers fill.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let WKWebsiteDataTypeFetchCache = "WKWebsiteDataTypeFetchCache"
/// Service workers.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let WKWebsiteDataTypeServiceWorkerRegistrations = "WKWebsiteDataTypeServiceWorkerRegistrations"
/// Files of the origin's private file system.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let WKWebsiteDataTypeFileSystem = "WKWebsiteDataTypeFileSystem"
/// The browser's cache on disk; no page can see or clear it.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let WKWebsiteDataTypeDiskCache = "WKWebsiteDataTypeDiskCache"
/// The browser's cache in memory; no page can see or clear it.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let WKWebsiteDataTypeMemoryCache = "WKWebsiteDataTypeMemoryCache"
/// Application caches, which browsers no longer have.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let WKWebsiteDataTypeOfflineWebApplicationCache = "WKWebsiteDataTypeOfflineWebApplicationCache"
/// WebSQL databases, which browsers no longer have.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let WKWebsiteDataTypeWebSQLDatabases = "WKWebsiteDataTypeWebSQLDatabases"
/// Recent searches of search fields; no page can see or clear them.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let WKWebsiteDataTypeSearchFieldRecentSearches = "WKWebsiteDataTypeSearchFieldRecentSearches"
/// Keys of encrypted media; no page can see or clear them.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let WKWebsiteDataTypeMediaKeys = "WKWebsiteDataTypeMediaKeys"
/// The salts of device ids; no page can see or clear them.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let WKWebsiteDataTypeHashSalt = "WKWebsiteDataTypeHashSalt"
/// What screen-time reports keep, which is not known to browsers here.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let WKWebsiteDataTypeScreenTime = "WKWebsiteDataTypeScreenTime"

/// The data that pages of one host have in the browser. See Apple's page "WKWebsiteDataRecord".
@MainActor
public final class WKWebsiteDataRecord: NSObject {
  /// The host's name.
  public let displayName: String
  /// The kinds of data that are there, such as ``WKWebsiteDataTypeCookies``.
  public let dataTypes: Set<String>

  init(displayName: String, dataTypes: Set<String>) {
    self.displayName = displayName
    self.dataTypes = dataTypes
  }
}
