import BridgeProtocol

/// A cookie between Foundation's form and the wire's.
struct WebCookie: Sendable {
  /// What makes two cookies the same one (RFC 6265, section 5.3).
  struct Identity: Hashable, Sendable {
    let name: String
    let domain: String
    let path: String
  }

  let cookie: HTTPCookie

  var identity: Identity {
    Identity(name: cookie.name, domain: cookie.domain.lowercased(), path: cookie.path)
  }

  /// Whether pages of that host get the cookie (RFC 6265, section 5.1.3): a domain with a leading dot stands for all
  /// hosts below it too.
  func matches(host: String) -> Bool { Self.matches(cookie.domain, host: host) }

  static func matches(_ domain: String, host: String) -> Bool {
    let domain = domain.lowercased()
    let host = host.lowercased()
    guard domain.hasPrefix(".") else { return domain == host }
    return host == domain.dropFirst() || host.hasSuffix(domain)
  }

  var isExpired: Bool { cookie.expiresDate.map { $0 <= Date() } ?? false }

  /// Why the cookie cannot be written as a header, nil if it can: a semicolon or a control character would be read as
  /// something else.
  var mistake: String? {
    let forbidden = { (byte: UInt8) in byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: ";") }
    let parts = [cookie.name, cookie.value, cookie.path, cookie.domain]
    if parts.contains(where: { $0.utf8.contains(where: forbidden) }) {
      return "a cookie's name, value, path and domain may hold neither ';' nor control characters"
    }
    if cookie.name.utf8.contains(UInt8(ascii: "=")) { return "a cookie's name may not hold '='" }
    let bytes = cookie.name.utf8.count + cookie.value.utf8.count
    return bytes > Self.maxBytes ? "a cookie has \(bytes) bytes; the limit is \(Self.maxBytes) bytes" : nil
  }

  /// How many bytes name and value may have; browsers take no more.
  static let maxBytes = 4_096

  /// The cookie as `document.cookie` and `Set-Cookie` write it.
  ///
  /// - Parameter isRemoved: whether it is to go.
  func header(isRemoved: Bool, isForScript: Bool) -> String {
    var text = "\(cookie.name)=\(isRemoved ? "" : cookie.value); Path=\(cookie.path)"
    if cookie.domain.hasPrefix(".") { text += "; Domain=\(cookie.domain.dropFirst())" }
    if isRemoved {
      text += "; Max-Age=0"
    } else if let expires = cookie.expiresDate {
      text += "; Max-Age=\(Int(max(0, expires.timeIntervalSinceNow.rounded())))"
    }
    if cookie.isSecure { text += "; Secure" }
    if cookie.isHTTPOnly, !isForScript { text += "; HttpOnly" }
    return text
  }

  init(_ cookie: HTTPCookie) {
    self.cookie = cookie
  }

  /// Reads what a page tells of a cookie; nil for what is none.
  ///
  /// - Parameter host: the page's host, to which a cookie belongs whose domain the page does not know.
  init?(_ value: WireValue, host: String) {
    guard let name = value["name"]?.string, let text = value["value"]?.string else { return nil }
    var properties: [HTTPCookiePropertyKey: Any] = [
      .name: name, .value: text, .path: value["path"]?.string ?? "/",
      .domain: value["domain"]?.string.map { $0.hasPrefix(".") ? $0 : "." + $0 } ?? host,
    ]
    if value["secure"]?.bool == true { properties[.secure] = "TRUE" }
    if let expires = value["expires"]?.number, expires.isFinite {
      properties[.expires] = Date(timeIntervalSince1970: expires / 1_000)
    }
    guard let cookie = HTTPCookie(properties: properties) else { return nil }
    self.cookie = cookie
  }
}
