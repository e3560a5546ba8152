import Foundation

/// What the system says of a process: its processor time and its memory.
struct ProcessUsage: Sendable {
  /// Seconds of processor time since its start, user and system.
  var cpuSeconds: Double
  /// Resident bytes.
  var residentBytes: UInt64

  /// Reads `/proc`; nil when there is no such process.
  init?(processID: Int) {
    guard let stat = try? String(contentsOfFile: "/proc/\(processID)/stat", encoding: .utf8),
      let statm = try? String(contentsOfFile: "/proc/\(processID)/statm", encoding: .utf8),
      // The second field is the program's name in parentheses and may hold anything.
      let end = stat.lastIndex(of: ")")
    else { return nil }
    let fields = stat[stat.index(after: end)...].split(separator: " ")
    let pages = statm.split(separator: " ")
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]), pages.count > 1,
      let resident = UInt64(pages[1])
    else { return nil }
    cpuSeconds = (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    residentBytes = resident * UInt64(sysconf(Int32(_SC_PAGESIZE)))
  }
}
