import BridgeProtocol

/// Why a channel refused a message, its own side's or the peer's.
public struct ChannelError: Error, Hashable, Sendable, CustomStringConvertible {
  /// One documented cause.
  public struct Code: Hashable, Sendable {
    let name: String

    /// The message is larger than `Limits.maxMessageBytes`; its sender gets this, and nothing is sent.
    public static let messageTooBig = Code(name: "messageTooBig")
    /// More than `Limits.retentionBytes` wait for acknowledgement; the sender gets this, and nothing is sent.
    public static let retentionFull = Code(name: "retentionFull")
    /// The peer acknowledged what was never sent.
    public static let acknowledgedTooMuch = Code(name: "acknowledgedTooMuch")
    /// The peer no longer holds what this end has not received.
    public static let lost = Code(name: "lost")
    /// Parts of a long message came out of order or too large.
    public static let malformedPart = Code(name: "malformedPart")
  }

  /// Why it was refused.
  public var code: Code
  /// One readable sentence, without any of the message.
  public var message: String
  /// The limit and the size, or the numbers that do not fit.
  public var context: String

  init(_ code: Code, _ message: String, context: String) {
    self.code = code
    self.message = message
    self.context = context
  }

  public var description: String { "\(message) (\(context))" }
}
