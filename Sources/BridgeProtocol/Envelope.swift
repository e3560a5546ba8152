/// What stands around a bridge message: its counters and what kind of message it is.
///
/// Reading it builds no value: `params`, `result` and `error` are ranges of the text, read when they are wanted.
public struct Envelope: Sendable {
  /// Both ends' first words after an attach.
  public struct Sync: Hashable, Sendable {
    /// The attach that both ends belong to.
    public var attach: Int
    /// The document it is about.
    public var document: String
    /// The host's epoch; what the page knows of it, empty if nothing.
    public var epoch: String
    /// The oldest number that the sender still holds; its next one if it holds none.
    public var base: Int
    /// The highest number that the sender has received without a gap.
    public var received: Int
    /// The last of the sender's numbers that carries a message of an earlier document; 0 if none does.
    public var carried: Int

    /// Makes a sync.
    public init(attach: Int, document: String, epoch: String, base: Int, received: Int, carried: Int = 0) {
      self.attach = attach
      self.document = document
      self.epoch = epoch
      self.base = base
      self.received = received
      self.carried = carried
    }

    /// The wire text.
    public var bytes: [UInt8] {
      var writer = JSONWriter(capacity: 128)
      writer.raw(#"{"sync":{"attach":"#)
      writer.integer(attach)
      writer.raw(#","document":"#)
      writer.string(document)
      writer.raw(#","epoch":"#)
      writer.string(epoch)
      writer.raw(#","base":"#)
      writer.integer(base)
      writer.raw(#","received":"#)
      writer.integer(received)
      writer.raw(#","carried":"#)
      writer.integer(carried)
      writer.raw("}}")
      return writer.bytes
    }
  }

  /// One piece of a long message.
  public struct Part: Hashable, Sendable {
    /// From 1 to `count`.
    public var index: Int
    /// How many parts there are.
    public var count: Int

    /// Makes a part's place.
    public init(index: Int, count: Int) {
      self.index = index
      self.count = count
    }
  }

  /// Where a carried message comes from: a document that was left before its host had handled it.
  public struct Origin: Hashable, Sendable {
    /// The document that it came from first.
    public var document: String
    /// The message's number among those of that document.
    public var number: Int

    /// Makes an origin.
    public init(document: String, number: Int) {
      self.document = document
      self.number = number
    }
  }

  /// The text that the ranges belong to.
  public let text: [UInt8]
  /// `n`: the message's number; nil if it only acknowledges.
  public private(set) var number: Int?
  /// `a`: the highest number that the sender has received.
  public private(set) var received: Int?
  /// `d`: the highest number that the sender has handled.
  public private(set) var done: Int?
  /// Whether it was sent to an earlier life of the host.
  public private(set) var isAgain = false
  /// What ties a call and its answer together.
  public private(set) var id: String?
  /// What a call or message is about; nil of an answer.
  public private(set) var method: String?
  /// Which part of a long message it is.
  public private(set) var part: Part?
  /// The text of that part.
  public private(set) var partText: [UInt8]?
  /// The sync that it is, if it is one.
  public private(set) var sync: Sync?
  /// Set on a message that the next document of a tab sends on.
  public private(set) var origin: Origin?
  private var paramsRange: Range<Int>?
  private var resultRange: Range<Int>?
  private var errorRange: Range<Int>?

  /// The bytes of `params`.
  public var params: ArraySlice<UInt8>? { paramsRange.map { text[$0] } }
  /// The bytes of `result`.
  public var result: ArraySlice<UInt8>? { resultRange.map { text[$0] } }
  /// The bytes of `error`.
  public var error: ArraySlice<UInt8>? { errorRange.map { text[$0] } }

  /// Reads the envelope of one bridge message; unknown members are passed over.
  ///
  /// - Parameters:
  ///   - text: the whole message, in UTF-8.
  ///   - isAgain: whether it came in parts of which one was sent to an earlier life of the host.
  /// - Throws: ``WireError`` `malformed` or `wrongShape`.
  public init(_ text: [UInt8], isAgain: Bool = false) throws(WireError) {
    self.text = text
    self.isAgain = isAgain
    var failure: WireError?
    text.withUnsafeBufferPointer { bytes in
      do throws(WireError) {
        try read(JSONScanner(bytes))
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }

  private mutating func read(_ start: JSONScanner) throws(WireError) {
    var scanner = start
    try scanner.consume(UInt8(ascii: "{"))
    if try scanner.peek() == UInt8(ascii: "}") { return }
    while true {
      let name = try scanner.string()
      try scanner.consume(UInt8(ascii: ":"))
      try readMember(name, &scanner)
      let separator = try scanner.peek()
      scanner.position += 1
      if separator == UInt8(ascii: "}") { break }
      guard separator == UInt8(ascii: ",") else { throw scanner.malformed("expected ',' or '}'") }
    }
    scanner.skipWhitespace()
    guard scanner.isAtEnd else { throw scanner.malformed("text after the message") }
  }

  private mutating func readMember(_ name: String, _ scanner: inout JSONScanner) throws(WireError) {
    switch name {
    case "n": number = try Self.count(&scanner, name)
    case "a": received = try Self.count(&scanner, name)
    case "d": done = try Self.count(&scanner, name)
    case "again":
      try scanner.consumeLiteralAfterSpace("true")
      isAgain = true
    case "id": id = try Self.text(&scanner, name)
    case "method": method = try Self.text(&scanner, name)
    case "params": paramsRange = try scanner.skipValue()
    case "result": resultRange = try scanner.skipValue()
    case "error": errorRange = try scanner.skipValue()
    case "part":
      try scanner.consume(UInt8(ascii: "["))
      let index = try Self.count(&scanner, name)
      try scanner.consume(UInt8(ascii: ","))
      let count = try Self.count(&scanner, name)
      try scanner.consume(UInt8(ascii: "]"))
      guard index >= 1, index <= count else {
        throw WireError(.wrongShape, "'part' is out of range", context: "\(index) of \(count)")
      }
      part = Part(index: index, count: count)
    case "text": partText = Array(try Self.text(&scanner, name).utf8)
    case "from":
      let range = try scanner.skipValue()
      origin = try Origin(WireValue(json: text[range]))
    case "sync":
      let range = try scanner.skipValue()
      sync = try Sync(WireValue(json: text[range]))
    default: _ = try scanner.skipValue()
    }
  }

  private static func count(_ scanner: inout JSONScanner, _ name: String) throws(WireError) -> Int {
    _ = try scanner.peek()
    guard let value = Int(whole: try scanner.number()), value >= 0 else {
      throw WireError(.wrongShape, "'\(name)' is no count")
    }
    return value
  }

  private static func text(_ scanner: inout JSONScanner, _ name: String) throws(WireError) -> String {
    guard try scanner.peek() == UInt8(ascii: "\"") else {
      throw WireError(.wrongShape, "'\(name)' is no string")
    }
    return try scanner.string()
  }
}

extension Envelope.Sync {
  /// Reads the members of a sync.
  init(_ value: WireValue) throws(WireError) {
    func count(_ name: String) throws(WireError) -> Int {
      guard let number = value[name]?.number, let count = Int(whole: number), count >= 0 else {
        throw WireError(.wrongShape, "sync: '\(name)' is no count")
      }
      return count
    }
    guard let document = value["document"]?.string, let epoch = value["epoch"]?.string else {
      throw WireError(.wrongShape, "sync: 'document' or 'epoch' is no string")
    }
    self.init(
      attach: try count("attach"), document: document, epoch: epoch, base: try count("base"),
      received: try count("received"), carried: try count("carried"))
  }
}

extension Envelope.Origin {
  /// Reads the members of `from`.
  init(_ value: WireValue) throws(WireError) {
    guard let document = value["document"]?.string, Identifiers.isDocument(document),
      let number = value["n"]?.number.flatMap({ Int(whole: $0) }), number >= 1
    else { throw WireError(.wrongShape, "from: 'document' or 'n' is wrong") }
    self.init(document: document, number: number)
  }
}

extension JSONScanner {
  mutating func consumeLiteralAfterSpace(_ literal: StaticString) throws(WireError) {
    _ = try peek()
    try consumeLiteral(literal)
  }
}
