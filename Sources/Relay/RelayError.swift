/// Why a relay cannot be made or started.
public struct RelayError: Error, Equatable, CustomStringConvertible {
  /// The cause; one code for one cause.
  public struct Code: Hashable, Sendable {
    private let name: String

    /// Another program listens at the address.
    public static let addressInUse = Code(name: "addressInUse")
    /// The address is not known or not this machine's.
    public static let addressUnavailable = Code(name: "addressUnavailable")
    /// The development mode listens on loopback addresses only.
    public static let addressNotLoopback = Code(name: "addressNotLoopback")
    /// Without the development mode clients would have to prove who they are, which this version cannot check.
    public static let developmentOnly = Code(name: "developmentOnly")
    /// The certificate or key cannot be used.
    public static let certificateUnusable = Code(name: "certificateUnusable")
    /// Encrypted requests cannot be looked at before they are given to a thread.
    public static let threadsNeedPlainText = Code(name: "threadsNeedPlainText")
    /// The secret is missing, too short, or readable by others.
    public static let secretUnusable = Code(name: "secretUnusable")
    /// The system gave no thread, loop or libwebsockets context.
    public static let loopUnavailable = Code(name: "loopUnavailable")
    /// A setting is out of its range.
    public static let invalidConfiguration = Code(name: "invalidConfiguration")
  }

  /// Why it failed.
  public var code: Code
  /// One readable sentence.
  public var message: String
  /// What it concerns: a path, an address. Never a secret.
  public var context: [String: String]

  /// Makes an error of the given cause.
  public init(code: Code, message: String, context: [String: String] = [:]) {
    self.code = code
    self.message = message
    self.context = context
  }

  public var description: String {
    message + context.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
  }
}
