/// Where the relay listens: a host name or address, and a port (0 = any free one).
struct ListenAddress: Equatable, Sendable {
  var host: String
  var port: Int

  static let standard = ListenAddress(host: "127.0.0.1", port: 8080)

  init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  /// Reads `HOST:PORT`, `[IPV6]:PORT` or a lone port, which means the standard host.
  init(_ text: String) throws(UsageError) {
    let wrong = UsageError(
      "--listen needs HOST:PORT (for example 127.0.0.1:8080 or [::1]:8080), not '\(text)'")
    guard let colon = text.lastIndex(of: ":") else {
      guard let port = Self.port(text) else { throw wrong }
      self.init(host: Self.standard.host, port: port)
      return
    }
    guard let port = Self.port(text[text.index(after: colon)...]) else { throw wrong }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      throw wrong
    }
    guard !host.isEmpty else { throw wrong }
    self.init(host: String(host), port: port)
  }

  /// Tells whether only this machine can reach the address.
  var isLoopback: Bool {
    if host == "localhost" || host == "::1" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  private static func port(_ text: some StringProtocol) -> Int? {
    guard let number = UInt16(text) else { return nil }
    return Int(number)
  }
}
