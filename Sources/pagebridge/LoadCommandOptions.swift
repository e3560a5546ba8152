import Foundation
import LoadGenerator

/// The options of `pagebridge load`.
struct LoadCommandOptions: Equatable, Sendable {
  var pages: Int
  var hosts: Int
  var mode: LoadOptions.Mode
  var seconds: Double
  var printsJSON: Bool
  /// Nil for a relay in this process.
  var relay: URL?
  var app: String

  static let pagesOption = CommandLineOption("pages", "N", help: "simulated pages (default: 100)")
  static let hostsOption = CommandLineOption("hosts", "M", help: "simulated hosts (default: 1)")
  static let modeOption = CommandLineOption(
    "mode", "MODE", help: "echo: hosts answer each message (default: echo)")
  static let secondsOption = CommandLineOption("seconds", "S", help: "how long to send (default: 10)")
  static let jsonOption = CommandLineOption("json", help: "print the figures as one JSON object")
  static let relayOption = CommandLineOption(
    "relay", "URL", help: "the relay, for example ws://127.0.0.1:8080 (default: one in this process)")
  static let appOption = CommandLineOption("app", "NAME", help: "the app of pages and hosts (default: load)")

  static let all = [pagesOption, hostsOption, modeOption, secondsOption, jsonOption, relayOption, appOption]

  init(_ parsed: ParsedOptions) throws(UsageError) {
    pages = try parsed.count(Self.pagesOption, in: LoadOptions.pagesRange, default: 100)
    hosts = try parsed.count(Self.hostsOption, in: LoadOptions.hostsRange, default: 1)
    mode = try parsed.choice(Self.modeOption, default: .echo)
    seconds = try parsed.seconds(Self.secondsOption, in: LoadOptions.secondsRange, default: 10)
    printsJSON = parsed.has(Self.jsonOption)
    if let text = parsed.text(Self.relayOption) { relay = try RelayAddress.url(text) }
    app = try AppName.checked(parsed.text(Self.appOption) ?? "load")
  }
}
