/// How the source of a call is made into a script that a page can run as an element.
///
/// An element has no completion value, so the page tries up to three forms; one that does not parse has run nothing.
/// `bridge.js` makes the same texts where a page allows inline scripts, and the protocol article shows them.
enum ScriptForm: Hashable {
  /// The source up to an offset in UTF-16 is one expression.
  case expression(end: Int)
  /// What lies between two offsets, the first of which is that of a semicolon, is the value of the statements before it.
  case last(cut: Int, end: Int)
  /// The source as it is, without a value; the number names the script.
  case statements(number: Int)
  /// The source is the body of an asynchronous function.
  case function

  /// Reads a form from the words of an address; nil for what a page does not ask for.
  init?(_ name: some StringProtocol, number: Int, places: some Collection<some StringProtocol>) {
    let offsets = places.compactMap { Int($0) }
    guard offsets.count == places.count, offsets.allSatisfy({ $0 >= 0 }) else { return nil }
    switch (name, offsets.count) {
    case ("expression", 2) where offsets[0] == 0: self = .expression(end: offsets[1])
    case ("last", 2) where offsets[0] < offsets[1]: self = .last(cut: offsets[0], end: offsets[1])
    case ("statements", 0): self = .statements(number: number)
    case ("function", 0): self = .function
    default: return nil
    }
  }

  /// The script's text; nil if the source has no such place.
  func text(of source: String, parameters: [String]) -> [UInt8]? {
    switch self {
    case .expression(let end):
      guard let last = Self.piece(of: source, from: 0, to: end) else { return nil }
      return Self.value(of: last, after: "\n")
    case .last(let cut, let end):
      guard let start = Self.piece(of: source, from: 0, to: cut),
        let last = Self.piece(of: source, from: cut + 1, to: end),
        Self.piece(of: source, from: cut, to: cut + 1) == ";"
      else { return nil }
      return Array("__pagebridge__.began();\n".utf8) + Array(start.utf8) + Array(";\n".utf8)
        + Self.value(of: last, after: "")
    case .statements(let number):
      // A declaration cannot be the body of an unfinished `if`, so that what does not parse alone does not parse here.
      return Array(source.utf8) + Array("\nconst __pagebridge_\(number)=__pagebridge__.ended()".utf8)
    case .function:
      // An empty name is no name: it must not hide behind the last comma.
      let named = parameters.filter(\.isEmpty) + parameters.filter { !$0.isEmpty }
      return Array("__pagebridge__.value(()=>(async function(\(named.joined(separator: ","))){".utf8)
        + Array(source.utf8) + Array("\n}))".utf8)
    }
  }

  /// An expression twice, of which the first is run: no text can close a round and a square bracket alike.
  private static func value(of expression: Substring, after gap: String) -> [UInt8] {
    let text = Array(expression.utf8)
    return Array("__pagebridge__.value(()=>(\(gap)".utf8) + text + Array("\n));0&&(()=>[\n".utf8) + text
      + Array("\n])".utf8)
  }

  private static func piece(of source: String, from start: Int, to end: Int) -> Substring? {
    let units = source.utf16
    guard start <= end,
      let first = units.index(units.startIndex, offsetBy: start, limitedBy: units.endIndex),
      let last = units.index(first, offsetBy: end - start, limitedBy: units.endIndex)
    else { return nil }
    // Places between the halves of a scalar are none.
    let scalars = source.unicodeScalars
    guard first.samePosition(in: scalars) != nil, last.samePosition(in: scalars) != nil else { return nil }
    return source[first..<last]
  }
}
