import BridgeProtocol
import COpenSSL

/// The keys of instances and sessions, and fresh ids; all by OpenSSL.
///
/// A key is the base64url of HMAC-SHA256 over what it is for, so any relay with the secret can check it.
struct Keys: Sendable {
  private let secret: [UInt8]

  init(secret: [UInt8]) {
    self.secret = secret
  }

  func instanceKey(app: String, instance: String) -> String {
    code(over: "instance:\(app):\(instance)")
  }

  func sessionKey(app: String, session: String) -> String {
    code(over: "session:\(app):\(session)")
  }

  /// Whether the key is right; it takes the same time for every wrong one.
  func isInstanceKey(_ key: String, app: String, instance: String) -> Bool {
    Self.areEqual(key, instanceKey(app: app, instance: instance))
  }

  /// Whether the key is right; it takes the same time for every wrong one.
  func isSessionKey(_ key: String, app: String, session: String) -> Bool {
    Self.areEqual(key, sessionKey(app: app, session: session))
  }

  private func code(over text: String) -> String {
    var digest = [UInt8](repeating: 0, count: 32)
    var count: UInt32 = 0
    let bytes = Array(text.utf8)
    HMAC(EVP_sha256(), secret, CInt(secret.count), bytes, bytes.count, &digest, &count)
    return Self.base64URL(digest)
  }

  private static func areEqual(_ left: String, _ right: String) -> Bool {
    let left = Array(left.utf8)
    let right = Array(right.utf8)
    return left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
  }

  /// Random bytes in base64url: 8 bytes make 11 characters, 16 make 22.
  static func random(bytes count: Int) -> String {
    base64URL(randomBytes(count))
  }

  static func randomBytes(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    // Without random bytes ids could be guessed: there is no way to go on.
    precondition(RAND_bytes(&bytes, CInt(count)) == 1, "OpenSSL has no random bytes")
    return bytes
  }

  /// Base64 with the alphabet of URLs (RFC 4648, section 5) and without padding.
  static func base64URL(_ bytes: [UInt8]) -> String {
    let count = (bytes.count * 8 + 5) / 6
    return String(unsafeUninitializedCapacity: count) { text in
      var bits: UInt32 = 0
      var bitCount: UInt32 = 0
      var position = 0
      for byte in bytes {
        bits = bits << 8 | UInt32(byte)
        bitCount += 8
        while bitCount >= 6 {
          bitCount -= 6
          text[position] = alphabet[Int(bits >> bitCount & 63)]
          position += 1
        }
      }
      if bitCount > 0 { text[position] = alphabet[Int(bits << (6 - bitCount) & 63)] }
      return count
    }
  }

  /// The 64 characters in the order of their values.
  static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
}
