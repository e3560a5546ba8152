/// What follows from a relay's address.
enum RelayAddress {
  /// The relay's origin with scheme `http` or `https`, without a path.
  static func origin(of url: URL) -> URL {
    var components = URLComponents()
    switch url.scheme?.lowercased() {
    case "https", "wss": components.scheme = "https"
    default: components.scheme = "http"
    }
    components.host = url.host
    components.port = url.port
    guard let origin = components.url, url.host != nil else {
      preconditionFailure("'\(url)' is no address of a relay")
    }
    return origin
  }

  /// The address of a host's socket.
  static func socket(of relay: URL, app: String) -> String {
    let origin = origin(of: relay).absoluteString
    return "ws" + origin.dropFirst("http".count) + "/ws/" + app
  }

  /// A relay on the same machine is found again quickly; others are spared.
  static func defaultReconnectCap(_ relay: URL) -> Duration {
    isLoopback(relay.host) ? .seconds(1) : .seconds(10)
  }

  /// The relay's origin under the name that a visitor's browser uses for it.
  ///
  /// A host may know its relay as `127.0.0.1` and the browser as `localhost`. Content under the visitor's own name is of
  /// the visitor's origin, where the session's key is.
  static func contentOrigin(relay: URL, seenFrom url: URL?) -> String {
    let relay = origin(of: relay)
    guard let url, let host = url.host, port(of: url) == port(of: relay), url.scheme == relay.scheme,
      isLoopback(host), isLoopback(relay.host)
    else { return relay.absoluteString }
    return origin(of: url).absoluteString
  }

  static func port(of url: URL) -> Int {
    url.port ?? (url.scheme == "https" || url.scheme == "wss" ? 443 : 80)
  }

  static func isLoopback(_ host: String?) -> Bool {
    guard let host = host?.lowercased() else { return false }
    return host == "localhost" || host.hasSuffix(".localhost") || host.hasPrefix("127.") || host == "::1"
      || host == "[::1]"
  }
}

extension RelayAddress {
  /// The serialization of an address's origin; nil for an opaque one.
  static func originText(_ address: String) -> String? {
    guard let url = URL(string: address), let scheme = url.scheme?.lowercased(), let host = url.host,
      scheme == "http" || scheme == "https"
    else { return nil }
    let isDefault = url.port == nil || url.port == (scheme == "https" ? 443 : 80)
    return scheme + "://" + host.lowercased() + (isDefault ? "" : ":\(url.port!)")
  }

  /// Whether a page at one address has no access to what the browser keeps for the other.
  static func isForeign(_ address: String, to page: String?) -> Bool {
    guard let page, let origin = originText(page) else { return true }
    return originText(address) != origin
  }
}
