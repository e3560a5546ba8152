import BrowserHost
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

  /// The hosts of the demonstration.
  enum Part: String, CaseIterable, Sendable {
    case player
    case browser
    case journey
    case squad

    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
  }

  var place: Place
  /// The hosts to start.
  var parts: Set<Part>
  var app: String
  var eventsFile: URL?
  var stateFile: URL?
  var player: PlayerOptions
  var browser: BrowserOptions
  var journey: JourneyOptions
  var squad: SquadOptions

  static let standardApp = "player"

  static let relayOption = CommandLineOption(
    "relay", "URL", help: "start the hosts only, at this relay, for example ws://127.0.0.1:8080")
  static let onlyOption = CommandLineOption(
    "only", "NAME", help: "start this host alone, one of \(Part.names); may be repeated (default: all)")
  static let appOption = CommandLineOption(
    "app", "NAME", help: "the name under which pages find the player's host (default: player)")
  static let eventsOption = CommandLineOption(
    "events", "FILE", help: "append what the hosts do to FILE, one JSON object a line")
  static let stateOption = CommandLineOption(
    "state", "FILE",
    help:
      "keep the player's identity in FILE, and that of each other host in FILE with its name behind, so that open pages "
      + "survive a restart")

  static let all =
    RelayOptions.all + [relayOption, onlyOption, appOption, eventsOption, stateOption]
    + PlayerOptions.all + BrowserOptions.all + JourneyOptions.all + SquadOptions.all

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
    var parts: Set<Part> = []
    for text in parsed.texts(Self.onlyOption) {
      guard let part = Part(rawValue: text) else {
        throw UsageError("--only needs one of \(Part.names), not '\(text)'")
      }
      parts.insert(part)
    }
    self.parts = parts.isEmpty ? Set(Part.allCases) : parts
    app = try AppName.checked(parsed.text(Self.appOption) ?? Self.standardApp)
    eventsFile = try parsed.file(Self.eventsOption)
    stateFile = try parsed.file(Self.stateOption)
    player = try PlayerOptions(parsed)
    browser = try BrowserOptions(parsed)
    journey = try JourneyOptions(parsed)
    squad = try SquadOptions(parsed)
    try checkNames()
  }

  /// Each host that is started has an app of its own.
  private func checkNames() throws(UsageError) {
    var taken: [String: Part] = [:]
    for part in Part.allCases where parts.contains(part) {
      let name = name(of: part)
      if let other = taken.updateValue(part, forKey: name) {
        throw UsageError(
          "the \(other.rawValue) and the \(part.rawValue) cannot both be '\(name)'; name one with "
            + "--\(Self.appOption(of: other).name) or --\(Self.appOption(of: part).name)")
      }
    }
  }

  private func name(of part: Part) -> String {
    switch part {
    case .player: app
    case .browser: browser.app
    case .journey: journey.app
    case .squad: squad.app
    }
  }

  private static func appOption(of part: Part) -> CommandLineOption {
    switch part {
    case .player: appOption
    case .browser: BrowserOptions.appOption
    case .journey: JourneyOptions.appOption
    case .squad: SquadOptions.appOption
    }
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
  static func checked(_ text: String, option: String = "app") throws(UsageError) -> String {
    guard text.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9._\-]{0,63}/) != nil else {
      throw UsageError(
        "--\(option) needs 1 to 64 of the characters A-Z a-z 0-9 . _ - that begin with a letter or digit, not '\(text)'"
      )
    }
    return text
  }
}
