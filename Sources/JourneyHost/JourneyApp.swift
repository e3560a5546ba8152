import Foundation
import PageBridgeWebKit

/// How the journey's app behaves, for all its visitors.
public struct JourneySettings: Sendable {
  /// The journey's page; nil for the relay's own, `/pages/journey/`.
  public var journeyURL: URL?
  /// The host's version, as the page sees it.
  public var hostVersion: String
  /// Which addresses a journey may have.
  public var mode: JourneyMode
  /// The origins whose pages may use the bridge; nil for all.
  public var allowedOrigins: Set<String>?

  /// Makes settings.
  public init(
    journeyURL: URL? = nil, hostVersion: String = "1.0.0", mode: JourneyMode = .production,
    allowedOrigins: Set<String>? = nil
  ) {
    self.journeyURL = journeyURL
    self.hostVersion = hostVersion
    self.mode = mode
    self.allowedOrigins = allowedOrigins
  }
}

/// The app of the identity journey: gives each visitor a bridge, a web view, cameras and a chip reader.
@MainActor
public final class JourneyApp {
  private let settings: JourneySettings

  /// Makes the app; visitors come with ``run(on:)``.
  public init(settings: JourneySettings = JourneySettings()) {
    self.settings = settings
  }

  /// Serves the host's visitors until the host is stopped.
  ///
  /// Throws `WebViewHostError` if the relay refuses the host for good.
  public func run(on host: WebViewHost) async throws {
    let settings = settings
    try await host.run { scene in JourneyViewController(scene: scene, settings: settings) }
  }
}
