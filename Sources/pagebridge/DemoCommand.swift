import Foundation
import Observation
import PageBridgeWebKit
import PlayerHost

/// `pagebridge demo`: the demonstration hosts, with a relay or at another one.
@MainActor
enum DemoCommand {
  /// What the command waits for.
  private enum Event: Sendable {
    case connectionChanged(isConnected: Bool)
    case filesChanged
    case endRequested
    /// Nil if it stopped because it was told to.
    case hostEnded((any Error)?)
  }

  static func run(_ options: DemoOptions) async throws {
    let (events, continuation) = AsyncStream.makeStream(of: Event.self)
    // First of all, so that no signal finds the default that would end the process in the middle.
    Signals.handle { continuation.yield($0 == SIGHUP ? .filesChanged : .endRequested) }

    let files = PlayerFiles(options: options.player)
    let app = PlayerApp(
      configuration: try files.configuration(), userBets: try files.userBets(),
      settings: PlayerSettings(
        fixtureIds: options.player.fixtureIds, readyTimeout: options.player.readyTimeout,
        playerNotReady: { errors in
          for error in errors { Console.line("The player is not ready: \(error.message) (\(error.code))") }
        }))
    let watches = try files.watch { continuation.yield(.filesChanged) }

    let relay: RelayRun? =
      if case .own(let relayOptions) = options.place { try RelayRun(relayOptions) } else { nil }
    let host = try makeHost(options, relay: relay)
    Task { @MainActor in
      do {
        try await app.run(on: host)
        continuation.yield(.hostEnded(nil))
      } catch {
        continuation.yield(.hostEnded(error))
      }
    }
    let connection = Task { @MainActor in
      var wasConnected = false
      for await isConnected in Observations({ host.isConnected }) where isConnected != wasConnected {
        wasConnected = isConnected
        continuation.yield(.connectionChanged(isConnected: isConnected))
      }
    }
    defer { connection.cancel() }
    if relay == nil { Console.line("Connecting to \(host.relay.absoluteString)") }

    let failure = await handle(events, app: app, host: host, files: files)
    withExtendedLifetime(watches) {}
    Console.line("Ending")
    await host.stop()
    await relay?.end()
    if let failure { throw CommandError("the host cannot stay connected: \(failure)") }
  }

  /// Handles events until one of them is the end; answers why the host ended, if it did so by itself.
  private static func handle(
    _ events: AsyncStream<Event>, app: PlayerApp, host: WebViewHost, files: PlayerFiles
  ) async -> (any Error)? {
    var hasGreeted = false
    for await event in events {
      switch event {
      case .connectionChanged(isConnected: true) where hasGreeted:
        Console.line("The host is connected again")
      case .connectionChanged(isConnected: true):
        hasGreeted = true
        Console.write(DemoText.greeting(origin: host.relay.absoluteString, app: host.app))
      case .connectionChanged(isConnected: false):
        Console.line("The relay is gone; the host tries to reach it again")
      case .filesChanged: files.reload(into: app)
      case .endRequested: return nil
      case .hostEnded(let error): return error
      }
    }
    return nil
  }

  private static func makeHost(_ options: DemoOptions, relay: RelayRun?) throws -> WebViewHost {
    var hostOptions = WebViewHost.Options()
    hostOptions.name = "Live video player"
    hostOptions.eventsFile = options.eventsFile
    hostOptions.stateFile = options.stateFile
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
    return WebViewHost(app: options.app, relay: address, options: hostOptions)
  }
}
