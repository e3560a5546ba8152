import Foundation
import LoadGenerator

/// `pagebridge load`: simulated pages and hosts against a relay.
enum LoadCommand {
  static func run(_ options: LoadCommandOptions) async throws -> ExitCode {
    let relay = options.relay == nil ? try RelayRun(Self.ownRelay, servesPages: false) : nil
    var load = LoadOptions()
    load.relay = WebSocketAddress.text(options.relay?.absoluteString ?? relay?.url ?? load.relay)
    load.app = options.app
    load.pages = options.pages
    load.hosts = options.hosts
    load.mode = options.mode
    load.seconds = options.seconds
    let outcome: Result<LoadReport, any Error>
    do {
      // On stderr, so that stdout holds the report only.
      outcome = .success(try await LoadGenerator.run(load) { Console.complain($0) })
    } catch {
      outcome = .failure(error)
    }
    await relay?.end()
    let report = try outcome.get()
    Console.line(options.printsJSON ? report.json : report.text)
    return report.isClean ? .success : .failure
  }

  /// A relay for this run only, at any free port.
  private static var ownRelay: RelayOptions {
    var options = RelayOptions()
    options.listen.port = 0
    return options
  }
}

/// The spelling of a relay's address for sockets.
enum WebSocketAddress {
  static func text(_ url: String) -> String {
    url.hasPrefix("http") ? "ws" + url.dropFirst("http".count) : url
  }
}
