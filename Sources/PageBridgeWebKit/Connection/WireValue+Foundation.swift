import BridgeProtocol
import Foundation

// Both ways walk with a stack of their own: a page may send values that nest thousands of levels deep.

extension WireValue {
  /// The value as WebKit hands JavaScript values to Swift.
  ///
  /// Numbers are double-backed `NSNumber`s, booleans boolean-backed ones, so that `as? Int`, `as? Double` and `as? Bool`
  /// behave as on Apple's systems; texts are `String`, dates `Date`, arrays `[Any]`, objects `[String: Any]`, null is
  /// `NSNull`. `undefined` is nil, left out of objects and `NSNull` inside arrays.
  var foundationObject: Any? { foundationForm.object }

  /// The same, and how many arrays and objects lie in one another.
  var foundationForm: (object: Any?, depth: Int) {
    var open: [FoundationContainer] = []
    var depth = 0
    var next = self
    while true {
      var finished: Any?
      switch next {
      case .undefined: finished = nil
      case .null: finished = NSNull()
      case .bool(let flag): finished = NSNumber(value: flag)
      case .number(let number): finished = NSNumber(value: number)
      case .string(let text): finished = text
      case .date(let milliseconds): finished = Date(timeIntervalSince1970: milliseconds / 1_000)
      case .array(let elements): open.append(FoundationContainer(elements: elements[...]))
      case .object(let members): open.append(FoundationContainer(members: members[...]))
      }
      depth = max(depth, open.count)
      var isContainer = if case .array = next { true } else if case .object = next { true } else { false }
      // Hand what is finished up until a container wants another value.
      while true {
        guard !open.isEmpty else { return (finished, depth) }
        if !isContainer { open[open.count - 1].add(finished) }
        if let value = open[open.count - 1].next() {
          next = value
          break
        }
        finished = open.removeLast().object
        isContainer = false
      }
    }
  }

  /// Makes a value of the types that may cross to a page: numbers, text, dates, `NSNull`, arrays and dictionaries with
  /// text keys, nested as they like. Nil for anything else, or for what nests deeper than any page could take.
  init?(foundationObject object: Any?) {
    var open: [WireContainer] = []
    var next: Any? = object
    while true {
      var finished: WireValue
      var isContainer = false
      switch next {
      case nil: finished = .undefined
      case let value as WireValue: finished = value
      case let text as String: finished = .string(text)
      // Before the classes: to see whether an array is one, the runtime bridges all that is in it.
      case let elements as [Any]:
        open.append(WireContainer(elements: elements[...]))
        (finished, isContainer) = (.undefined, true)
      case let dictionary as [String: Any]:
        open.append(WireContainer(members: Array(dictionary)[...]))
        (finished, isContainer) = (.undefined, true)
      case let number as NSNumber:
        finished = number.isBoolean ? .bool(number.boolValue) : .number(number.doubleValue)
      case is NSNull: finished = .null
      case let date as Date:
        // JavaScript's dates are whole milliseconds; Foundation's count from another year and come near.
        finished = .date(milliseconds: (date.timeIntervalSince1970 * 1_000).rounded())
      case .some(let other):
        // An optional without a value that was stored as Any.
        let mirror = Mirror(reflecting: other)
        guard mirror.displayStyle == .optional, mirror.children.isEmpty else { return nil }
        finished = .undefined
      }
      // A cycle of reference types would never end; a little deeper than the limit is reported as such by the writer.
      guard open.count <= Limits.maxValueDepth + 8 else { return nil }
      while true {
        guard !open.isEmpty else {
          self = finished
          return
        }
        if !isContainer { open[open.count - 1].add(finished) }
        if let value = open[open.count - 1].next() {
          next = value
          break
        }
        finished = open.removeLast().value
        isContainer = false
      }
    }
  }
}

/// An array or object whose Foundation form is being made.
private struct FoundationContainer {
  private var elements: ArraySlice<WireValue> = []
  private var members: ArraySlice<WireValue.Member> = []
  private var name: String?
  private var array: [Any] = []
  private var dictionary: [String: Any]?

  init(elements: ArraySlice<WireValue>) {
    self.elements = elements
    array.reserveCapacity(elements.count)
  }

  init(members: ArraySlice<WireValue.Member>) {
    self.members = members
    dictionary = Dictionary(minimumCapacity: members.count)
  }

  var object: Any { dictionary ?? array }

  mutating func next() -> WireValue? {
    guard dictionary != nil else { return elements.popFirst() }
    guard let member = members.popFirst() else { return nil }
    name = member.name
    return member.value
  }

  mutating func add(_ object: Any?) {
    if let name {
      // An undefined member is absent, and so is an earlier one of its name.
      dictionary?[name] = object
    } else {
      array.append(object ?? NSNull())
    }
  }
}

/// An array or dictionary whose wire form is being made.
private struct WireContainer {
  private var elements: ArraySlice<Any> = []
  private var members: ArraySlice<(key: String, value: Any)> = []
  private var name: String?
  private let isObject: Bool
  private var values: [WireValue] = []
  private var made: [WireValue.Member] = []

  init(elements: ArraySlice<Any>) {
    self.elements = elements
    isObject = false
  }

  init(members: ArraySlice<(key: String, value: Any)>) {
    self.members = members
    isObject = true
  }

  var value: WireValue { isObject ? .object(made) : .array(values) }

  mutating func next() -> Any? {
    guard isObject else { return elements.popFirst() }
    guard let member = members.popFirst() else { return nil }
    name = member.key
    return member.value
  }

  mutating func add(_ value: WireValue) {
    if let name {
      made.append(WireValue.Member(name, value))
    } else {
      values.append(value)
    }
  }
}

extension NSNumber {
  /// Whether the number was made from a truth value and not from a count.
  var isBoolean: Bool { type(of: self) == type(of: NSNumber(value: true)) }
}
