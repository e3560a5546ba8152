import Foundation
import JourneyHost

/// The options of `pagebridge demo` that shape the identity journey.
struct JourneyOptions: Equatable, Sendable {
  var app: String
  /// Nil for the relay's own page.
  var url: URL?
  var hostVersion: String
  var mode: JourneyMode
  /// Nil for all.
  var origins: Set<String>?

  static let standardApp = "journey"

  static let appOption = CommandLineOption(
    "journey-app", "NAME", help: "the name under which pages find the journey's host (default: journey)")
  static let urlOption = CommandLineOption(
    "journey-url", "URL", help: "the journey's page (default: the relay's /pages/journey/)")
  static let versionOption = CommandLineOption(
    "journey-host-version", "VERSION", help: "the version that the page is told of (default: 1.0.0)")
  static let modeOption = CommandLineOption(
    "journey-mode", "production|development",
    help:
      "production opens journeys by https only, and by http on this machine; development opens any (default: production)"
  )
  static let originOption = CommandLineOption(
    "journey-origin", "ORIGIN",
    help: "let pages of this origin use the bridge, and no others; may be repeated (default: all)")

  static let all = [appOption, urlOption, versionOption, modeOption, originOption]

  init(_ parsed: ParsedOptions) throws(UsageError) {
    app = try AppName.checked(
      parsed.text(Self.appOption) ?? Self.standardApp, option: Self.appOption.name)
    if let text = parsed.text(Self.urlOption) {
      guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()),
        url.host()?.isEmpty == false
      else {
        throw UsageError("--journey-url needs an address such as https://journey.example/, not '\(text)'")
      }
      self.url = url
    }
    hostVersion = parsed.text(Self.versionOption) ?? "1.0.0"
    guard !hostVersion.isEmpty else { throw UsageError("--journey-host-version needs a version") }
    let mode = parsed.text(Self.modeOption) ?? JourneyMode.production.rawValue
    guard let mode = JourneyMode(rawValue: mode) else {
      throw UsageError("--journey-mode needs production or development, not '\(mode)'")
    }
    self.mode = mode
    let origins = parsed.texts(Self.originOption)
    self.origins = origins.isEmpty ? nil : Set(origins)
  }

  var settings: JourneySettings {
    JourneySettings(journeyURL: url, hostVersion: hostVersion, mode: mode, allowedOrigins: origins)
  }
}
