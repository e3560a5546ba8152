import BrowserHost
import Foundation

/// The options of `pagebridge demo` that shape the browser.
struct BrowserOptions: Equatable, Sendable {
  var app: String
  /// The folder `www`; nil for the one among the relay's pages.
  var websiteFolder: URL?
  /// Nil for the relay's own page.
  var publicURL: URL?
  var firstWebsite: Website
  var restrictedHosts: [String]
  var allowsJavaScript: Bool
  var loadTimeout: Duration

  static let standardApp = "browser"

  static let appOption = CommandLineOption(
    "browser-app", "NAME", help: "the name under which pages find the browser's host (default: browser)")
  static let websiteFolderOption = CommandLineOption(
    "browser-www", "DIR",
    help:
      "the folder that holds the local page, LocalWebsite.html (default: pages/browser/www in the folder of pages)"
  )
  static let publicURLOption = CommandLineOption(
    "browser-public-url", "URL", help: "the public page (default: the relay's /pages/browser/home.html)")
  static let startOption = CommandLineOption(
    "browser-start", "local|public", help: "what the browser shows first (default: local)")
  static let restrictedHostOption = CommandLineOption(
    "browser-restricted-host", "HOST",
    help: "a host that is not opened, with its sub-domains; may be repeated (default: restricted.com)")
  static let javaScriptOption = CommandLineOption(
    "browser-javascript", "true|false",
    help: "whether pages may run scripts; a page in a browser is only told so (default: true)")

  static let loadTimeoutOption = CommandLineOption(
    "browser-load-timeout", "SECONDS",
    help: "how long a page may stand still while it loads, to within three seconds (default: 60)")

  static let all = [
    appOption, websiteFolderOption, publicURLOption, startOption, restrictedHostOption, javaScriptOption,
    loadTimeoutOption,
  ]

  init(_ parsed: ParsedOptions) throws(UsageError) {
    app = try AppName.checked(
      parsed.text(Self.appOption) ?? Self.standardApp, option: Self.appOption.name)
    websiteFolder = try parsed.file(Self.websiteFolderOption)
    if let text = parsed.text(Self.publicURLOption) {
      guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()),
        url.host()?.isEmpty == false
      else {
        throw UsageError(
          "--browser-public-url needs an address such as https://www.example.com/, not '\(text)'")
      }
      publicURL = url
    }
    switch parsed.text(Self.startOption) {
    case nil, "local": firstWebsite = .local
    case "public": firstWebsite = .public
    case let text?: throw UsageError("--browser-start needs local or public, not '\(text)'")
    }
    let hosts = parsed.texts(Self.restrictedHostOption)
    restrictedHosts = hosts.isEmpty ? ["restricted.com"] : hosts
    allowsJavaScript = try parsed.boolean(Self.javaScriptOption, default: true)
    loadTimeout = try parsed.duration(Self.loadTimeoutOption, in: 0.1...3_600, default: .seconds(60))
  }

  /// The app's settings, with the folder of the local page as far as there is one.
  ///
  /// Throws ``CommandError`` if a folder that was named holds no local page.
  func settings(web: URL?) throws(CommandError) -> BrowserSettings {
    let folder = websiteFolder ?? web?.appending(path: "pages/browser/www")
    let page = folder?.appending(path: "LocalWebsite.html")
    let isThere = page.map { FileManager.default.fileExists(atPath: $0.path(percentEncoded: false)) } ?? false
    if let websiteFolder, !isThere {
      throw CommandError("--browser-www: '\(websiteFolder.path())' holds no LocalWebsite.html")
    }
    return BrowserSettings(
      websiteFolder: isThere ? folder : nil, publicURL: publicURL, firstWebsite: firstWebsite,
      restrictedHosts: restrictedHosts, allowsContentJavaScript: allowsJavaScript,
      loadTimeout: loadTimeout / .seconds(1))
  }
}
