import Foundation
import Relay

/// A relay of this process, from its options to its end.
struct RelayRun: Sendable {
  /// How long ending may take: what is on its way arrives first.
  static let drainTimeout = Duration.seconds(5)

  let server: RelayServer

  /// Starts to listen. Throws ``CommandError`` if it cannot, with what to do about it.
  ///
  /// - Parameter servesPages: whether browsers come; without them the folder of pages need not be there.
  init(_ options: RelayOptions, servesPages: Bool = true) throws(CommandError) {
    let web = servesPages ? try WebRoot.find(named: options.web) : nil
    do throws(RelayError) {
      var configuration = RelayConfiguration(secret: try Self.secret(options.secretFile))
      configuration.listen = (options.listen.host, options.listen.port)
      configuration.webRoot = web?.path(percentEncoded: false)
      configuration.threads = options.threads
      configuration.allowedOrigins = options.allowedOrigins
      configuration.tlsCertificate = options.tlsCertificate?.path(percentEncoded: false)
      configuration.tlsKey = options.tlsKey?.path(percentEncoded: false)
      configuration.helloTimeout = options.helloTimeout
      configuration.hostGrace = options.hostGrace
      configuration.log = .standardError(level: options.logLevel)
      configuration.version = HelpText.versionNumber
      server = try RelayServer(configuration)
      try server.start()
    } catch {
      guard error.code == .addressInUse else { throw CommandError(error.description) }
      throw CommandError(
        "\(options.listen.host):\(options.listen.port) is in use by another program; choose another with --listen"
      )
    }
  }

  /// The relay's origin for browsers, `http://127.0.0.1:8080` for instance.
  var url: String { server.url }

  /// Tells all sides that the relay goes, waits until what is on its way has arrived, and stops.
  func end() async {
    await server.drain(timeout: Self.drainTimeout)
    server.stop()
  }

  private static func secret(_ file: URL?) throws(RelayError) -> [UInt8] {
    guard let file else { return try RelaySecret.development() }
    return try RelaySecret.load(file: file.path(percentEncoded: false))
  }
}
