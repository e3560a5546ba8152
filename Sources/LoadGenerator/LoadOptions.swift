/// What a load run does.
public struct LoadOptions: Sendable {
  /// The relay's origin, `ws://127.0.0.1:8080` for instance.
  public var relay = "ws://127.0.0.1:8080"
  /// A relay of another make to put the load on; each session has a host's socket of its own then.
  public var foreign: ForeignRelay?
  /// The app that hosts and pages meet under.
  public var app = "load"
  /// How many pages, each with a socket and a session of its own; 0 for hosts that wait for real pages.
  public var pages = 100
  /// How many hosts share the pages; 0 for pages that meet a real host.
  public var hosts = 1
  /// What kind of traffic flows.
  public var mode = LoadMode.echo
  /// How long traffic flows, in seconds; the run ends by itself shortly after.
  public var seconds = 10.0
  /// Over how many seconds the pages connect; 0 for as fast as they can.
  public var rampSeconds = 0.0
  /// Bytes of filler in the bodies, in turn.
  public var bodyBytes = [64]
  /// JSON values to post in turn in place of filler.
  public var bodyValues: [String] = []
  /// Messages or calls that each page has under way at once; nil for 1, or 512 in a flood.
  public var depth: Int?
  /// Messages a second of all pages together, in the modes that keep a rate; nil for one a page and second, or one in ten
  /// seconds when idle.
  public var rate: Double?
  /// Pages a second that leave and are replaced by new ones.
  public var churn = 0.0
  /// Sockets a second that are cut without a word; their ends come back and must have lost nothing.
  public var cuts = 0.0
  /// The handler that pages post to.
  public var handler = "echo"
  /// A process whose processor time and memory are reported, such as the relay's.
  public var processID: Int?
  /// Which part of a run this process does, where several do it together.
  public var part = LoadPart()
  /// How long connecting may take, in seconds.
  public var connectSeconds = 60.0
  /// How long answers may take after the last post, in seconds.
  public var drainSeconds = 10.0

  /// Makes the defaults: 100 pages that have one echo under way each, for 10 seconds.
  public init() {}

  /// How many ``pages`` there may be.
  public static let pagesRange = 0...100_000
  /// How many ``hosts`` there may be.
  public static let hostsRange = 0...1_000
  /// What ``seconds`` and ``drainSeconds`` may be.
  public static let secondsRange = 0.1...86_400.0
  /// What ``rampSeconds`` may be.
  public static let rampRange = 0.0...3_600.0
  /// What each of ``bodyBytes`` may be.
  public static let bodyBytesRange = 0...8_388_608
  /// How many ``bodyValues`` there may be.
  public static let bodyCountRange = 0...10_000
  /// What ``depth`` may be.
  public static let depthRange = 1...1_000
  /// What ``rate`` may be.
  public static let rateRange = 0.01...1_000_000.0
  /// What ``churn`` may be.
  public static let churnRange = 0.0...10_000.0
  /// What ``cuts`` may be.
  public static let cutsRange = 0.0...10_000.0

  /// The depth that holds.
  var messageDepth: Int { depth ?? (mode == .flood ? 512 : 1) }

  /// The rate that holds, in messages a second of all pages.
  var messageRate: Double {
    rate ?? (mode == .idle ? Double(pages) / 10 : Double(pages))
  }

  /// Refuses what the generator cannot do.
  ///
  /// - Throws: ``LoadError`` `badOption` that names the option, its value and its bounds.
  func check() throws(LoadError) {
    try Self.check("pages", pages, Self.pagesRange)
    try Self.check("hosts", hosts, Self.hostsRange)
    try Self.check("seconds", seconds, Self.secondsRange)
    try Self.check("ramp", rampSeconds, Self.rampRange)
    try Self.check("drain", drainSeconds, Self.secondsRange)
    for bytes in bodyBytes { try Self.check("size", bytes, Self.bodyBytesRange) }
    try Self.check("messages", bodyValues.count, Self.bodyCountRange)
    if let depth { try Self.check("depth", depth, Self.depthRange) }
    if let rate { try Self.check("rate", rate, Self.rateRange) }
    try Self.check("churn", churn, Self.churnRange)
    try Self.check("cuts", cuts, Self.cutsRange)
    guard pages > 0 || hosts > 0 else {
      throw LoadError(.badOption, "there is nobody to simulate", context: "pages 0, hosts 0")
    }
    guard !bodyBytes.isEmpty else {
      throw LoadError(.badOption, "there is no size", context: "size")
    }
    if foreign != nil, mode != .echo || churn > 0 || cuts > 0 || pages == 0 {
      throw LoadError(
        .badOption, "a foreign relay takes the mode echo with pages, without churn and cuts",
        context: mode.rawValue)
    }
    // The hosts of a shared run are in its first process.
    if mode == .evaluate || mode == .mix, hosts == 0, part.index == 0 {
      throw LoadError(.badOption, "\(mode.rawValue) needs a simulated host", context: "hosts 0")
    }
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
