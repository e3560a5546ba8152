import PageBridgeWebKit

/// How the Squad app behaves, for all its visitors.
public struct SquadSettings: Sendable {
  /// The folder with the product's page, `index.html`, which the app serves; nil if there is none.
  public var websiteFolder: URL?
  /// The product's page elsewhere, instead of the folder's.
  public var url: URL?
  /// Whether only secure pages are loaded: `https`, this machine, and what the app serves.
  public var isProduction: Bool
  /// Whether messages of the page are checked before their handlers run.
  public var validatesMessages: Bool
  /// Whether the page gets the product's content security policy.
  public var usesContentSecurityPolicy: Bool
  /// How often a load that took too long is tried again.
  public var retries: Int
  /// The wait before the first of them; each further one is twice as long.
  public var firstRetryWait: Duration
  /// How long a page may stand still while it loads, in seconds; the product's published bound is 15.
  public var loadTimeout: TimeInterval
  /// What waits and load times are measured with.
  public var clock: any Clock<Duration>
  /// The hook of the cache policy: whether a page is kept once it has been loaded, and from then on served by the app
  /// instead of the network. No page is, unless told otherwise.
  public var servesFromCache: @MainActor @Sendable (URL) -> Bool

  /// Makes the product's own values; only the folder or the address has to be given.
  public init(
    websiteFolder: URL? = nil, url: URL? = nil, isProduction: Bool = true, validatesMessages: Bool = true,
    usesContentSecurityPolicy: Bool = true, retries: Int = 3, firstRetryWait: Duration = .seconds(1),
    loadTimeout: TimeInterval = 15, clock: any Clock<Duration> = .continuous,
    servesFromCache: @escaping @MainActor @Sendable (URL) -> Bool = { _ in false }
  ) {
    self.websiteFolder = websiteFolder
    self.url = url
    self.isProduction = isProduction
    self.validatesMessages = validatesMessages
    self.usesContentSecurityPolicy = usesContentSecurityPolicy
    self.retries = retries
    self.firstRetryWait = firstRetryWait
    self.loadTimeout = loadTimeout
    self.clock = clock
    self.servesFromCache = servesFromCache
  }
}

/// The Squad app: a view of the product's social and voice-call page, with the bridge between them.
@MainActor
public final class SquadApp {
  private let settings: SquadSettings

  /// Makes the app; visitors come with ``run(on:)``.
  public init(settings: SquadSettings = SquadSettings()) {
    self.settings = settings
  }

  /// Serves the host's visitors until the host is stopped.
  ///
  /// Throws `WebViewHostError` if the relay refuses the host for good.
  public func run(on host: WebViewHost) async throws {
    let settings = settings
    try await host.run { scene in SquadViewController(scene: scene, settings: settings) }
  }
}
