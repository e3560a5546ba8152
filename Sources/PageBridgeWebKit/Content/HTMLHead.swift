/// Finds the place in HTML text where the bridge's script has to stand: first in the head.
enum HTMLHead {
  /// The text with an insertion at the start of its head, whether or not it writes the head's tag.
  static func inserting(_ insertion: some Sequence<UInt8>, into html: [UInt8]) -> [UInt8] {
    let place = offset(in: html)
    var result: [UInt8] = []
    result.reserveCapacity(html.count + 256)
    result.append(contentsOf: html[..<place])
    result.append(contentsOf: insertion)
    result.append(contentsOf: html[place...])
    return result
  }

  /// The offset behind byte order mark, document type, comments and the tags `html` and `head`, as far as they are there.
  ///
  /// A parser that meets a script element at this place makes the head around it (HTML, section 13.2.6.4).
  static func offset(in html: [UInt8]) -> Int {
    var scanner = Scanner(html: html)
    scanner.skip([0xEF, 0xBB, 0xBF])
    scanner.skipInsignificant()
    scanner.skipTag("html")
    scanner.skipInsignificant()
    scanner.skipTag("head")
    return scanner.committed
  }

  /// Where in a start tag, outside of quotation marks or inside.
  private enum TagPlace {
    case betweenAttributes
    case name
    case beforeValue
    case value
    case quoted(UInt8)

    /// The place behind a byte that ends no tag.
    func after(_ byte: UInt8, isSpace: Bool) -> TagPlace {
      switch (self, byte) {
      case (.quoted, _): self
      case (.betweenAttributes, UInt8(ascii: "/")): .betweenAttributes
      case (.betweenAttributes, _): isSpace ? .betweenAttributes : .name
      case (.name, UInt8(ascii: "=")): .beforeValue
      case (.name, UInt8(ascii: "/")): .betweenAttributes
      case (.name, _): .name
      case (.beforeValue, UInt8(ascii: "\"")), (.beforeValue, UInt8(ascii: "'")): .quoted(byte)
      case (.beforeValue, _): isSpace ? .beforeValue : .value
      case (.value, _): isSpace ? .betweenAttributes : .value
      }
    }
  }

  private struct Scanner {
    let html: [UInt8]
    var position = 0
    /// The place behind the last thing that must come before the script.
    var committed = 0

    mutating func skip(_ bytes: [UInt8]) {
      guard html[position...].starts(with: bytes) else { return }
      position += bytes.count
      committed = position
    }

    /// White space, comments, the document type and bogus comments.
    mutating func skipInsignificant() {
      while position < html.count {
        if isSpace(html[position]) {
          position += 1
        } else if starts("<!--") {
          guard let end = commentEnd(from: position + 4) else { return }
          position = end
          committed = position
        } else if starts("<!") || starts("<?") {
          guard let end = find(">", from: position + 2) else { return }
          position = end
          committed = position
        } else {
          return
        }
      }
    }

    /// One start tag of that name, its attributes included.
    mutating func skipTag(_ name: StaticString) {
      let length = name.utf8CodeUnitCount
      guard position + length + 1 < html.count, html[position] == UInt8(ascii: "<") else { return }
      for index in 0..<length where html[position + 1 + index] | 0x20 != name.utf8Start[index] { return }
      var end = position + 1 + length
      guard isSpace(html[end]) || html[end] == UInt8(ascii: ">") || html[end] == UInt8(ascii: "/") else {
        return
      }
      // Quotation marks count only where an attribute's value begins (HTML, section 13.2.5.37).
      var place = TagPlace.betweenAttributes
      while end < html.count {
        let byte = html[end]
        end += 1
        switch place {
        case .quoted(let quote):
          if byte == quote { place = .betweenAttributes }
        case .betweenAttributes, .name, .beforeValue, .value:
          if byte == UInt8(ascii: ">") {
            position = end
            committed = end
            return
          }
          place = place.after(byte, isSpace: isSpace(byte))
        }
      }
    }

    /// The offset behind a comment's end (HTML, section 13.2.5.43 and after): `>` and `->` end one that is empty.
    private func commentEnd(from start: Int) -> Int? {
      if start < html.count, html[start] == UInt8(ascii: ">") { return start + 1 }
      if start + 1 < html.count, html[start] == UInt8(ascii: "-"), html[start + 1] == UInt8(ascii: ">") {
        return start + 2
      }
      return [find("-->", from: start), find("--!>", from: start)].compactMap(\.self).min()
    }

    private func isSpace(_ byte: UInt8) -> Bool {
      byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0C || byte == 0x0D
    }

    private func starts(_ text: StaticString) -> Bool {
      guard position + text.utf8CodeUnitCount <= html.count else { return false }
      for index in 0..<text.utf8CodeUnitCount where html[position + index] != text.utf8Start[index] {
        return false
      }
      return true
    }

    private func find(_ text: StaticString, from start: Int) -> Int? {
      let length = text.utf8CodeUnitCount
      var place = start
      while place + length <= html.count {
        if (0..<length).allSatisfy({ html[place + $0] == text.utf8Start[$0] }) { return place + length }
        place += 1
      }
      return nil
    }
  }
}
