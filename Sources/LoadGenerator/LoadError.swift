/// Why a load run could not be done.
public struct LoadError: Error, Hashable, Sendable, CustomStringConvertible {
  /// One documented cause.
  public struct Code: Hashable, Sendable {
    let name: String

    /// An option is out of its range.
    public static let badOption = Code(name: "badOption")
    /// A host or page could not connect, or was turned away.
    public static let connectFailed = Code(name: "connectFailed")
    /// Not everything was connected in time.
    public static let connectTimeout = Code(name: "connectTimeout")
    /// The system does not let this process do it.
    public static let systemLimit = Code(name: "systemLimit")
  }

  /// Why it could not be done.
  public var code: Code
  /// One readable sentence.
  public var message: String
  /// The value and its bounds, the address or the counts that it is about.
  public var context: String

  init(_ code: Code, _ message: String, context: String) {
    self.code = code
    self.message = message
    self.context = context
  }

  public var description: String { "\(message) (\(context))" }
}
