import Foundation

/// Memory of the app's process.
enum SquadMemory {
  /// Bytes that the process has in memory; nil where the system does not tell.
  static func resident() -> Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
    return resident(statm: text, pageSize: sysconf(Int32(_SC_PAGESIZE)))
  }

  /// Reads what proc(5) calls `statm`: counts of pages, the second of them resident.
  static func resident(statm: String, pageSize: Int) -> Int? {
    let fields = statm.split(separator: " ")
    guard fields.count >= 2, let pages = Int(fields[1]), pages >= 0 else { return nil }
    return pages * pageSize
  }

  /// Megabytes with one digit behind the point.
  static func text(_ bytes: Int) -> String {
    let tenths = (bytes * 10 + 524_288) / 1_048_576
    return "\(tenths / 10).\(tenths % 10) MB"
  }
}

/// Measures loads on a clock.
struct SquadStopwatch {
  private let elapsed: @Sendable () -> Duration
  private var begun: Duration?

  init<C: Clock>(_ clock: C) where C.Duration == Duration {
    let start = clock.now
    elapsed = { start.duration(to: clock.now) }
  }

  mutating func start() {
    begun = elapsed()
  }

  /// The time since the start; nil without one.
  mutating func stop() -> Duration? {
    defer { begun = nil }
    return begun.map { elapsed() - $0 }
  }
}
