import PageBridgeWebKit

/// Which addresses the app lets its page go to: the product's best practice "secure content only".
///
/// The guide does not say what counts as secure; here it is `https`, this very machine over `http`, and what the app serves
/// itself. In development (``isProduction`` false) `http` is allowed everywhere.
struct SquadAddressRule: Hashable, Sendable {
  /// The product's own domain; its sub-domains belong to it.
  static let productDomain = "squadforsports.com"

  var isProduction = true

  /// Whether the page may be loaded from there.
  func allowsContent(_ url: URL) -> Bool {
    switch url.scheme?.lowercased() {
    case "https", SquadContent.scheme, "about": true
    case "http": !isProduction || Self.isLoopback(url.host())
    default: false
    }
  }

  /// Whether it is an address of the product: `https`, its domain or one below, without a user before the host.
  func isProduct(_ url: URL) -> Bool {
    guard url.scheme?.lowercased() == "https", url.user() == nil, url.password() == nil, let host = url.host()
    else { return false }
    let name = Self.plain(host)
    return name == Self.productDomain || name.hasSuffix("." + Self.productDomain)
  }

  private static func isLoopback(_ host: String?) -> Bool {
    guard let host else { return false }
    let name = plain(host)
    return name == "localhost" || name.hasSuffix(".localhost") || name == "::1" || name == "[::1]"
      || name.wholeMatch(of: /127\.\d{1,3}\.\d{1,3}\.\d{1,3}/) != nil
  }

  /// Host names are compared without case and the root's dot.
  private static func plain(_ host: String) -> String {
    let name = host.lowercased()
    return name.hasSuffix(".") ? String(name.dropLast()) : name
  }
}
