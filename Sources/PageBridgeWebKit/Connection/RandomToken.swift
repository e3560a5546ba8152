import COpenSSL

/// Unguessable names in base64url (RFC 4648, section 5).
enum RandomToken {
  /// 128 random bits: 22 characters.
  static func bits128() -> String { text(bytes: 16) }
  /// 48 random bits: 8 characters, the length of an epoch.
  static func bits48() -> String { text(bytes: 6) }

  private static func text(bytes count: Int) -> String {
    var bytes = [UInt8](repeating: 0, count: count)
    // A generator that cannot be seeded leaves nothing to fall back on that would be unguessable.
    precondition(RAND_bytes(&bytes, Int32(count)) == 1, "OpenSSL has no random bytes")
    return base64URL(bytes)
  }

  private static func base64URL(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var text: [UInt8] = []
    var buffer: UInt32 = 0
    var bits: UInt32 = 0
    for byte in bytes {
      buffer = (buffer << 8) | UInt32(byte)
      bits += 8
      while bits >= 6 {
        bits -= 6
        text.append(alphabet[Int((buffer >> bits) & 63)])
      }
    }
    if bits > 0 { text.append(alphabet[Int((buffer << (6 - bits)) & 63)]) }
    return String(decoding: text, as: UTF8.self)
  }
}
