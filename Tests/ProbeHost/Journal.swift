import Foundation

/// What the host's code has seen, one line of JSON an entry, in order.
@MainActor
final class Journal {
  private let file: FileHandle
  private let bodies: URL
  private var entries = 0

  /// Creates the file, and beside it the folder for texts that are too long for a line. Throws when it cannot.
  init(path: String) throws {
    DispatchQueue.main.setSpecific(key: Self.main, value: true)
    let url = URL(filePath: path)
    try Data().write(to: url)
    file = try FileHandle(forWritingTo: url)
    bodies = url.appendingPathExtension("bodies")
    try FileManager.default.createDirectory(at: bodies, withIntermediateDirectories: true)
  }

  func write(_ event: String, _ members: [String: JSONValue]) {
    var entry = members
    entries += 1
    entry["event"] = .string(event)
    entry["order"] = JSONValue(entries)
    entry["time"] = .number(Date().timeIntervalSince1970)
    if event == "received" || event == "answer" { entry["isMainThread"] = .bool(isOnMain) }
    do {
      try file.write(contentsOf: JSONValue.object(entry).line)
    } catch {
      FileHandle.standardError.write(Data("journal: \(error)\n".utf8))
      exit(1)
    }
  }

  /// A text as it stands in the journal: long ones go into a file of their own, of which the journal has the path.
  func text(_ text: String) -> JSONValue {
    let bytes = text.utf8.count
    guard bytes > 100_000 else { return ["kind": "string", "value": .string(text)] }
    entries += 1
    let path = bodies.appending(path: "\(entries).txt")
    do {
      try Data(text.utf8).write(to: path)
    } catch {
      return ["kind": "string", "failure": .string("\(error)")]
    }
    return ["kind": "string", "bytes": JSONValue(bytes), "file": .string(path.path(percentEncoded: false))]
  }

  /// What a reader of the journal can take; a value that is deeper is told by its depth.
  private static let maxLevels = 400

  /// Whether this runs where the main queue's work does: here the main thread is the one that drains that queue.
  private var isOnMain: Bool { DispatchQueue.getSpecific(key: Self.main) == true }
  private static let main = DispatchSpecificKey<Bool>()

  /// A value of the bridge with its type: {"kind", "value"}. Arrays of one element, many in one another, are
  /// {"kind": "nest", "depth", "leaf"}.
  func typed(_ value: Any?) -> JSONValue {
    var depth = 0
    var inner = value
    while let array = inner as? [Any], array.count == 1 {
      inner = array[0]
      depth += 1
    }
    if depth > Self.maxLevels { return ["kind": "nest", "depth": JSONValue(depth), "leaf": typed(inner)] }
    let levels = Self.levels(of: value)
    return levels > Self.maxLevels ? ["kind": "deep", "levels": JSONValue(levels)] : shallow(value)
  }

  /// How many arrays and dictionaries lie in one another, looked at without recursion.
  private static func levels(of value: Any?) -> Int {
    var found = 0
    var open: [(value: Any?, level: Int)] = [(value, 0)]
    while let (value, level) = open.popLast() {
      found = max(found, level)
      if let array = value as? [Any] {
        for element in array { open.append((element, level + 1)) }
        found = max(found, level + 1)
      } else if let dictionary = value as? [String: Any] {
        for member in dictionary.values { open.append((member, level + 1)) }
        found = max(found, level + 1)
      }
    }
    return found
  }

  private func shallow(_ value: Any?) -> JSONValue {
    guard let value else { return ["kind": "nil"] }
    switch value {
    case is NSNull:
      return ["kind": "null"]
    case let inner as Any? where Self.isNil(inner):
      return ["kind": "nil"]
    case let date as Date:
      let interval = date.timeIntervalSince1970
      return ["kind": "date", "value": interval.isFinite ? .number(interval * 1000) : .string("\(interval)")]
    case let string as String:
      return text(string)
    case let array as [Any]:
      return ["kind": "array", "value": .array(array.map(shallow))]
    case let dictionary as [String: Any]:
      return ["kind": "object", "value": .object(dictionary.mapValues(shallow))]
    default:
      return Self.isBoolean(value)
        ? ["kind": "bool", "value": .bool(value as? Bool ?? false)] : number(value)
    }
  }

  private func number(_ value: Any) -> JSONValue {
    guard let number = value as? Double else { return ["kind": .string("\(type(of: value))")] }
    if number.isFinite, !(number == 0 && number.sign == .minus) {
      return ["kind": "number", "value": .number(number)]
    }
    return ["kind": "number", "value": .string("\(number)")]
  }

  private static func isNil(_ value: Any?) -> Bool {
    guard let value else { return true }
    let mirror = Mirror(reflecting: value)
    return mirror.displayStyle == .optional && mirror.children.isEmpty
  }

  /// `as? Bool` takes the numbers 0 and 1 too; Foundation's own booleans have a type of their own.
  private static func isBoolean(_ value: Any) -> Bool {
    guard let number = value as? NSNumber else { return false }
    return type(of: number) == type(of: NSNumber(value: true))
  }

  /// An error as the host's code gets it: {"domain", "code", "description", "userInfo", "types"}.
  func described(_ error: any Error) -> JSONValue {
    let foundation = error as NSError
    var information: [String: JSONValue] = [:]
    var types: [String: JSONValue] = [:]
    for (key, value) in foundation.userInfo {
      information[key] =
        switch value {
        case let url as URL: .string(url.absoluteString)
        case let string as String: .string(string)
        default: (value as? Double).map(JSONValue.number) ?? .string("\(value)")
        }
      types[key] =
        switch value {
        case is URL: "URL"
        case is String: "String"
        default: value is NSNumber ? "Number" : .string("\(type(of: value))")
        }
    }
    return [
      "domain": .string(foundation.domain), "code": JSONValue(foundation.code),
      "description": .string(foundation.localizedDescription), "text": .string("\(error)"),
      "userInfo": .object(information), "types": .object(types),
    ]
  }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
  init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }
}
