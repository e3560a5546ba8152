import BrowserHost
import Foundation
import JourneyHost
import PageBridgeWebKit
import PlayerHost
import SquadHost

/// One host of the demonstration: its connection, and the app that serves its visitors.
@MainActor
struct DemoHost {
  let host: WebViewHost
  /// Serves until the host is stopped; throws when the relay refuses it for good.
  let run: @MainActor () async throws -> Void

  init(player app: PlayerApp, _ options: DemoOptions, relay: RelayRun?) throws(CommandError) {
    let host = try Self.host(
      name: "Live video player", app: options.app, stateFile: options.stateFile, options, relay)
    self.host = host
    run = { try await app.run(on: host) }
  }

  init(browser options: DemoOptions, relay: RelayRun?) throws(CommandError) {
    let host = try Self.host(
      name: "Two-way browser", app: options.browser.app,
      stateFile: options.stateFile?.appendingPathExtension("browser"), options, relay)
    let app = BrowserApp(settings: try options.browser.settings(web: try Self.webRoot(options)))
    self.host = host
    run = { try await app.run(on: host) }
  }

  init(journey options: DemoOptions, relay: RelayRun?) throws(CommandError) {
    let host = try Self.host(
      name: "Identity journey", app: options.journey.app,
      stateFile: options.stateFile?.appendingPathExtension("journey"), options, relay)
    let app = JourneyApp(settings: options.journey.settings)
    self.host = host
    run = { try await app.run(on: host) }
  }

  init(squad options: DemoOptions, relay: RelayRun?) throws(CommandError) {
    let host = try Self.host(
      name: "Live sports calls", app: options.squad.app,
      stateFile: options.stateFile?.appendingPathExtension("squad"), options, relay)
    let app = SquadApp(settings: try options.squad.settings(web: try Self.webRoot(options)))
    self.host = host
    run = { try await app.run(on: host) }
  }

  /// The folder of pages. Hosts at another relay may do without pages of their own.
  private static func webRoot(_ options: DemoOptions) throws(CommandError) -> URL? {
    switch options.place {
    case .own(let relayOptions): try WebRoot.find(named: relayOptions.web)
    case .other: try? WebRoot.find(named: nil)
    }
  }

  private static func host(
    name: String, app: String, stateFile: URL?, _ options: DemoOptions, _ relay: RelayRun?
  ) throws(CommandError) -> WebViewHost {
    var hostOptions = WebViewHost.Options()
    hostOptions.name = name
    hostOptions.eventsFile = options.eventsFile
    hostOptions.stateFile = stateFile
    let address: URL
    switch options.place {
    case .other(let url):
      address = url
    case .own:
      guard let relay, let url = URL(string: relay.url) else {
        throw CommandError("the relay has no address")
      }
      address = url
      // The relay is this very process, and its certificate is for the name that browsers use.
      hostOptions.trustsAnyCertificate = true
    }
    return WebViewHost(app: app, relay: address, options: hostOptions)
  }
}
