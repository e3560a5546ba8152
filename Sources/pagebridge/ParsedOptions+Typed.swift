import Foundation

extension ParsedOptions {
  /// A whole number within bounds, or the default.
  func count(
    _ option: CommandLineOption, in range: ClosedRange<Int>, default fallback: Int
  ) throws(UsageError) -> Int {
    guard let text = text(option) else { return fallback }
    guard let number = Int(text), range.contains(number) else {
      throw UsageError(
        "--\(option.name) needs a whole number from \(range.lowerBound) to \(range.upperBound), not '\(text)'"
      )
    }
    return number
  }

  /// Whole numbers within bounds with commas between them, or the default.
  func counts(
    _ option: CommandLineOption, in range: ClosedRange<Int>, default fallback: [Int]
  ) throws(UsageError) -> [Int] {
    guard let text = text(option) else { return fallback }
    var numbers: [Int] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let number = Int(part), range.contains(number) else {
        throw UsageError(
          "--\(option.name) needs whole numbers from \(range.lowerBound) to \(range.upperBound), not '\(text)'"
        )
      }
      numbers.append(number)
    }
    return numbers
  }

  /// A number (fractions allowed) within bounds, or the default.
  func number(
    _ option: CommandLineOption, in range: ClosedRange<Double>, default fallback: Double
  ) throws(UsageError) -> Double {
    guard let text = text(option) else { return fallback }
    guard let number = Double(text), range.contains(number) else {
      let bounds = "\(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))"
      throw UsageError("--\(option.name) needs a number from \(bounds), not '\(text)'")
    }
    return number
  }

  /// A time in seconds (fractions allowed), or the default.
  func seconds(
    _ option: CommandLineOption, in range: ClosedRange<Double>, default fallback: Double
  ) throws(UsageError) -> Double {
    guard let text = text(option) else { return fallback }
    guard let number = Double(text), range.contains(number) else {
      let bounds = "\(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))"
      throw UsageError("--\(option.name) needs a number of seconds from \(bounds), not '\(text)'")
    }
    return number
  }

  /// A time in seconds (fractions allowed), to the millisecond, or the default.
  func duration(
    _ option: CommandLineOption, in range: ClosedRange<Double>, default fallback: Duration
  ) throws(UsageError) -> Duration {
    guard has(option) else { return fallback }
    return .milliseconds(Int64((try seconds(option, in: range, default: 0) * 1_000).rounded()))
  }

  private static func text(_ seconds: Double) -> String {
    seconds == seconds.rounded() ? String(Int(seconds)) : String(seconds)
  }

  /// A switch that is written `true` or `false`, or the default.
  func boolean(_ option: CommandLineOption, default fallback: Bool) throws(UsageError) -> Bool {
    guard let text = text(option) else { return fallback }
    switch text {
    case "true": return true
    case "false": return false
    default: throw UsageError("--\(option.name) needs true or false, not '\(text)'")
    }
  }

  /// A file's place; relative ones are seen from the working directory.
  func file(_ option: CommandLineOption) throws(UsageError) -> URL? {
    guard let text = text(option) else { return nil }
    guard !text.isEmpty else { throw UsageError("--\(option.name) needs a file") }
    return URL(filePath: text)
  }

  /// One of several words, or the default.
  func choice<Choice: CaseIterable & RawRepresentable<String>>(
    _ option: CommandLineOption, default fallback: Choice
  ) throws(UsageError) -> Choice {
    guard let text = text(option) else { return fallback }
    guard let choice = Choice(rawValue: text) else {
      let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw UsageError("--\(option.name) needs one of \(words), not '\(text)'")
    }
    return choice
  }
}
