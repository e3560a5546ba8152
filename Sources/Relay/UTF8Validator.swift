/// Checks that text which comes in pieces is UTF-8 (RFC 3629), cut anywhere.
struct UTF8Validator {
  /// How many bytes of the present character are still to come.
  private var missing: UInt8 = 0
  /// The range of the next byte.
  private var lowest: UInt8 = 0x80
  private var highest: UInt8 = 0xBF

  /// Whether the text so far ends with a whole character.
  @inline(__always)
  var isComplete: Bool { missing == 0 }

  /// Takes the next bytes; false if they cannot continue the text.
  @inline(__always)
  mutating func accepts(_ bytes: UnsafeRawPointer, count: Int) -> Bool {
    var offset = 0
    if missing == 0 {
      // Nearly all text is ASCII: 32 bytes at a time.
      while offset &+ 32 <= count {
        let first = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        let second = bytes.loadUnaligned(fromByteOffset: offset &+ 8, as: UInt64.self)
        let third = bytes.loadUnaligned(fromByteOffset: offset &+ 16, as: UInt64.self)
        let fourth = bytes.loadUnaligned(fromByteOffset: offset &+ 24, as: UInt64.self)
        guard (first | second | third | fourth) & 0x8080_8080_8080_8080 == 0 else { break }
        offset &+= 32
      }
    }
    return acceptsSlowly(bytes, from: offset, count: count)
  }

  private mutating func acceptsSlowly(_ bytes: UnsafeRawPointer, from start: Int, count: Int) -> Bool {
    var offset = start
    while offset < count {
      if missing == 0, offset &+ 8 <= count {
        let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        if word & 0x8080_8080_8080_8080 == 0 {
          offset &+= 8
          continue
        }
      }
      guard step(bytes.load(fromByteOffset: offset, as: UInt8.self)) else { return false }
      offset &+= 1
    }
    return true
  }

  @inline(__always)
  private mutating func step(_ byte: UInt8) -> Bool {
    if missing > 0 {
      guard byte >= lowest, byte <= highest else { return false }
      missing &-= 1
      lowest = 0x80
      highest = 0xBF
      return true
    }
    switch byte {
    case 0x00...0x7F: return true
    case 0xC2...0xDF: missing = 1
    case 0xE0: (missing, lowest) = (2, 0xA0)  // shorter forms exist
    case 0xED: (missing, highest) = (2, 0x9F)  // surrogates
    case 0xE1...0xEF: missing = 2
    case 0xF0: (missing, lowest) = (3, 0x90)  // shorter forms exist
    case 0xF4: (missing, highest) = (3, 0x8F)  // above U+10FFFF
    case 0xF1...0xF3: missing = 3
    default: return false
    }
    return true
  }
}
