/// The header of a WebSocket frame (RFC 6455, section 5.2), written into memory that is at hand.
package enum FrameHeader {
  /// What a frame carries.
  package enum Opcode: UInt8 {
    case continuation = 0x0
    case text = 0x1
    case close = 0x8
    case ping = 0x9
  }

  /// The most bytes a header has: with a 64-bit length and a mask.
  static let maxBytes = 14

  /// Bytes of the header in front of that many bytes of payload.
  @inline(__always)
  package static func length(payload: Int, isMasked: Bool = false) -> Int {
    (payload < 126 ? 2 : payload < 65_536 ? 4 : 10) + (isMasked ? 4 : 0)
  }

  /// Writes the header of a whole, unmasked message.
  @inline(__always)
  package static func write(_ opcode: Opcode, payload: Int, to target: UnsafeMutableRawPointer) {
    write(0x80 | opcode.rawValue, payload: payload, maskBit: 0, to: target)
  }

  /// Writes the header of a message, or of a piece of one, with its masking key.
  static func write(
    _ opcode: Opcode, isFinal: Bool, payload: Int, mask: UInt32, to target: UnsafeMutableRawPointer
  ) {
    write((isFinal ? 0x80 : 0) | opcode.rawValue, payload: payload, maskBit: 0x80, to: target)
    (target + length(payload: payload)).storeBytes(of: mask, as: UInt32.self)
  }

  @inline(__always)
  private static func write(
    _ first: UInt8, payload: Int, maskBit: UInt8, to target: UnsafeMutableRawPointer
  ) {
    target.storeBytes(of: first, as: UInt8.self)
    if payload < 126 {
      target.storeBytes(of: maskBit | UInt8(truncatingIfNeeded: payload), toByteOffset: 1, as: UInt8.self)
    } else if payload < 65_536 {
      target.storeBytes(of: maskBit | 126, toByteOffset: 1, as: UInt8.self)
      target.storeBytes(of: UInt16(truncatingIfNeeded: payload).bigEndian, toByteOffset: 2, as: UInt16.self)
    } else {
      target.storeBytes(of: maskBit | 127, toByteOffset: 1, as: UInt8.self)
      target.storeBytes(of: UInt64(payload).bigEndian, toByteOffset: 2, as: UInt64.self)
    }
  }

  /// Copies the payload and applies the masking key, eight bytes at a time.
  static func copyMasked(
    _ source: UnsafeRawBufferPointer, mask: UInt32, to target: UnsafeMutableRawPointer
  ) {
    guard let base = source.baseAddress else { return }
    let wide = UInt64(mask) | UInt64(mask) << 32
    var offset = 0
    while offset + 8 <= source.count {
      let word = base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      target.storeBytes(of: word ^ wide, toByteOffset: offset, as: UInt64.self)
      offset += 8
    }
    while offset < source.count {
      let key = UInt8(truncatingIfNeeded: mask >> UInt32((offset & 3) * 8))
      target.storeBytes(
        of: base.load(fromByteOffset: offset, as: UInt8.self) ^ key, toByteOffset: offset, as: UInt8.self)
      offset += 1
    }
  }
}
