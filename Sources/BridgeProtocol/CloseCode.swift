/// The code with which a connection of the bridge ends: one code for one cause.
///
/// Codes below 4000 are those of RFC 6455, section 7.4.1; the others belong to `pagebridge.v1` and stand in the
/// protocol article and in bridge.js under the same names.
public struct CloseCode: RawRepresentable, Hashable, Sendable {
  /// The number on the wire.
  public var rawValue: UInt16

  /// Makes a code of any number.
  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// The peer ends in order and has nothing to add.
  public static let normal = CloseCode(rawValue: 1000)
  /// The relay is stopping.
  public static let goingAway = CloseCode(rawValue: 1001)
  /// A binary message came; the bridge speaks text.
  public static let binaryMessage = CloseCode(rawValue: 1003)
  /// A text message was not UTF-8.
  public static let invalidText = CloseCode(rawValue: 1007)
  /// A message was larger than ``Limits/maxAcceptedWireBytes``.
  public static let messageTooBig = CloseCode(rawValue: 1009)

  /// The host ends cleanly, and its instance with it.
  public static let finished = CloseCode(rawValue: 4000)
  /// The page's document is being left.
  public static let leaving = CloseCode(rawValue: 4001)
  /// A newer socket took this one's place.
  public static let replaced = CloseCode(rawValue: 4002)
  /// The handshake named no subprotocol.
  public static let subprotocolMissing = CloseCode(rawValue: 4003)
  /// The first message was not a hello.
  public static let expectedHello = CloseCode(rawValue: 4004)
  /// The hello was not JSON, or a member of it had the wrong shape.
  public static let malformedHello = CloseCode(rawValue: 4005)
  /// The hello was larger than ``Limits/maxHelloBytes``.
  public static let helloTooLarge = CloseCode(rawValue: 4006)
  /// The hello's role was neither `page` nor `host`.
  public static let unknownRole = CloseCode(rawValue: 4007)
  /// The hello's app was malformed or not that of the URL.
  public static let wrongApp = CloseCode(rawValue: 4008)
  /// The hello's session or instance was malformed.
  public static let wrongSession = CloseCode(rawValue: 4009)
  /// The key did not fit the session or instance.
  public static let wrongKey = CloseCode(rawValue: 4010)
  /// No hello came within ``Limits/helloTimeout``.
  public static let helloTimeout = CloseCode(rawValue: 4011)
  /// A host wrapped a message for a session of another instance.
  public static let notYourSession = CloseCode(rawValue: 4012)
  /// The session has a live page, and the newcomer no right to replace it.
  public static let sessionInUse = CloseCode(rawValue: 4013)
  /// A control value was not one of the protocol's.
  public static let unknownControl = CloseCode(rawValue: 4014)
  /// A socket with an Origin header said that it is a host.
  public static let originMayNotHost = CloseCode(rawValue: 4015)
  /// A host's wrapped message did not have the wrapper's fixed shape.
  public static let malformedWrapper = CloseCode(rawValue: 4016)
  /// The peer did not answer the relay's pings.
  public static let pingTimeout = CloseCode(rawValue: 4017)
  /// A control value of the host was known but malformed.
  public static let malformedControl = CloseCode(rawValue: 4018)
  /// More than ``Limits/pageOutboundBytes`` waited for the page.
  public static let pageTooSlow = CloseCode(rawValue: 4019)
  /// More than ``Limits/hostOutboundBytes`` waited for the host.
  public static let hostTooSlow = CloseCode(rawValue: 4020)
}
