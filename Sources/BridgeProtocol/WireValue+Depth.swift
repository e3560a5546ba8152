extension WireValue {
  /// Lets go of the value level by level, for values that nest so deep that Swift's own way would need too much stack; what is
  /// left is `undefined`.
  ///
  /// Call it on the last reference; otherwise it does nothing but take its time.
  public mutating func takeApart() {
    var open = [self]
    self = .undefined
    while let next = open.popLast() {
      switch next {
      case .array(let elements): open.append(contentsOf: elements)
      case .object(let members): for member in members { open.append(member.value) }
      case .undefined, .null, .bool, .number, .string, .date: break
      }
    }
  }
}
