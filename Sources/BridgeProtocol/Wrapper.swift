/// The fixed frame around a bridge message on a host's connection: `["<session>.<document>",<message>]`.
///
/// Its length never varies, so that both ends slice it by offset and parse nothing.
public enum Wrapper {
  /// Offset of the session id.
  public static let sessionOffset = 2
  /// Offset of the document id.
  public static let documentOffset = sessionOffset + Identifiers.sessionLength + 1
  /// Offset of the message: the bytes before it are the wrapper's prefix.
  public static let prefixLength = documentOffset + Identifiers.documentLength + 2
  /// Bytes after the message.
  public static let suffixLength = 1
  /// The bytes that wrapping adds.
  public static let overhead = prefixLength + suffixLength

  /// The wrapper's bytes in front of a message, ``prefixLength`` of them.
  public static func prefix(session: String, document: String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(prefixLength)
    bytes.append(contentsOf: #"[""#.utf8)
    bytes.append(contentsOf: session.utf8)
    bytes.append(UInt8(ascii: "."))
    bytes.append(contentsOf: document.utf8)
    bytes.append(contentsOf: #"","#.utf8)
    return bytes
  }

  /// Whether the bytes have the wrapper's shape around something that begins like an object.
  ///
  /// It looks at the fixed places only: what the session and document name is for the caller to check.
  @inlinable
  public static func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.count > overhead
      && bytes[0] == UInt8(ascii: "[") && bytes[1] == UInt8(ascii: "\"")
      && bytes[documentOffset - 1] == UInt8(ascii: ".")
      && bytes[prefixLength - 2] == UInt8(ascii: "\"") && bytes[prefixLength - 1] == UInt8(ascii: ",")
      && bytes[prefixLength] == UInt8(ascii: "{") && bytes[bytes.count - 1] == UInt8(ascii: "]")
  }
}
