import Foundation
import Relay

/// The options that shape a relay, for `serve` and for the relay inside `demo`.
struct RelayOptions: Equatable, Sendable {
  var listen = ListenAddress.standard
  var web: URL?
  var threads = 1
  var allowedOrigins: [String] = []
  var secretFile: URL?
  var helloTimeout = Duration.seconds(5)
  var hostGrace = Duration.seconds(10)
  var logLevel = RelayLog.Level.warning
  var tlsCertificate: URL?
  var tlsKey: URL?

  static let listenOption = CommandLineOption(
    "listen", "HOST:PORT",
    help: "where to listen; port 0 takes any free one (default: 127.0.0.1:8080)")
  static let webOption = CommandLineOption(
    "web", "DIR",
    help:
      "the folder of pages to serve (default: $PAGEBRIDGE_WEB, else ./web, else the one of the checkout that the "
      + "command was built in)")
  static let threadsOption = CommandLineOption("threads", "N", help: "service threads (default: 1)")
  static let allowOriginOption = CommandLineOption(
    "allow-origin", "ORIGIN",
    help: "let pages of this origin take part, for example http://localhost:3000; may be repeated")
  static let secretFileOption = CommandLineOption(
    "secret-file", "FILE",
    help: "the secret that keys are made with (default: one of its own, kept in the state directory)")
  static let helloTimeoutOption = CommandLineOption(
    "hello-timeout", "SECONDS", help: "how long a socket may take to introduce itself (default: 5)")
  static let hostGraceOption = CommandLineOption(
    "host-grace", "SECONDS", help: "how long a lost host may take to come back (default: 10)")
  static let logLevelOption = CommandLineOption(
    "log-level", "LEVEL",
    help: "what the relay tells on stderr: debug, info, warning or error (default: warning)")
  static let tlsCertOption = CommandLineOption(
    "tls-cert", "FILE", help: "certificate chain (PEM) for https and wss")
  static let tlsKeyOption = CommandLineOption("tls-key", "FILE", help: "private key (PEM) of the certificate")

  static let all = [
    listenOption, webOption, threadsOption, allowOriginOption, secretFileOption, helloTimeoutOption,
    hostGraceOption, logLevelOption, tlsCertOption, tlsKeyOption,
  ]

  init() {}

  init(_ parsed: ParsedOptions) throws(UsageError) {
    if let text = parsed.text(Self.listenOption) { listen = try ListenAddress(text) }
    web = try parsed.file(Self.webOption)
    threads = try parsed.count(Self.threadsOption, in: 1...64, default: threads)
    for origin in parsed.texts(Self.allowOriginOption) {
      allowedOrigins.append(try Self.origin(origin))
    }
    secretFile = try parsed.file(Self.secretFileOption)
    helloTimeout = try parsed.duration(Self.helloTimeoutOption, in: 0.1...3_600, default: helloTimeout)
    hostGrace = try parsed.duration(Self.hostGraceOption, in: 0...86_400, default: hostGrace)
    if let text = parsed.text(Self.logLevelOption) {
      guard let level = RelayLog.Level(name: text) else {
        let names = RelayLog.Level.allCases.map(\.name).joined(separator: ", ")
        throw UsageError("--log-level needs one of \(names), not '\(text)'")
      }
      logLevel = level
    }
    tlsCertificate = try parsed.file(Self.tlsCertOption)
    tlsKey = try parsed.file(Self.tlsKeyOption)
    guard (tlsCertificate == nil) == (tlsKey == nil) else {
      throw UsageError("--tls-cert and --tls-key go together")
    }
  }

  /// Checks an origin: browsers send scheme, host and port, and no path, so nothing else could ever match.
  private static func origin(_ text: String) throws(UsageError) -> String {
    let wrong = UsageError(
      "--allow-origin needs an origin such as http://localhost:3000 (no path), not '\(text)'")
    guard let url = URLComponents(string: text), let scheme = url.scheme, let host = url.host, !host.isEmpty,
      url.path.isEmpty, url.query == nil, url.fragment == nil, url.user == nil
    else { throw wrong }
    guard scheme == scheme.lowercased(), host == host.lowercased() else {
      throw UsageError("--allow-origin needs lower case, as browsers send it: '\(text.lowercased())'")
    }
    return text
  }
}
