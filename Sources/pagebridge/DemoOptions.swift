import Foundation
import PlayerHost

/// The options of `pagebridge demo`.
struct DemoOptions: Equatable, Sendable {
  enum Place: Equatable, Sendable {
    /// A relay in this process.
    case own(RelayOptions)
    /// The hosts only, at another relay.
    case other(URL)
  }

  var place: Place
  var app: String
  var eventsFile: URL?
  var stateFile: URL?
  var player: PlayerOptions

  static let standardApp = "player"

  static let relayOption = CommandLineOption(
    "relay", "URL", help: "start the hosts only, at this relay, for example ws://127.0.0.1:8080")
  static let appOption = CommandLineOption(
    "app", "NAME", help: "the name under which pages find the player's host (default: player)")
  static let eventsOption = CommandLineOption(
    "events", "FILE", help: "append what the hosts do to FILE, one JSON object a line")
  static let stateOption = CommandLineOption(
    "state", "FILE", help: "keep the hosts' identity in FILE, so that open pages survive a restart")

  static let all = RelayOptions.all + [relayOption, appOption, eventsOption, stateOption] + PlayerOptions.all

  init(_ parsed: ParsedOptions) throws(UsageError) {
    if let text = parsed.text(Self.relayOption) {
      if let option = RelayOptions.all.first(where: { parsed.has($0) }) {
        throw UsageError("--\(option.name) is for a relay in this process, which --relay replaces")
      }
      place = .other(try RelayAddress.url(text))
    } else {
      let relay = try RelayOptions(parsed)
      try relay.requireLoopback()
      place = .own(relay)
    }
    app = try AppName.checked(parsed.text(Self.appOption) ?? Self.standardApp)
    eventsFile = try parsed.file(Self.eventsOption)
    stateFile = try parsed.file(Self.stateOption)
    player = try PlayerOptions(parsed)
  }
}

/// The address of a relay, as the hosts and `load` take it.
enum RelayAddress {
  static func url(_ text: String) throws(UsageError) -> URL {
    guard let url = URL(string: text), let scheme = url.scheme?.lowercased(),
      ["ws", "wss", "http", "https"].contains(scheme), url.host()?.isEmpty == false,
      url.path().isEmpty || url.path() == "/"
    else {
      throw UsageError("--relay needs an address such as ws://127.0.0.1:8080, not '\(text)'")
    }
    return url
  }
}

/// The name of an app, as the wire allows it.
enum AppName {
  static func checked(_ text: String) throws(UsageError) -> String {
    guard text.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9._\-]{0,63}/) != nil else {
      throw UsageError(
        "--app needs 1 to 64 of the characters A-Z a-z 0-9 . _ - that begin with a letter or digit, not '\(text)'"
      )
    }
    return text
  }
}
