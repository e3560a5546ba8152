/// Every bound that the protocol names, in one place; the protocol article says what happens at each.
public enum Limits {
  /// The largest WebSocket message that a sender of this package makes, in bytes, wrapped.
  public static let maxWireBytes = 32_768
  /// The largest WebSocket message that a receiver accepts, in bytes; a larger one ends the connection with 1009.
  public static let maxAcceptedWireBytes = 65_536
  /// The largest hello, in bytes; a larger one ends the connection with `helloTooLarge`.
  public static let maxHelloBytes = 16_384
  /// The longest text that crosses whatever it holds, in bytes of UTF-8.
  public static let maxTextBytes = 16 * 1_048_576
  /// The largest bridge message, in bytes of its UTF-8 text before numbering; its sender refuses a larger one. It has room for
  /// the longest text with an escape of two bytes for each of its bytes, and for what stands around it.
  public static let maxMessageBytes = 2 * maxTextBytes + 65_536
  /// How many bytes one end sends before the other has acknowledged receiving them.
  public static let windowBytes = 1_048_576
  /// How many wire messages one end sends before the other has acknowledged receiving them.
  public static let windowMessages = 1_024
  /// How many bytes one end keeps for sending again, counting what still waits for the window.
  public static let retentionBytes = 64 * 1_048_576
  /// How many received and unacknowledged wire messages bring a bare acknowledgement.
  public static let acknowledgeMessages = 16
  /// How many received and unacknowledged bytes bring a bare acknowledgement.
  public static let acknowledgeBytes = 32_768
  /// How long a host waits before it acknowledges fewer messages than those limits.
  public static let acknowledgeDelay = Duration.milliseconds(250)
  /// How much of its unhandled messages a document leaves to the next one of its tab, in characters of their texts;
  /// the newest are lost beyond it, and the host is told how many.
  public static let carriedCharacters = 2_000_000
  /// How long a host waits for what a new document carries before the calls of earlier documents end.
  public static let carriedTimeout = Duration.seconds(1)
  /// How deep arrays and objects may nest in a value, as in WebKit.
  public static let maxValueDepth = 40_000
  /// How many documents of one session a host keeps counters for.
  public static let rememberedDocuments = 32
  /// Of how many earlier ones it keeps the last number that it received; a message of a still earlier one that comes late may
  /// be taken twice.
  public static let rememberedNumbers = 4_096

  /// Bytes that wait from one page for its host before the relay stops reading that page.
  public static let pageBacklogBytes = 2 * 1_048_576
  /// Bytes that wait for one page before the relay closes it with `pageTooSlow`.
  public static let pageOutboundBytes = 4 * 1_048_576
  /// Bytes that wait for one host before the relay closes it with `hostTooSlow`.
  public static let hostOutboundBytes = 256 * 1_048_576
  /// The largest body of an attach request, in bytes.
  public static let maxAttachBytes = 65_536
  /// The largest body of a dialog request, in bytes; what the relay tells the host of it is smaller.
  public static let maxDialogBytes = 32_768
  /// How many dialogs of one session may wait for its host at once.
  public static let heldDialogs = 8
  /// How long a dialog waits for messages that its page has sent before and of which none comes any more.
  public static let dialogPatience = Duration.seconds(1)
  /// The largest set of HTTP request headers, in bytes.
  public static let maxHeaderBytes = 16_384

  /// How many connections a relay takes in ``acceptInterval``. The others wait in the kernel's queue, so that a relay that starts
  /// anew serves those whom it has let in while all the others come back.
  public static let acceptsPerInterval = 2_000
  /// The time that ``acceptsPerInterval`` is about.
  public static let acceptInterval = Duration.milliseconds(100)

  /// How long a socket may live before its hello.
  public static let helloTimeout = Duration.seconds(5)
  /// How long an instance outlives its host's socket.
  public static let hostGrace = Duration.seconds(10)
  /// How long the relay waits for a host's answer to `open`, and an attach for an absent instance.
  public static let openTimeout = Duration.seconds(2)
  /// How long a live page has to answer the ping that a claim brings.
  public static let claimTimeout = Duration.seconds(1)
  /// How long a ticket or a one-time script may be used.
  public static let ticketLifetime = Duration.seconds(30)
  /// How often the relay tells a page that it lives.
  public static let aliveInterval = Duration.seconds(8)
  /// How long a socket that did not answer the relay's last ping may take to answer one more.
  public static let silenceGrace = Duration.seconds(2)
  /// After how long without a sign of the relay a host ends its connection and makes another.
  public static let silenceTimeout = Duration.seconds(18)
  /// How long a relay may take to end its connections once it is told to stop.
  public static let drainTimeout = Duration.seconds(5)

  /// The most content bytes in one part of host-served content, before base64.
  public static let contentPartBytes = 18_000
  /// The largest body of a request to a handler of an app's scheme, in bytes; a larger one is answered with 413.
  public static let schemeBodyBytes = 16 * 1_048_576
  /// How many bytes of HTML or CSS of an app's scheme are gathered so that addresses in them can be changed; what is beyond
  /// goes as it is.
  public static let schemeTextBytes = 16 * 1_048_576
  /// Bytes of one answer of a scheme's handler that wait for its page; beyond, the answer is broken off.
  public static let schemeBacklogBytes = 512 * 1_048_576
  /// How many content bytes a host may send before the relay grants more.
  public static let contentCreditBytes = 262_144
}
