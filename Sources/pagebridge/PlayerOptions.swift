import Foundation
import PlayerHost

/// The options of `pagebridge demo` that shape the player.
struct PlayerOptions: Equatable, Sendable {
  /// What the command line says; a configuration file goes over it.
  var configuration: PlayerConfiguration
  /// The matches that the button "Next match" goes through; never empty, the first is the configuration's.
  var fixtureIds: [String]
  var configurationFile: URL?
  var userBetsFile: URL?
  var readyTimeout: Duration

  static let customerIdOption = CommandLineOption(
    "player-customer-id", "ID", help: "the operator (default: demo)")
  static let fixtureIdOption = CommandLineOption(
    "player-fixture-id", "ID",
    help: "the match; repeated, there is a button for the next one (default: 9889284 and live-9889285). "
      + "web/pages/player/widget.js lists ids with a behaviour of their own, such as blocked-1001 and silent")
  static let widthOption = CommandLineOption(
    "player-width", "SIZE", help: "the player's width as CSS length (default: 100vw)")
  static let heightOption = CommandLineOption(
    "player-height", "SIZE", help: "the player's height as CSS length (default: 100vh)")
  static let controlsOption = CommandLineOption(
    "player-controls-enabled", "true|false", help: "the player's control bar (default: true)")
  static let audioOption = CommandLineOption(
    "player-audio-enabled", "true|false", help: "the player's sound (default: true)")
  static let fullScreenOption = CommandLineOption(
    "player-allow-full-screen", "true|false", help: "the player's fullscreen button (default: true)")
  static let bufferOption = CommandLineOption(
    "player-buffer-length", "N", help: "how much the player loads ahead (default: 2)")
  static let autoplayOption = CommandLineOption(
    "player-autoplay-enabled", "true|false", help: "play without being asked (default: true)")
  static let baseURLOption = CommandLineOption(
    "player-base-url", "URL", help: "the base address of the page (default: https://www.example.com)")
  static let configurationFileOption = CommandLineOption(
    "player-config", "FILE",
    help:
      "settings in a JSON file, for example {\"fixtureId\":\"live-1\"}, which go over the options above; read again "
      + "whenever the file changes and on SIGHUP")
  static let userBetsFileOption = CommandLineOption(
    "player-bets", "FILE",
    help:
      "the user's bets, a JSON array of customer markets; read again whenever the file changes and on SIGHUP")
  static let readyTimeoutOption = CommandLineOption(
    "player-ready-timeout", "SECONDS",
    help: "how long the player may be silent before the video counts as not available (default: 15)")

  static let all = [
    customerIdOption, fixtureIdOption, widthOption, heightOption, controlsOption, audioOption,
    fullScreenOption,
    bufferOption, autoplayOption, baseURLOption, configurationFileOption, userBetsFileOption,
    readyTimeoutOption,
  ]

  init(_ parsed: ParsedOptions) throws(UsageError) {
    let given = parsed.texts(Self.fixtureIdOption)
    fixtureIds = given.isEmpty ? ["9889284", "live-9889285"] : given
    configuration = PlayerConfiguration(
      customerId: parsed.text(Self.customerIdOption) ?? "demo", fixtureId: fixtureIds[0])
    if let width = parsed.text(Self.widthOption) { configuration.playerWidth = width }
    if let height = parsed.text(Self.heightOption) { configuration.playerHeight = height }
    configuration.controlsEnabled = try parsed.boolean(
      Self.controlsOption, default: configuration.controlsEnabled)
    configuration.audioEnabled = try parsed.boolean(Self.audioOption, default: configuration.audioEnabled)
    configuration.allowFullScreen = try parsed.boolean(
      Self.fullScreenOption, default: configuration.allowFullScreen)
    configuration.bufferLength = try parsed.count(
      Self.bufferOption, in: 0...1_000, default: configuration.bufferLength)
    configuration.autoplayEnabled = try parsed.boolean(
      Self.autoplayOption, default: configuration.autoplayEnabled)
    if let text = parsed.text(Self.baseURLOption) {
      guard let url = URL(string: text) else {
        throw UsageError("--player-base-url needs an address, not '\(text)'")
      }
      configuration.baseURL = url
    }
    do throws(PlayerConfigurationError) {
      try configuration.check()
    } catch {
      throw UsageError("the player's configuration cannot be used: \(error.message)")
    }
    configurationFile = try parsed.file(Self.configurationFileOption)
    userBetsFile = try parsed.file(Self.userBetsFileOption)
    readyTimeout = try parsed.duration(Self.readyTimeoutOption, in: 0.1...3_600, default: .seconds(15))
  }
}
