import PageBridgeWebKit

/// Which addresses a journey may have.
public enum JourneyMode: String, Hashable, Sendable, CaseIterable {
  /// `https` only, and `http` on this very machine.
  case production
  /// Any address that a web view opens.
  case development

  /// Why an address is refused; nil if it is not.
  func refusal(of url: URL) -> String? {
    switch self {
    case .development: return nil
    case .production:
      switch url.scheme?.lowercased() {
      case "https": return nil
      case "http" where Self.isLoopback(url.host(percentEncoded: false) ?? ""): return nil
      case "http": return "\(url.host() ?? "the address") is not reached by https"
      default: return "\(url.scheme ?? "nothing") is no scheme of a journey"
      }
    }
  }

  private static func isLoopback(_ host: String) -> Bool {
    let name = host.lowercased()
    if name == "localhost" || name.hasSuffix(".localhost") || name == "::1" || name == "[::1]" { return true }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    return parts.count == 4 && parts[0] == 127 && !parts.contains(nil)
  }
}
