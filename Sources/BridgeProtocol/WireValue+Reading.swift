extension WireValue {
  /// Reads a value from its notation on the wire.
  ///
  /// Strings, finite numbers, booleans, null, arrays and objects are JSON's own. An object whose only member is `$` holds
  /// what JSON lacks: `["undefined"]`, `["number", "NaN" | "Infinity" | "-Infinity" | "-0"]` or `["date", milliseconds]`.
  /// A member of an ordinary object whose name consists of `$` only is written with one `$` more.
  ///
  /// - Parameters:
  ///   - json: one value in UTF-8; white space around it is passed over.
  ///   - enclosing: levels around the values that the limit is about, such as the members of a message.
  /// - Throws: ``WireError`` `malformed`, `wrongShape` (an unknown tag) or `tooDeep`.
  public init(json: some Sequence<UInt8>, enclosing: Int = 0) throws(WireError) {
    let text = ContiguousArray(json)
    var outcome: Result<WireValue, WireError> = .success(.undefined)
    text.withUnsafeBufferPointer { bytes in
      do throws(WireError) {
        outcome = .success(try WireValue(reading: bytes, enclosing: enclosing))
      } catch {
        outcome = .failure(error)
      }
    }
    self = try outcome.get()
  }

  /// Reads a value from its notation on the wire, as ``init(json:enclosing:)`` does.
  public init(reading bytes: UnsafeBufferPointer<UInt8>, enclosing: Int = 0) throws(WireError) {
    var reader = ValueReader(JSONScanner(bytes), maxDepth: Limits.maxValueDepth + enclosing)
    self = try reader.read()
    reader.scanner.skipWhitespace()
    guard reader.scanner.isAtEnd else { throw reader.scanner.malformed("text after the value") }
  }
}

/// Reads one value with a stack of its own, so that depth costs memory and not the thread's stack.
private struct ValueReader {
  /// An array or object that is still open; an object has the name of the member that is being read.
  struct Container {
    var elements: [WireValue] = []
    var members: [WireValue.Member] = []
    var name: String?
  }

  var scanner: JSONScanner
  let maxDepth: Int
  var stack: [Container] = []

  init(_ scanner: JSONScanner, maxDepth: Int) {
    self.scanner = scanner
    self.maxDepth = maxDepth
  }

  mutating func read() throws(WireError) -> WireValue {
    while true {
      var value: WireValue
      switch try scanner.peek() {
      case UInt8(ascii: "{"):
        try enter()
        if try scanner.peek() == UInt8(ascii: "}") {
          scanner.position += 1
          value = .object([])
        } else {
          stack.append(Container(name: try memberName()))
          continue
        }
      case UInt8(ascii: "["):
        try enter()
        if try scanner.peek() == UInt8(ascii: "]") {
          scanner.position += 1
          value = .array([])
        } else {
          stack.append(Container())
          continue
        }
      case UInt8(ascii: "\""): value = .string(try scanner.string())
      case UInt8(ascii: "t"):
        try scanner.consumeLiteral("true")
        value = .bool(true)
      case UInt8(ascii: "f"):
        try scanner.consumeLiteral("false")
        value = .bool(false)
      case UInt8(ascii: "n"):
        try scanner.consumeLiteral("null")
        value = .null
      default: value = .number(try scanner.number())
      }
      // Hand the finished value up until a container wants another one.
      while true {
        guard !stack.isEmpty else { return value }
        guard let finished = try add(value) else { break }
        value = finished
      }
    }
  }

  /// Steps into a container, unless that is one level too many.
  private mutating func enter() throws(WireError) {
    guard stack.count < maxDepth else {
      throw WireError(.tooDeep, "a value nests too deep", context: "limit \(Limits.maxValueDepth) levels")
    }
    scanner.position += 1
  }

  private mutating func memberName() throws(WireError) -> String {
    guard try scanner.peek() == UInt8(ascii: "\"") else {
      throw scanner.malformed("expected a member's name")
    }
    let name = try scanner.string()
    try scanner.consume(UInt8(ascii: ":"))
    return name
  }

  /// Adds a value to the innermost container, in place; answers that container as a value when it ends there.
  private mutating func add(_ value: WireValue) throws(WireError) -> WireValue? {
    let separator = try scanner.peek()
    scanner.position += 1
    let last = stack.count - 1
    if let name = stack[last].name {
      stack[last].members.append(WireValue.Member(name, value))
      if separator == UInt8(ascii: "}") { return try Self.untagged(stack.removeLast().members) }
      guard separator == UInt8(ascii: ",") else { throw scanner.malformed("expected ',' or '}'") }
      stack[last].name = try memberName()
    } else {
      stack[last].elements.append(value)
      if separator == UInt8(ascii: "]") { return .array(stack.removeLast().elements) }
      guard separator == UInt8(ascii: ",") else { throw scanner.malformed("expected ',' or ']'") }
    }
    return nil
  }

  private static func untagged(_ members: [WireValue.Member]) throws(WireError) -> WireValue {
    guard members.count == 1, members[0].name == "$" else {
      guard members.contains(where: { $0.name.utf8.first == UInt8(ascii: "$") }) else {
        return .object(members)
      }
      return .object(members.map { WireValue.Member(unescaped($0.name), $0.value) })
    }
    guard case .array(let tag) = members[0].value, let kind = tag.first?.string else {
      throw WireError(.wrongShape, "a tagged value without its kind")
    }
    let argument = tag.count > 1 ? tag[1] : .undefined
    switch (kind, argument) {
    case ("undefined", .undefined): return .undefined
    case ("number", .string("NaN")): return .number(.nan)
    case ("number", .string("Infinity")): return .number(.infinity)
    case ("number", .string("-Infinity")): return .number(-.infinity)
    case ("number", .string("-0")): return .number(-0.0)
    case ("date", .number(let milliseconds)): return .date(milliseconds: milliseconds)
    case ("date", .string("NaN")): return .date(milliseconds: .nan)
    default:
      throw WireError(.wrongShape, "an unknown tagged value", context: "kind of \(kind.utf8.count) bytes")
    }
  }

  private static func unescaped(_ name: String) -> String {
    !name.isEmpty && name.utf8.allSatisfy { $0 == UInt8(ascii: "$") } ? String(name.dropFirst()) : name
  }
}
