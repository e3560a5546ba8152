import Foundation
import WebSocketTransport

/// Where a relay writes what it does: one line an event, a constant text and fields.
///
/// Any thread may write. No line holds a payload, a key or a token.
public struct RelayLog: Sendable {
  /// How much a line matters.
  public enum Level: Int, Sendable, Comparable, CaseIterable {
    /// Every socket and request.
    case debug
    /// Hosts coming and going, start and end.
    case info
    /// What was turned away, and what peers did wrong.
    case warning
    /// What the relay itself could not do.
    case error

    /// The level of that name.
    public init?(name: String) {
      guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
      self = level
    }

    /// The level as options spell it.
    public var name: String {
      switch self {
      case .debug: "debug"
      case .info: "info"
      case .warning: "warning"
      case .error: "error"
      }
    }

    public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
  }

  /// Lines below it are not written.
  public var level: Level
  private let write: @Sendable (String) -> Void

  /// Writes lines of at least the level to the function, without a line end.
  public init(level: Level, write: @escaping @Sendable (String) -> Void) {
    self.level = level
    self.write = write
  }

  /// Writes to standard error.
  public static func standardError(level: Level) -> RelayLog {
    RelayLog(level: level) { line in FileHandle.standardError.write(Data((line + "\n").utf8)) }
  }

  /// Writes nothing.
  public static let silent = RelayLog(level: .error) { _ in }

  func callAsFunction(_ level: Level, _ text: StaticString, _ fields: KeyValuePairs<String, String> = [:]) {
    guard level >= self.level else { return }
    var line = "\(HTTPDate.now()) \(level.name) \(text)"
    for (name, value) in fields where !value.isEmpty { line += " \(name)=\(Self.quoted(value))" }
    write(line)
  }

  /// The value on one line, in quotes if it is not one plain word.
  private static func quoted(_ value: String) -> String {
    let isPlain = value.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") }
    guard !isPlain else { return value }
    let clean = value.unicodeScalars.map { $0.value < 0x20 || $0 == "\"" ? " " : String($0) }.joined()
    return "\"\(clean)\""
  }
}
