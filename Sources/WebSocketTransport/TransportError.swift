/// What went wrong while setting up a loop, an address or a certificate.
///
/// A connection that fails later is no error: its handler's `closed` says so.
public struct TransportError: Error, Equatable, CustomStringConvertible {
  /// The cause; one code for one cause.
  public struct Code: Hashable, Sendable {
    private let name: String

    /// The text is not a `ws` or `wss` URL.
    public static let malformedURL = Code(name: "malformedURL")
    /// The system gave no thread, loop or libwebsockets context.
    public static let loopUnavailable = Code(name: "loopUnavailable")
    /// A certificate, key or authority file could not be used.
    public static let certificateUnusable = Code(name: "certificateUnusable")
    /// Another socket listens at the address.
    public static let addressInUse = Code(name: "addressInUse")
    /// The address cannot be listened on.
    public static let addressUnavailable = Code(name: "addressUnavailable")
  }

  /// Why it failed.
  public var code: Code
  /// One readable sentence.
  public var message: String
  /// What it concerns: a path, an address, a name. Never a payload.
  public var context: [String: String]

  /// Makes an error of the given cause.
  public init(code: Code, message: String, context: [String: String] = [:]) {
    self.code = code
    self.message = message
    self.context = context
  }

  public var description: String {
    let details = context.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
    return message + details
  }
}
