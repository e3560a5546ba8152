import Foundation
import SquadHost

/// The options of `pagebridge demo` that shape the Squad app.
struct SquadOptions: Equatable, Sendable {
  var app: String
  /// The folder with the product's page; nil for the one among the relay's pages.
  var websiteFolder: URL?
  /// The product's page elsewhere, instead of the folder's.
  var url: URL?
  var isProduction: Bool
  var validatesMessages: Bool
  var usesPolicy: Bool
  var retries: Int
  var retryWait: Duration
  var loadTimeout: Duration
  /// Addresses whose pages are served from the cache begin with one of these.
  var cachedPrefixes: [String]

  static let standardApp = "squad"

  static let appOption = CommandLineOption(
    "squad-app", "NAME", help: "the name under which pages find the Squad host (default: squad)")
  static let websiteFolderOption = CommandLineOption(
    "squad-www", "DIR",
    help:
      "the folder that holds the product's page, index.html (default: pages/squad/www in the folder of pages)"
  )
  static let urlOption = CommandLineOption(
    "squad-url", "URL", help: "the product's page elsewhere, instead of the folder's")
  static let modeOption = CommandLineOption(
    "squad-mode", "production|development",
    help:
      "production loads https, this machine and the app's own pages only; development loads any (default: production)"
  )
  static let validateOption = CommandLineOption(
    "squad-validate", "true|false", help: "check messages of the page before they are handled (default: true)"
  )
  static let policyOption = CommandLineOption(
    "squad-policy", "true|false",
    help:
      "give the page the product's content security policy, which takes eval from it (default: true)")
  static let retriesOption = CommandLineOption(
    "squad-retries", "N", help: "how often a load that took too long is tried again (default: 3)")
  static let retryWaitOption = CommandLineOption(
    "squad-retry-wait", "SECONDS",
    help: "the wait before the first of them, each further one is twice as long (default: 1)")
  static let loadTimeoutOption = CommandLineOption(
    "squad-load-timeout", "SECONDS",
    help: "how long a page may stand still while it loads, to within three seconds (default: 15)")
  static let cacheOption = CommandLineOption(
    "squad-cache", "PREFIX",
    help:
      "keep pages whose address begins so, and serve them without the network from then on; may be repeated (default: none)"
  )

  static let all = [
    appOption, websiteFolderOption, urlOption, modeOption, validateOption, policyOption, retriesOption,
    retryWaitOption, loadTimeoutOption, cacheOption,
  ]

  init(_ parsed: ParsedOptions) throws(UsageError) {
    app = try AppName.checked(
      parsed.text(Self.appOption) ?? Self.standardApp, option: Self.appOption.name)
    websiteFolder = try parsed.file(Self.websiteFolderOption)
    if let text = parsed.text(Self.urlOption) {
      guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()),
        url.host()?.isEmpty == false
      else {
        throw UsageError("--squad-url needs an address such as https://app.example.com/, not '\(text)'")
      }
      self.url = url
    }
    switch parsed.text(Self.modeOption) {
    case nil, "production": isProduction = true
    case "development": isProduction = false
    case let text?: throw UsageError("--squad-mode needs production or development, not '\(text)'")
    }
    validatesMessages = try parsed.boolean(Self.validateOption, default: true)
    usesPolicy = try parsed.boolean(Self.policyOption, default: true)
    retries = try parsed.count(Self.retriesOption, in: 0...16, default: 3)
    retryWait = try parsed.duration(Self.retryWaitOption, in: 0.01...3_600, default: .seconds(1))
    loadTimeout = try parsed.duration(Self.loadTimeoutOption, in: 0.1...3_600, default: .seconds(15))
    cachedPrefixes = parsed.texts(Self.cacheOption)
  }

  /// The app's settings, with the folder of the product's page as far as there is one.
  ///
  /// Throws ``CommandError`` if a folder that was named holds no page.
  func settings(web: URL?) throws(CommandError) -> SquadSettings {
    let folder = websiteFolder ?? web?.appending(path: "pages/squad/www")
    let page = folder?.appending(path: "index.html")
    let isThere = page.map { FileManager.default.fileExists(atPath: $0.path(percentEncoded: false)) } ?? false
    if let websiteFolder, !isThere {
      throw CommandError("--squad-www: '\(websiteFolder.path())' holds no index.html")
    }
    let prefixes = cachedPrefixes
    return SquadSettings(
      websiteFolder: isThere ? folder : nil, url: url, isProduction: isProduction,
      validatesMessages: validatesMessages, usesContentSecurityPolicy: usesPolicy, retries: retries,
      firstRetryWait: retryWait, loadTimeout: loadTimeout / .seconds(1),
      servesFromCache: { url in prefixes.contains { url.absoluteString.hasPrefix($0) } })
  }
}
