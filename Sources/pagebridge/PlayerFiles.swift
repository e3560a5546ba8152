import Foundation
import PlayerHost

/// The files that shape the player while it runs.
struct PlayerFiles: Sendable {
  let options: PlayerOptions

  /// The command line's configuration with the file's members over it. Throws ``CommandError`` if the file cannot be used.
  func configuration() throws(CommandError) -> PlayerConfiguration {
    guard let file = options.configurationFile else { return options.configuration }
    let json = try read(file)
    do throws(PlayerConfigurationError) {
      return try options.configuration.updated(with: json)
    } catch {
      throw CommandError("\(file.path(percentEncoded: false)): \(error)")
    }
  }

  /// The file's bets, or a few to show. Throws ``CommandError`` if the file cannot be used.
  func userBets() throws(CommandError) -> [CustomerMarket] {
    guard let file = options.userBetsFile else { return CustomerMarket.samples }
    let json = try read(file)
    do {
      return try JSONDecoder().decode([CustomerMarket].self, from: json)
    } catch {
      throw CommandError("\(file.path(percentEncoded: false)) is no JSON array of customer markets: \(error)")
    }
  }

  /// Reads both again. What cannot be used is told on stderr, and the player keeps what it has.
  @MainActor
  func reload(into app: PlayerApp) {
    do throws(CommandError) {
      app.update(try configuration())
      app.update(try userBets())
    } catch {
      Console.complain("pagebridge: \(error); the player keeps what it has")
    }
  }

  /// Watches the files for as long as the result lives. Throws ``CommandError`` if one cannot be watched.
  func watch(_ changed: @escaping @Sendable () -> Void) throws(CommandError) -> [FileWatch] {
    var watches: [FileWatch] = []
    for file in [options.configurationFile, options.userBetsFile] {
      if let file { watches.append(try FileWatch(file, changed: changed)) }
    }
    return watches
  }

  private func read(_ file: URL) throws(CommandError) -> Data {
    do {
      return try Data(contentsOf: file)
    } catch {
      throw CommandError("\(file.path(percentEncoded: false)) cannot be read")
    }
  }
}
