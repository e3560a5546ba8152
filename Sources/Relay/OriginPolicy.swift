/// Who may reach the relay from a browser in development mode.
///
/// The Host must be a loopback name, against DNS rebinding; an Origin must be the relay's own or an allowed one,
/// against any other page in the user's browser. Requests without an Origin do not come from a page's script.
struct OriginPolicy: Sendable {
  let allowed: Set<String>
  let isDevelopment: Bool

  init(allowed: [String], isDevelopment: Bool) {
    self.allowed = Set(allowed.map { $0.lowercased() })
    self.isDevelopment = isDevelopment
  }

  /// Whether the Host header names this machine itself.
  func acceptsHost(_ host: String?) -> Bool {
    guard isDevelopment else { return true }
    guard let host else { return false }
    return Self.isLoopback(Self.name(ofHost: host.lowercased()))
  }

  /// Whether pages of the Origin may attach, given the Host header of their request.
  func acceptsOrigin(_ origin: String?, host: String?, isSecure: Bool) -> Bool {
    guard let origin = origin?.lowercased() else { return true }
    guard isDevelopment else { return true }
    if allowed.contains(origin) { return true }
    guard let host = host?.lowercased() else { return false }
    return origin == "\(isSecure ? "https" : "http")://\(host)"
  }

  /// The host of a Host header, without its port and without brackets.
  private static func name(ofHost host: String) -> String {
    if host.hasPrefix("[") { return String(host.dropFirst().prefix { $0 != "]" }) }
    return String(host.prefix { $0 != ":" })
  }

  static func isLoopback(_ name: String) -> Bool {
    if name == "localhost" || name.hasSuffix(".localhost") || name == "::1" { return true }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}
