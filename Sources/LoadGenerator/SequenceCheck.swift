/// Checks that numbers come as 1, 2, 3, ... and counts each way in which they do not.
struct SequenceCheck {
  private(set) var next = 1
  private(set) var doubled: UInt64 = 0
  private(set) var reordered: UInt64 = 0
  /// Numbers that were skipped and have not come since.
  private var missing: Set<Int> = []

  var lost: UInt64 { UInt64(missing.count) }

  mutating func accept(_ number: Int) {
    if number == next {
      next += 1
    } else if number > next {
      for skipped in next..<number { missing.insert(skipped) }
      next = number + 1
    } else if missing.remove(number) != nil {
      reordered += 1
    } else {
      doubled += 1
    }
  }
}
