import BridgeProtocol
import Foundation

/// One answer under way: what is left of it and how much of it the relay has room for.
struct ContentStream: Sendable {
  enum Source: Sendable {
    case bytes([UInt8])
    case file(ServedFile)
  }

  let id: Int
  let source: Source
  let length: Int
  private(set) var offset = 0
  private var credit = Limits.contentCreditBytes
  /// Whether a read of the file is under way.
  var isReading = false

  init(id: Int, source: Source, length: Int) {
    self.id = id
    self.source = source
    self.length = length
  }

  var isFinished: Bool { offset >= length }

  /// How many bytes may go out now.
  var allowance: Int { min(credit, length - offset) }

  mutating func grant(_ bytes: Int) {
    // A relay that grants without end cannot overflow the count.
    credit = min(credit + bytes, Int.max / 2)
  }

  /// Takes the next bytes of content in memory, as far as the credit goes.
  mutating func take(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    let piece = bytes[offset..<offset + allowance]
    advance(piece.count)
    return piece
  }

  mutating func advance(_ count: Int) {
    offset += count
    credit -= count
  }

  /// The wire texts of a piece of content, each of at most ``Limits/contentPartBytes``.
  static func parts(id: Int, _ bytes: ArraySlice<UInt8>) -> [[UInt8]] {
    stride(from: bytes.startIndex, to: bytes.endIndex, by: Limits.contentPartBytes).map { start in
      let end = min(start + Limits.contentPartBytes, bytes.endIndex)
      return HostControl.contentPart(id: id, base64: Data(bytes[start..<end]).base64EncodedString())
    }
  }
}
