/// What `pagebridge` can do; the first argument names it.
enum Subcommand: String, CaseIterable, Sendable {
  case serve
  case demo
  case load

  var summary: String {
    switch self {
    case .serve: "run the relay that pages and hosts meet at"
    case .demo: "run the demonstration hosts, and a relay unless --relay names one"
    case .load: "put simulated pages and hosts on a relay and check every message"
    }
  }

  var details: String {
    switch self {
    case .serve:
      "Runs the relay: HTTP and WebSocket on one port. SIGINT and SIGTERM end it; it then lets what is on the way arrive, "
        + "5 seconds at most."
    case .demo:
      "Runs the demonstration's hosts together with a relay, and prints the addresses to open in a browser. With "
        + "--relay it runs the hosts only. SIGINT and SIGTERM end it, SIGHUP reads the player's files again."
    case .load:
      "Connects simulated pages and hosts to a relay, sends numbered messages both ways, and checks that none is lost, "
        + "doubled, reordered or changed. Prints messages per second and round trip times. A fault makes it end with 1."
    }
  }

  var options: [CommandLineOption] {
    switch self {
    case .serve: ServeOptions.all
    case .demo: DemoOptions.all
    case .load: LoadCommandOptions.all
    }
  }
}
