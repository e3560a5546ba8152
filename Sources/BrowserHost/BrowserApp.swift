import Foundation
import PageBridgeWebKit

/// How the browser's app behaves, for all its visitors.
public struct BrowserSettings: Sendable {
  /// The app's folder `www`, which holds `LocalWebsite.html`; without it there is no local page.
  public var websiteFolder: URL?
  /// The public page; nil for the relay's own, `/pages/browser/home.html`.
  public var publicURL: URL?
  /// What is shown first.
  public var firstWebsite: Website
  /// The hosts that are not opened, with all their sub-domains.
  public var restrictedHosts: [String]
  /// Whether pages may run scripts of their own. A browser page cannot be kept from that: the wish is told to it as the
  /// setting `allowsContentJavaScript`, and has no further effect.
  public var allowsContentJavaScript: Bool

  /// How long a page may stand still while it loads, in seconds.
  public var loadTimeout: TimeInterval

  /// Makes settings; without arguments the app shows its own page first and opens nothing of `restricted.com`.
  public init(
    websiteFolder: URL? = nil, publicURL: URL? = nil, firstWebsite: Website = .local,
    restrictedHosts: [String] = ["restricted.com"], allowsContentJavaScript: Bool = true,
    loadTimeout: TimeInterval = 60
  ) {
    self.websiteFolder = websiteFolder
    self.publicURL = publicURL
    self.firstWebsite = firstWebsite
    self.restrictedHosts = restrictedHosts
    self.allowsContentJavaScript = allowsContentJavaScript
    self.loadTimeout = loadTimeout
  }
}

/// The app of the two-way web view: a small browser whose page and native controls speak with each other.
@MainActor
public final class BrowserApp {
  private let settings: BrowserSettings

  /// Makes the app; visitors come with ``run(on:)``.
  public init(settings: BrowserSettings = BrowserSettings()) {
    self.settings = settings
  }

  /// Serves the host's visitors until the host is stopped.
  ///
  /// Throws `WebViewHostError` if the relay refuses the host for good.
  public func run(on host: WebViewHost) async throws {
    let settings = settings
    try await host.run { scene in BrowserViewController(scene: scene, settings: settings) }
  }
}
