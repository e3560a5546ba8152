/// The app's values on their way to the page: they wait, in order, while no page is there to take them.
struct ValueQueue: Hashable, Sendable {
  /// How many values wait; a further one is refused.
  static let limit = 100

  /// What becomes of a value.
  enum Action: Hashable, Sendable {
    case deliver(String)
    case wait
    case refuse
  }

  private(set) var waiting: [String] = []
  private(set) var isOpen = false

  /// The app has a value for the page.
  mutating func add(_ value: String) -> Action {
    if isOpen { return .deliver(value) }
    guard waiting.count < Self.limit else { return .refuse }
    waiting.append(value)
    return .wait
  }

  /// The page is loaded: gives what has waited for it.
  mutating func open() -> [String] {
    isOpen = true
    defer { waiting = [] }
    return waiting
  }

  /// The page is being left, or is gone.
  mutating func close() {
    isOpen = false
  }
}
