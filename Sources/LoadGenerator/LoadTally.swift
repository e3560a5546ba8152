/// What simulated pages and hosts counted.
struct LoadTally: Sendable {
  /// Messages, answers and script values that came where they should.
  var messages: UInt64 = 0
  var lost: UInt64 = 0
  var doubled: UInt64 = 0
  var reordered: UInt64 = 0
  var corrupted: UInt64 = 0
  /// Messages that could not be posted because too much waited; in the open-loop modes only.
  var skipped: UInt64 = 0
  var disconnects: UInt64 = 0
  var cuts: UInt64 = 0
  var resumes: UInt64 = 0
  var replacedPages: UInt64 = 0
  var roundTrips = Histogram()

  mutating func merge(_ other: LoadTally) {
    messages += other.messages
    lost += other.lost
    doubled += other.doubled
    reordered += other.reordered
    corrupted += other.corrupted
    skipped += other.skipped
    disconnects += other.disconnects
    cuts += other.cuts
    resumes += other.resumes
    replacedPages += other.replacedPages
    if other.roundTrips.count > 0 { roundTrips.merge(other.roundTrips) }
  }

  mutating func add(_ sequence: SequenceCheck) {
    lost += sequence.lost
    doubled += sequence.doubled
    reordered += sequence.reordered
  }
}
