import BridgeProtocol

/// How a relay runs.
public struct RelayConfiguration: Sendable {
  /// The address to listen on, a name or an IP address, and the port; port 0 takes a free one.
  public var listen = (host: "127.0.0.1", port: 8080)
  /// The folder of static files: bridge.js, the viewer, pages. Without it only the relay's own paths are served.
  public var webRoot: String?
  /// How many service threads; each app belongs to one.
  public var threads = 1
  /// Loopback only, no tokens, strict about Host and Origin. The only mode so far.
  public var dev = true
  /// Origins besides the relay's own whose pages may attach, exact, such as `http://localhost:5173`.
  public var allowedOrigins: [String] = []
  /// The secret that all keys are made with; at least 16 bytes.
  public var secret: [UInt8]
  /// A PEM file with the certificate and its chain; with ``tlsKey``, the relay speaks TLS.
  public var tlsCertificate: String?
  /// A PEM file with the certificate's key.
  public var tlsKey: String?
  /// How long a socket may live before its hello.
  public var helloTimeout = Limits.helloTimeout
  /// How long an instance outlives its host's socket.
  public var hostGrace = Limits.hostGrace
  /// How many descriptors to ask the system for; each socket is one.
  public var descriptorLimit = 65_536
  /// Where it tells what it does.
  public var log = RelayLog.silent
  /// The version that it reports.
  public var version = "0.1.0"
  /// The bounds of the protocol, to be lowered by tests.
  public var limits = RelayLimits()

  /// Makes a configuration with the defaults and the given secret.
  public init(secret: [UInt8]) {
    self.secret = secret
  }
}

/// Bounds that a relay keeps; the defaults are those of the protocol.
public struct RelayLimits: Sendable {
  /// The largest message accepted, in bytes.
  public var maxWireBytes = Limits.maxAcceptedWireBytes
  /// The largest hello, in bytes.
  public var maxHelloBytes = Limits.maxHelloBytes
  /// The largest body of an attach, in bytes.
  public var maxAttachBytes = Limits.maxAttachBytes
  /// The largest body of a dialog, in bytes.
  public var maxDialogBytes = Limits.maxDialogBytes
  /// How many dialogs of one session may wait for its host.
  public var heldDialogs = Limits.heldDialogs
  /// The largest set of request headers, in bytes.
  public var maxHeaderBytes = Limits.maxHeaderBytes
  /// Bytes of one page that wait for its host before that page is not read.
  public var pageBacklogBytes = Limits.pageBacklogBytes
  /// Bytes that wait for one page before it is closed.
  public var pageOutboundBytes = Limits.pageOutboundBytes
  /// Bytes that wait for one host before it is closed.
  public var hostOutboundBytes = Limits.hostOutboundBytes
  /// How many connections are taken in ``acceptInterval``; the others wait.
  public var acceptsPerInterval = Limits.acceptsPerInterval
  /// The time that ``acceptsPerInterval`` is about.
  public var acceptInterval = Limits.acceptInterval
  /// How long to wait for a host's answer, and for an absent instance.
  public var openTimeout = Limits.openTimeout
  /// How long a live page has to answer the ping that a claim brings.
  public var claimTimeout = Limits.claimTimeout
  /// How long a one-time script may be fetched.
  public var scriptLifetime = Limits.ticketLifetime
  /// How often pages and hosts are pinged.
  public var aliveInterval = Limits.aliveInterval
  /// How long a socket that did not answer the last ping may take to answer one more before it is closed.
  public var silenceGrace = Limits.silenceGrace
  /// How long a host may take to begin its answer to a content request.
  public var contentTimeout = Duration.seconds(30)
  /// How many content bytes a host may send ahead.
  public var contentCreditBytes = Limits.contentCreditBytes

  /// The protocol's bounds.
  public init() {}
}
