import Foundation

/// Which hosts the app does not open.
struct HostFilter: Hashable, Sendable {
  private let names: Set<String>

  init(_ names: [String]) {
    self.names = Set(names.map(Self.normalized))
  }

  /// Whether an address leads to one of the hosts, or to a sub-domain of one. An address without a host leads to none.
  func refuses(_ url: URL) -> Bool {
    guard let host = url.host(percentEncoded: false), !host.isEmpty else { return false }
    var name = Self.normalized(host)[...]
    while true {
      if names.contains(String(name)) { return true }
      guard let dot = name.firstIndex(of: ".") else { return false }
      name = name[name.index(after: dot)...]
    }
  }

  /// Lower case and without the dots that end a fully qualified name.
  private static func normalized(_ host: String) -> String {
    var name = host.lowercased()
    while name.hasSuffix(".") { name.removeLast() }
    return name
  }
}
