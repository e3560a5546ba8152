import Foundation
import WebSocketTransport

/// What the system lets this process do.
public enum SystemLimits {
  /// Files that a process has open besides its sockets.
  private static let reserve = 256

  /// How many processes a run needs, since one may open only so many files.
  ///
  /// - Parameters:
  ///   - options: how many pages and hosts, and whose relay.
  ///   - ownsRelay: whether the relay is in this process, too; it stays there when the load moves into others.
  /// - Returns: 1 if this process can do it all, else how many others are to be started.
  /// - Throws: ``LoadError`` `systemLimit` when the relay of this process cannot take so many sockets, or the run would need
  ///   more processes than ``LoadPart/countRange``.
  public static func processes(for options: LoadOptions, ownsRelay: Bool) throws(LoadError) -> Int {
    try processes(for: options, ownsRelay: ownsRelay, limit: Descriptors.hardLimit)
  }

  static func processes(
    for options: LoadOptions, ownsRelay: Bool, limit: Int
  ) throws(LoadError) -> Int {
    let sockets = options.foreign == nil ? options.pages + options.hosts : 2 * options.pages
    let room = max(1, limit - reserve)
    if sockets * (ownsRelay ? 2 : 1) <= room { return 1 }
    guard !ownsRelay || sockets <= room else {
      throw LoadError(
        .systemLimit, "the relay of this run may open \(limit) files, it needs \(sockets + reserve)",
        context: hint + "; or name relays of their own with --relay")
    }
    // Beside a relay of its own, the load must be in other processes.
    let count = max(ownsRelay ? 2 : 1, (sockets + room - 1) / room)
    guard LoadPart.countRange.contains(count) else {
      throw LoadError(
        .systemLimit, "a process may open \(limit) files, so the run needs \(count) processes",
        context: "at most \(LoadPart.countRange.upperBound); \(hint)")
    }
    return count
  }

  private static let hint =
    "raise the hard limit: ulimit -Hn, LimitNOFILE= of a service, or nofile in limits.conf"

  /// Raises what can be raised and refuses what still does not fit.
  ///
  /// - Parameter ownsRelay: whether the other ends of all sockets are in this process too.
  static func prepare(_ options: LoadOptions, url: WebSocketURL) throws(LoadError) {
    // Each connection is counted twice, for a relay in this process has its other end.
    let sockets = options.foreign == nil ? options.pages + options.hosts : 2 * options.pages
    let needed = 2 * sockets + 256
    let allowed = Descriptors.raiseLimit(to: needed)
    let least = sockets + 128
    guard allowed >= least else {
      throw LoadError(
        .systemLimit, "this process may open \(allowed) files, the run needs \(least)",
        context: hint)
    }
    let ports = ephemeralPorts
    if !url.host.hasPrefix("127."), sockets > ports {
      throw LoadError(
        .systemLimit,
        "one address has ports for \(ports) connections to \(url.host), the run needs \(sockets)",
        context: "widen net.ipv4.ip_local_port_range, or start runs on several machines")
    }
  }

  /// How many ports the system gives to connections of one address to one other.
  private static var ephemeralPorts: Int {
    let text = (try? String(contentsOfFile: "/proc/sys/net/ipv4/ip_local_port_range", encoding: .utf8)) ?? ""
    let bounds = text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    return bounds.count == 2 ? bounds[1] - bounds[0] + 1 : 28_232
  }
}
