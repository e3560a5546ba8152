import Foundation

/// Makes a value part of a script's source as one JSON literal, so that no text in it can become code.
enum ScriptArgument {
  /// Throws `EncodingError` if JSON has no form for the value.
  static func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // `<` cannot end a script element, and the two separators end a line in older engines.
    return String(decoding: try encoder.encode(value), as: UTF8.self)
      .replacing("<", with: "\\u003C")
      .replacing("\u{2028}", with: "\\u2028")
      .replacing("\u{2029}", with: "\\u2029")
  }
}
