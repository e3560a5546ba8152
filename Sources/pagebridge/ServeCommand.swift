/// `pagebridge serve`: the relay alone.
enum ServeCommand {
  static func run(_ options: ServeOptions) async throws {
    let relay = try RelayRun(options.relay)
    Console.line("The relay listens on \(relay.url), and lists there the apps of its hosts. Ctrl-C ends it.")
    await Signals.waitForEnd()
    Console.line("Ending")
    await relay.end()
  }
}
