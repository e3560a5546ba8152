import Foundation
import WebSocketTransport

/// What the system lets this process do.
enum SystemLimits {
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
        context: "raise the hard limit: ulimit -Hn, LimitNOFILE= of a service, or nofile in limits.conf")
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
