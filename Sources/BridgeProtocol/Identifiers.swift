/// The shapes of the names that the wire carries.
public enum Identifiers {
  /// Characters of an instance id: 64 random bits in base64url.
  public static let instanceLength = 11
  /// Characters of a session id: its instance, then 128 random bits in base64url.
  public static let sessionLength = 33
  /// Characters of a document id.
  public static let documentLength = 8
  /// Characters of an epoch.
  public static let epochLength = 8
  /// The most characters of an app's name.
  public static let maxAppLength = 64

  /// Whether the text names an app: a letter or digit, then letters, digits, `.`, `_` and `-`.
  public static func isApp(_ text: some StringProtocol) -> Bool {
    let bytes = text.utf8
    guard let first = bytes.first, bytes.count <= maxAppLength, isLetterOrDigit(first) else { return false }
    return bytes.allSatisfy { isBase64URL($0) || $0 == UInt8(ascii: ".") }
  }

  /// Whether the text has the shape of an instance id.
  public static func isInstance(_ text: some StringProtocol) -> Bool {
    isBase64URL(text, length: instanceLength)
  }

  /// Whether the text has the shape of a session id.
  public static func isSession(_ text: some StringProtocol) -> Bool {
    isBase64URL(text, length: sessionLength)
  }

  /// Whether the text has the shape of a document id.
  public static func isDocument(_ text: some StringProtocol) -> Bool {
    isBase64URL(text, length: documentLength)
  }

  /// Whether the text has the shape of an epoch.
  public static func isEpoch(_ text: some StringProtocol) -> Bool {
    isBase64URL(text, length: epochLength)
  }

  /// The instance that a session belongs to.
  public static func instance(ofSession session: String) -> String {
    String(session.prefix(instanceLength))
  }

  /// Whether the byte is one of base64url's 64 characters (RFC 4648, section 5).
  @inlinable
  public static func isBase64URL(_ byte: UInt8) -> Bool {
    isLetterOrDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }

  @inlinable
  static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default:
      false
    }
  }

  private static func isBase64URL(_ text: some StringProtocol, length: Int) -> Bool {
    text.utf8.count == length && text.utf8.allSatisfy(isBase64URL)
  }
}
