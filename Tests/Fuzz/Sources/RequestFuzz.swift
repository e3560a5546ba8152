import BridgeProtocol
import WebSocketTransport

@testable import Relay

/// What HTTP requests carry, and text that comes in pieces: the first byte says which.
enum RequestFuzz {
  static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
    var input = FuzzInput(bytes)
    switch input.number(below: 5) {
    case 0: RelayReading.attach(input.rest())
    case 1: RelayReading.dialog(input.rest())
    case 2: range(&input)
    case 3: pieces(&input)
    default: address(input.rest())
    }
  }

  private static func range(_ input: inout FuzzInput) {
    let length = input.number(below: 65_536)
    let header = String(decoding: input.rest(), as: UTF8.self)
    let range = ByteRange(header: header, length: length)
    switch range {
    case .whole: expect(range.contentRange(length: length) == nil, "a Content-Range for all of it")
    case .part(let first, let last):
      expect(0 <= first && first <= last && last < length, "a range outside the content")
    case .unsatisfiable: break
    }
  }

  /// Text cut anywhere is what the standard library says of the whole.
  private static func pieces(_ input: inout FuzzInput) {
    var cuts: [Int] = []
    for _ in 0..<input.number(below: 8) { cuts.append(input.number(below: 65_536)) }
    let text = input.rest()
    let bounds = ([0, text.count] + cuts.map { $0 % (text.count + 1) }).sorted()
    var validator = UTF8Validator()
    let accepts = text.withUnsafeBytes { raw in
      guard let base = raw.baseAddress else { return true }
      return zip(bounds, bounds.dropFirst()).allSatisfy { validator.accepts(base + $0, count: $1 - $0) }
    }
    let isText = String(validating: text, as: UTF8.self) != nil
    expect((accepts && validator.isComplete) == isText, "UTF-8 is judged another way than by the library")
  }

  private static func address(_ text: [UInt8]) {
    let text = String(decoding: text, as: UTF8.self)
    guard let url = try? WebSocketURL(text) else { return }
    expect((1...65_535).contains(url.port) && url.path.hasPrefix("/"), "an address out of range")
    expect((try? WebSocketURL(url.description)) == url, "an address changes when it is written and read")
  }
}
