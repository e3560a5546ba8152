/// One of several processes that do a run together: its pages have numbers and addresses of their own.
public struct LoadPart: Sendable, Hashable {
  /// From 0; the first one has the hosts.
  public var index: Int

  /// Makes one; the first has no other's numbers to avoid.
  public init(index: Int = 0) {
    self.index = index
  }

  /// The most processes of a run: so many have addresses on loopback.
  public static let countRange = 1...32

  /// The number of its first page.
  var firstPage: Int { index * 1_000_000 }

  /// The address on loopback that its pages of that place connect from; nil for the usual one.
  ///
  /// - Parameter place: which of the process's addresses, from 0.
  func loopbackAddress(_ place: Int) -> String? {
    let number = index * Self.addressesOfAPart + place
    return number == 0 ? nil : "127.0.\(number / 250).\(1 + number % 250)"
  }

  private static let addressesOfAPart = 8
}

/// Where a run that is shared by several processes waits for the others.
public struct LoadGates: Sendable {
  /// All of this process is connected: returns when traffic may begin.
  public var connected: @Sendable () async -> Void
  /// Nothing of this process is under way: returns when its hosts may leave.
  public var drained: @Sendable () async -> Void

  /// Makes gates.
  public init(connected: @escaping @Sendable () async -> Void, drained: @escaping @Sendable () async -> Void)
  {
    self.connected = connected
    self.drained = drained
  }
}
