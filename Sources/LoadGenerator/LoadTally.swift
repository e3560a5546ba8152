/// What one simulated page or host counted.
struct LoadTally: Sendable {
  var messages: UInt64 = 0
  var lost: UInt64 = 0
  var doubled: UInt64 = 0
  var reordered: UInt64 = 0
  var corrupted: UInt64 = 0
  var roundTrips = Histogram()

  mutating func merge(_ other: LoadTally) {
    messages += other.messages
    lost += other.lost
    doubled += other.doubled
    reordered += other.reordered
    corrupted += other.corrupted
    roundTrips.merge(other.roundTrips)
  }
}
