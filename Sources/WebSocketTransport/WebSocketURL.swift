/// The address of a WebSocket: `ws` or `wss`, host, port and path.
public struct WebSocketURL: Sendable, Hashable, CustomStringConvertible {
  /// How the connection is carried.
  public enum Scheme: String, Sendable {
    /// Plain TCP; port 80 unless the URL names one.
    case ws
    /// TLS; port 443 unless the URL names one.
    case wss
  }

  /// How the connection is carried.
  public let scheme: Scheme
  /// Name or address, an IPv6 address without its brackets.
  public let host: String
  /// TCP port, 1 to 65535.
  public let port: Int
  /// Path and query, beginning with `/`.
  public let path: String

  /// Reads a URL.
  ///
  /// - Throws: ``TransportError`` `malformedURL` when the scheme is another, the host is missing, or the port is
  ///   no number from 1 to 65535.
  public init(_ text: String) throws(TransportError) {
    func malformed(_ message: String) -> TransportError {
      TransportError(code: .malformedURL, message: message, context: ["url": text])
    }
    let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let scheme = Scheme(rawValue: parts[0].lowercased()) else {
      throw malformed("The URL does not begin with ws:// or wss://.")
    }
    let authorityEnd = parts[1].firstIndex { "/?#".contains($0) } ?? parts[1].endIndex
    let authority = parts[1][..<authorityEnd]
    let rest = parts[1][authorityEnd...].prefix { $0 != "#" }
    let host: Substring
    var portText: Substring?
    if authority.first == "[", let end = authority.firstIndex(of: "]") {
      host = authority[authority.index(after: authority.startIndex)..<end]
      let after = authority[authority.index(after: end)...]
      guard after.isEmpty || after.first == ":" else { throw malformed("The URL's host is malformed.") }
      portText = after.isEmpty ? nil : after.dropFirst()
    } else {
      let pieces = authority.split(separator: ":", omittingEmptySubsequences: false)
      guard pieces.count <= 2, let first = pieces.first else {
        throw malformed("The URL's host is malformed.")
      }
      host = first
      portText = pieces.count == 2 ? pieces[1] : nil
    }
    let isClean = host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "@") }
    guard !host.isEmpty, isClean else { throw malformed("The URL has no usable host.") }
    guard rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw malformed("The URL's path has characters that must be percent-encoded.")
    }
    var port = scheme == .ws ? 80 : 443
    if let portText {
      guard let number = Int(portText), (1...65_535).contains(number) else {
        throw malformed("The URL's port is not a number from 1 to 65535.")
      }
      port = number
    }
    self.scheme = scheme
    self.host = String(host)
    self.port = port
    self.path = rest.first == "/" ? String(rest) : "/" + rest
  }

  /// The value of the Host header: host and port, an IPv6 address in brackets.
  public var authority: String {
    (host.contains(":") ? "[\(host)]" : host) + ":\(port)"
  }

  public var description: String {
    "\(scheme.rawValue)://\(authority)\(path)"
  }
}
