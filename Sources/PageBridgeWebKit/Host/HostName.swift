import Foundation

/// What the host's machine knows of the names in addresses. The page's browser may run elsewhere and know others.
enum HostName {
  /// Whether it is an address itself, or this machine.
  static func needsNoLookup(_ name: String) -> Bool {
    RelayAddress.isLoopback(name) || name.contains(":") || name.allSatisfy { $0.isNumber || $0 == "." }
  }

  /// Whether a name has an address.
  @concurrent static func isKnown(_ name: String) async -> Bool {
    // RFC 6761, section 6.4: nobody needs to be asked.
    if name.lowercased().hasSuffix(".invalid") { return false }
    return Host(name: name).address != nil
  }
}
