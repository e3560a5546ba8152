import PageBridgeWebKit

/// How the player's app behaves, for all its visitors.
public struct PlayerSettings: Sendable {
  /// The matches that "Next match" goes through; with fewer than two there is no such button.
  public var fixtureIds: [String]
  /// How long the player may say nothing before the video counts as not available.
  public var readyTimeout: Duration
  /// What that time is measured with.
  public var clock: any Clock<Duration>
  /// The app's handler for `player_not_ready`: called on the main actor with the player's reasons.
  public var playerNotReady: @MainActor @Sendable ([PlayerError]) -> Void

  /// Makes settings; without arguments for one match, and with 15 seconds for the player to say something.
  public init(
    fixtureIds: [String] = [], readyTimeout: Duration = .seconds(15),
    clock: any Clock<Duration> = .continuous,
    playerNotReady: @escaping @MainActor @Sendable ([PlayerError]) -> Void = { _ in }
  ) {
    self.fixtureIds = fixtureIds
    self.readyTimeout = readyTimeout
    self.clock = clock
    self.playerNotReady = playerNotReady
  }
}

/// The app of the live video player: gives each visitor a player, and all of them a new configuration or other bets.
@MainActor
public final class PlayerApp {
  private let settings: PlayerSettings
  private var configuration: PlayerConfiguration
  private var userBets: [CustomerMarket]
  private var controllers: [WeakController] = []

  private struct WeakController {
    weak var controller: PlayerViewController?
  }

  /// Makes the app; visitors come with ``run(on:)``.
  public init(
    configuration: PlayerConfiguration = PlayerConfiguration(), userBets: [CustomerMarket] = [],
    settings: PlayerSettings = PlayerSettings()
  ) {
    self.configuration = configuration
    self.userBets = userBets
    self.settings = settings
  }

  /// Serves the host's visitors until the host is stopped.
  ///
  /// Throws `WebViewHostError` if the relay refuses the host for good.
  public func run(on host: WebViewHost) async throws {
    try await host.run { [weak self] scene in self?.open(scene) }
  }

  /// Uses another configuration for all visitors; their pages are loaded anew.
  public func update(_ configuration: PlayerConfiguration) {
    self.configuration = configuration
    for controller in liveControllers() { controller.update(configuration) }
  }

  /// Shows other bets to all visitors.
  public func update(_ userBets: [CustomerMarket]) {
    self.userBets = userBets
    for controller in liveControllers() { controller.update(userBets) }
  }

  private func open(_ scene: WebViewScene) -> AnyObject {
    let controller = PlayerViewController(
      scene: scene, configuration: configuration, userBets: userBets, settings: settings)
    controllers = controllers.filter { $0.controller != nil } + [WeakController(controller: controller)]
    return controller
  }

  /// How many visitors have a player now.
  public var visitors: Int { liveControllers().count }

  private func liveControllers() -> [PlayerViewController] {
    controllers.compactMap(\.controller)
  }
}
