import PageBridgeWebKit

/// What a page posted to `iOSNative`: the bridge has no schema but these two kinds.
enum PageBody: Hashable, Sendable {
  /// An object; its members may be null.
  case json(WireValue)
  case string(String)
  /// Anything else: it calls nobody, and the app counts it.
  case ignored(kind: String)

  init(_ value: WireValue) {
    switch value {
    case .object: self = .json(value)
    case .string(let text): self = .string(text)
    case .null: self = .ignored(kind: "null")
    case .undefined: self = .ignored(kind: "undefined")
    case .bool: self = .ignored(kind: "boolean")
    case .number: self = .ignored(kind: "number")
    case .date: self = .ignored(kind: "date")
    case .array: self = .ignored(kind: "array")
    }
  }
}
