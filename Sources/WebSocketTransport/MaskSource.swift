import COpenSSL

/// Masking keys of a client's frames from OpenSSL's random source, fetched many at a time (RFC 6455, section 10.3,
/// wants them unpredictable).
struct MaskSource {
  private static let count = 64
  private var keys = [UInt32](repeating: 0, count: count)
  private var used = count

  mutating func next() -> UInt32 {
    if used == Self.count {
      let filled = keys.withUnsafeMutableBytes { buffer in
        RAND_bytes(buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), CInt(buffer.count)) == 1
      }
      if !filled {
        // OpenSSL has no entropy: the system's source is slower and always there.
        var generator = SystemRandomNumberGenerator()
        for index in keys.indices { keys[index] = UInt32(truncatingIfNeeded: generator.next()) }
      }
      used = 0
    }
    defer { used += 1 }
    return keys[used]
  }
}
