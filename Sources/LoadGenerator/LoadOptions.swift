/// What a load run does.
public struct LoadOptions: Sendable {
  /// What each simulated page does with its host.
  public enum Mode: String, Sendable, CaseIterable {
    /// The page posts a message, the host answers with the same body, and the page checks it before it posts the next one.
    case echo
  }

  /// The relay's origin, `ws://127.0.0.1:8080` for instance.
  public var relay = "ws://127.0.0.1:8080"
  /// The app that hosts and pages meet under.
  public var app = "load"
  /// How many pages, each with a socket and a session of its own.
  public var pages = 100
  /// How many hosts share the pages.
  public var hosts = 1
  public var mode = Mode.echo
  /// How long pages post, in seconds; the run ends by itself shortly after.
  public var seconds = 10.0
  /// Bytes of filler in each body.
  public var bodyBytes = 64
  /// Messages that each page has under way at once.
  public var depth = 1
  /// How long connecting may take, in seconds.
  public var connectSeconds = 60.0
  /// How long answers may take after the last post, in seconds.
  public var drainSeconds = 10.0

  public init() {}

  /// The bounds that ``LoadGenerator`` accepts.
  public static let pagesRange = 1...100_000
  public static let hostsRange = 1...1_000
  public static let secondsRange = 0.1...3_600.0
  public static let bodyBytesRange = 0...1_048_576
  public static let depthRange = 1...1_000

  /// Refuses what the generator cannot do.
  ///
  /// - Throws: ``LoadError`` `badOption` that names the option, its value and its bounds.
  func check() throws(LoadError) {
    try Self.check("pages", pages, Self.pagesRange)
    try Self.check("hosts", hosts, Self.hostsRange)
    try Self.check("seconds", seconds, Self.secondsRange)
    try Self.check("size", bodyBytes, Self.bodyBytesRange)
    try Self.check("depth", depth, Self.depthRange)
  }

  private static func check<Value: Comparable & Sendable>(
    _ name: String, _ value: Value, _ range: ClosedRange<Value>
  ) throws(LoadError) {
    guard range.contains(value) else {
      throw LoadError(
        .badOption, "\(name) is out of range",
        context: "\(value), allowed \(range.lowerBound) to \(range.upperBound)")
    }
  }
}

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
  }

  public var code: Code
  public var message: String
  public var context: String

  init(_ code: Code, _ message: String, context: String) {
    self.code = code
    self.message = message
    self.context = context
  }

  public var description: String { "\(message) (\(context))" }
}
