/// The options of `pagebridge serve`.
struct ServeOptions: Equatable, Sendable {
  var relay: RelayOptions

  static let devOption = CommandLineOption(
    "dev", help: "no tokens, on a loopback address only; needed until tokens exist")

  static let all = [RelayOptions.listenOption, devOption] + RelayOptions.all.dropFirst()

  init(_ parsed: ParsedOptions) throws(UsageError) {
    relay = try RelayOptions(parsed)
    guard parsed.has(Self.devOption) else {
      throw UsageError(
        "tokens do not exist yet, so the relay cannot tell who may connect; start it with --dev, on a loopback address"
      )
    }
    try relay.requireLoopback()
  }
}

extension RelayOptions {
  /// Refuses an address that other machines can reach: without tokens everybody there could take part.
  func requireLoopback() throws(UsageError) {
    guard listen.isLoopback else {
      throw UsageError("without tokens the relay listens on a loopback address only, not on '\(listen.host)'")
    }
  }
}
