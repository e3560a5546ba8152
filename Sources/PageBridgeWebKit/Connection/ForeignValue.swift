import BridgeProtocol

/// A value of a page as the wire has it, and as the app gets it: a graph of Foundation objects.
///
/// A value may nest up to ``Limits/maxValueDepth`` levels, and Swift takes arrays and dictionaries apart with recursion, some
/// 160 bytes of the stack a level. So its last owner takes a deep one apart without it.
///
/// Sendable unchecked: both are made once and changed by the deinitializer only; only the main actor reads the graph.
final class ForeignValue: @unchecked Sendable {
  private(set) var value: Any?
  private(set) var wire: WireValue
  private let depth: Int

  /// Beyond that depth a value is taken apart by hand.
  private static let shallowDepth = 512

  init(_ wire: WireValue) {
    self.wire = wire
    (value, depth) = wire.foundationForm
  }

  deinit {
    guard depth > Self.shallowDepth else { return }
    Self.takeApart(&value)
    wire.takeApart()
  }

  /// Lets go of a graph level by level: what is inside is held until its container is gone.
  private static func takeApart(_ graph: inout Any?) {
    var open: [Any] = []
    if let graph { open.append(graph) }
    graph = nil
    while let next = open.popLast() {
      if let elements = next as? [Any] {
        open.append(contentsOf: elements)
      } else if let members = next as? [String: Any] {
        open.append(contentsOf: members.values)
      }
    }
  }
}
