import Foundation

/// The command line: `--relay URL --app NAME --events FILE --journal FILE [--state FILE] [--name TEXT]
/// [--session-grace SECONDS]`.
struct Options {
  var relay: URL
  var app: String
  var events: URL
  var journal: String
  var state: URL?
  var name: String?
  var sessionGrace: Duration?

  init?(_ arguments: [String]) {
    var values: [String: String] = [:]
    var rest = arguments[...]
    while let name = rest.popFirst() {
      guard name.hasPrefix("--"), let value = rest.popFirst() else { return nil }
      values[String(name.dropFirst(2))] = value
    }
    guard let relay = values["relay"].flatMap(URL.init(string:)), let app = values["app"],
      let events = values["events"], let journal = values["journal"]
    else { return nil }
    self.relay = relay
    self.app = app
    self.events = URL(filePath: events)
    self.journal = journal
    state = values["state"].map { URL(filePath: $0) }
    name = values["name"]
    sessionGrace = values["session-grace"].flatMap(Double.init).map { .seconds($0) }
  }
}
