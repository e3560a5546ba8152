import Foundation
import Observation
import PageBridgeWebKit
import PlayerHost

/// `pagebridge demo`: the demonstration hosts, with a relay or at another one.
@MainActor
enum DemoCommand {
  /// What the command waits for.
  private enum Event: Sendable {
    /// All hosts are connected, or one of them is not.
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
    let player = PlayerApp(
      configuration: try files.configuration(), userBets: try files.userBets(),
      settings: PlayerSettings(
        fixtureIds: options.player.fixtureIds, readyTimeout: options.player.readyTimeout,
        playerNotReady: { errors in
          for error in errors { Console.line("The player is not ready: \(error.message) (\(error.code))") }
        }))
    let watches = try files.watch { continuation.yield(.filesChanged) }

    let relay: RelayRun? =
      if case .own(let relayOptions) = options.place { try RelayRun(relayOptions) } else { nil }
    var demos: [DemoHost] = []
    if options.parts.contains(.player) {
      demos.append(try DemoHost(player: player, options, relay: relay))
    }
    if options.parts.contains(.browser) { demos.append(try DemoHost(browser: options, relay: relay)) }
    if options.parts.contains(.journey) { demos.append(try DemoHost(journey: options, relay: relay)) }
    if options.parts.contains(.squad) { demos.append(try DemoHost(squad: options, relay: relay)) }
    for demo in demos {
      Task { @MainActor in
        do {
          try await demo.run()
          continuation.yield(.hostEnded(nil))
        } catch {
          continuation.yield(.hostEnded(error))
        }
      }
    }
    let hosts = demos.map(\.host)
    let connection = Task { @MainActor in
      var wasConnected = false
      for await isConnected in Observations({ hosts.allSatisfy(\.isConnected) })
      where isConnected != wasConnected {
        wasConnected = isConnected
        continuation.yield(.connectionChanged(isConnected: isConnected))
      }
    }
    defer { connection.cancel() }
    let origin = hosts[0].relay.absoluteString
    if relay == nil { Console.line("Connecting to \(origin)") }

    let failure = await handle(events, options, origin: origin, player: player, files: files)
    withExtendedLifetime(watches) {}
    Console.line("Ending")
    for host in hosts { await host.stop() }
    await relay?.end()
    if let failure { throw CommandError("the host cannot stay connected: \(failure)") }
  }

  /// Handles events until one of them is the end; answers why a host ended, if it did so by itself.
  private static func handle(
    _ events: AsyncStream<Event>, _ options: DemoOptions, origin: String, player: PlayerApp,
    files: PlayerFiles
  ) async -> (any Error)? {
    var hasGreeted = false
    for await event in events {
      switch event {
      case .connectionChanged(isConnected: true) where hasGreeted:
        Console.line("The host is connected again")
      case .connectionChanged(isConnected: true):
        hasGreeted = true
        Console.write(DemoText.greeting(origin: origin, options))
      case .connectionChanged(isConnected: false):
        Console.line("The relay is gone; the host tries to reach it again")
      case .filesChanged: files.reload(into: player)
      case .endRequested: return nil
      case .hostEnded(let error): return error
      }
    }
    return nil
  }
}
