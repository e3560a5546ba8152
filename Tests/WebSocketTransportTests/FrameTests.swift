import Testing

@testable import WebSocketTransport

struct FrameTests {
  @Test(arguments: [
    (0, [0x81, 0]), (125, [0x81, 125]), (126, [0x81, 126, 0, 126]), (65_535, [0x81, 126, 255, 255]),
    (65_536, [0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]),
  ])
  func writesHeadersOfEachLength(payload: Int, expected: [Int]) {
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 1)
    defer { bytes.deallocate() }
    FrameHeader.write(.text, payload: payload, to: bytes)
    let count = FrameHeader.length(payload: payload)
    #expect(UnsafeRawBufferPointer(start: bytes, count: count).map(Int.init) == expected)
  }

  @Test(arguments: 0..<40)
  func masksEachByteWithItsPartOfTheKey(count: Int) {
    let source = (0..<count).map { UInt8($0) }
    let mask: UInt32 = 0x4433_2211
    var target = [UInt8](repeating: 0, count: count)
    target.withUnsafeMutableBytes { target in
      guard let base = target.baseAddress else { return }
      source.withUnsafeBytes { FrameHeader.copyMasked($0, mask: mask, to: base) }
    }
    let key: [UInt8] = [0x11, 0x22, 0x33, 0x44]
    #expect(target == source.enumerated().map { $1 ^ key[$0 % 4] })
  }

  @Test func masksDiffer() {
    var source = MaskSource()
    let masks = Set((0..<1_000).map { _ in source.next() })
    #expect(masks.count > 990)
  }
}
