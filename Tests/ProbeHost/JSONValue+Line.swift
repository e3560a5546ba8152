import Foundation

extension JSONValue {
  /// The value as one line of JSON, members in the order of their names. Depth costs no stack; Foundation's encoder ends the
  /// process at some hundred levels.
  var line: Data {
    enum Piece {
      case value(JSONValue)
      case text(String)
    }
    var line = Data()
    var rest: [Piece] = [.text("\n"), .value(self)]
    while let piece = rest.popLast() {
      switch piece {
      case .text(let text): line.append(contentsOf: text.utf8)
      case .value(.null): line.append(contentsOf: "null".utf8)
      case .value(.bool(let flag)): line.append(contentsOf: (flag ? "true" : "false").utf8)
      case .value(.number(let number)):
        line.append(contentsOf: (Int(exactly: number).map { "\($0)" } ?? "\(number)").utf8)
      case .value(.string(let text)): line.append(Self.quoted(text))
      case .value(.array(let elements)):
        rest.append(.text("]"))
        for (index, element) in elements.enumerated().reversed() {
          rest.append(.value(element))
          if index > 0 { rest.append(.text(",")) }
        }
        rest.append(.text("["))
      case .value(.object(let members)):
        rest.append(.text("}"))
        for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated().reversed() {
          rest.append(.value(member.value))
          let name = String(decoding: Self.quoted(member.key), as: UTF8.self)
          rest.append(.text((index > 0 ? "," : "") + name + ":"))
        }
        rest.append(.text("{"))
      }
    }
    return line
  }

  private static func quoted(_ text: String) -> Data {
    var data = Data([0x22])
    for byte in text.utf8 {
      switch byte {
      case 0x22, 0x5C: data.append(contentsOf: [0x5C, byte])
      case 0..<0x20: data.append(contentsOf: String(format: "\\u%04x", byte).utf8)
      default: data.append(byte)
      }
    }
    data.append(0x22)
    return data
  }
}
