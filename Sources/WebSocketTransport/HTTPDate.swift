import Glibc

/// Dates as HTTP writes them (RFC 9110, section 5.6.7).
package enum HTTPDate {
  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// The present moment.
  package static func now() -> String { text(secondsSince1970: time(nil)) }

  /// The moment, in whole seconds.
  package static func text(secondsSince1970 seconds: Int) -> String {
    var moment = time_t(seconds)
    var parts = tm()
    gmtime_r(&moment, &parts)
    func two(_ number: CInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let clock = "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
    return
      "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(1_900 + parts.tm_year) \(clock) GMT"
  }

  /// Reads the form that ``text(secondsSince1970:)`` writes, the only one that clients are to send.
  package static func seconds(_ text: String) -> Int? {
    let parts = text.split(separator: " ")
    guard parts.count == 6, parts[5] == "GMT", let day = CInt(parts[1]),
      let month = months.firstIndex(of: String(parts[2])), let year = CInt(parts[3])
    else { return nil }
    let clock = parts[4].split(separator: ":").compactMap { CInt($0) }
    guard clock.count == 3 else { return nil }
    var moment = tm()
    moment.tm_mday = day
    moment.tm_mon = CInt(month)
    moment.tm_year = year - 1_900
    moment.tm_hour = clock[0]
    moment.tm_min = clock[1]
    moment.tm_sec = clock[2]
    return timegm(&moment)
  }
}
