import Foundation

@testable import PageBridgeWebKit

/// The place of the bridge in HTML of any kind, and the markup that goes there.
enum MarkupFuzz {
  static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
    let html = Array(bytes)
    let place = HTMLHead.offset(in: html)
    expect(0 <= place && place <= html.count, "a place outside the text")
    let mark = Array("<script></script>".utf8)
    let result = HTMLHead.inserting(mark, into: html)
    expect(result == Array(html[..<place]) + mark + html[place...], "the insertion changes the text")
    expect(isHarmless(html[..<place]), "something of the page comes before the bridge")
    // What stands before the bridge is what it would be without the rest of the text.
    expect(HTMLHead.offset(in: Array(html[..<place])) == place, "the place depends on what follows it")
    base(String(decoding: html, as: UTF8.self))
  }

  private static func base(_ text: String) {
    let markup = String(decoding: BridgeMarkup(app: "fuzz").head(base: text), as: UTF8.self)
    let quotes = markup.unicodeScalars.count { $0 == "\"" }
    let angles = markup.unicodeScalars.count { $0 == "<" }
    expect(quotes == 6 && angles == 3, "an address leaves its attribute")
  }

  /// Whether a parser makes nothing but comments, a document type and the elements html and head of the text (HTML, sections
  /// 13.2.5.41 to 13.2.5.52): written for this test, in another way than what it tests.
  private static func isHarmless(_ text: ArraySlice<UInt8>) -> Bool {
    var rest = String(decoding: text, as: UTF8.self).unicodeScalars[...]
    func takes(_ word: String) -> Bool {
      let head = String(String.UnicodeScalarView(rest.prefix(word.count))).lowercased()
      guard head == word else { return false }
      rest = rest.dropFirst(word.count)
      return true
    }
    func takesUntil(_ words: [String]) -> Bool {
      while !rest.isEmpty {
        for word in words where takes(word) { return true }
        rest = rest.dropFirst()
      }
      return false
    }
    if rest.first == "\u{FEFF}" { rest = rest.dropFirst() }
    while !rest.isEmpty {
      if takes("<!--") {
        if takes(">") || takes("->") { continue }
        guard takesUntil(["-->", "--!>"]) else { return false }
      } else if takes("<!") || takes("<?") {
        guard takesUntil([">"]) else { return false }
      } else if takes("<html") || takes("<head") {
        guard let next = rest.first, " \t\n\u{C}\r/>".unicodeScalars.contains(next), takesTag() else {
          return false
        }
      } else if let next = rest.first, " \t\n\u{C}\r".unicodeScalars.contains(next) {
        rest = rest.dropFirst()
      } else {
        return false
      }
    }
    return true

    /// A tag's attributes (HTML, sections 13.2.5.32 to 13.2.5.40): quotes count only where a value begins.
    func takesTag() -> Bool {
      enum State {
        case beforeName, name, beforeValue, value
        case quoted(Unicode.Scalar)
      }
      var state = State.beforeName
      while let next = rest.popFirst() {
        let isSpace = " \t\n\u{C}\r".unicodeScalars.contains(next)
        switch state {
        case .quoted(let quote): if next == quote { state = .beforeName }
        case _ where next == ">": return true
        case .beforeName: if !isSpace, next != "/" { state = .name }
        case .name:
          if next == "=" { state = .beforeValue } else if next == "/" { state = .beforeName }
        case .beforeValue:
          if next == "\"" || next == "'" { state = .quoted(next) } else if !isSpace { state = .value }
        case .value: if isSpace { state = .beforeName }
        }
      }
      return false
    }
  }
}
