/// What was wrong with a text or value of the wire.
///
/// `context` says where or how much; it never holds a payload.
public struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
  /// One documented cause.
  public struct Code: Hashable, Sendable {
    let name: String

    /// The text is not JSON (RFC 8259).
    public static let malformed = Code(name: "malformed")
    /// The text is JSON, but a member has the wrong type or is missing.
    public static let wrongShape = Code(name: "wrongShape")
    /// A value nests deeper than ``Limits/maxValueDepth``.
    public static let tooDeep = Code(name: "tooDeep")
    /// A bridge message is larger than ``Limits/maxMessageBytes``.
    public static let messageTooBig = Code(name: "messageTooBig")
  }

  /// The cause.
  public var code: Code
  /// What was wrong, without anything of the value.
  public var message: String
  /// Where, or which limit.
  public var context: String

  /// Makes an error.
  public init(_ code: Code, _ message: String, context: String = "") {
    self.code = code
    self.message = message
    self.context = context
  }

  /// Everything in one line.
  public var description: String {
    context.isEmpty ? message : "\(message) (\(context))"
  }
}
