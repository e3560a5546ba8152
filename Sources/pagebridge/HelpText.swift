/// The help texts, made from the same tables that the options are read by.
enum HelpText {
  /// No line is longer than this.
  private static let width = 100
  private static let indent = 6

  static let versionNumber = "0.1.0"
  static let version = "pagebridge \(versionNumber)"

  static var general: String {
    var lines = ["Usage: pagebridge COMMAND [OPTION]...", ""]
    lines += wrap(
      "A page in an ordinary browser stands in for a WKWebView, a Swift program on Linux for the app.",
      indent: 0)
    lines += ["", "Commands:"]
    lines += Subcommand.allCases.map { "  \(pad($0.rawValue, to: 8))\($0.summary)" }
    lines += ["", "Options:"]
    lines += describe([.help, .version])
    lines += ["", "'pagebridge COMMAND --help' lists a command's options.", ""]
    lines += exitCodes
    return lines.joined(separator: "\n") + "\n"
  }

  static func text(for command: Subcommand) -> String {
    var lines = ["Usage: pagebridge \(command.rawValue) [OPTION]...", ""]
    lines += wrap(command.details, indent: 0)
    lines += ["", "Options:"]
    lines += describe(command.options + [.help, .version])
    lines += [""]
    lines += exitCodes
    return lines.joined(separator: "\n") + "\n"
  }

  private static let exitCodes = [
    "Exit codes: 0 done or ended by a signal, 1 could not be done (for load also: a message was lost, doubled,",
    "reordered or changed), 2 the command line is wrong.",
  ]

  private static func describe(_ options: [CommandLineOption]) -> [String] {
    options.flatMap { option in
      ["  --\(option.name)" + (option.argument.map { "=\($0)" } ?? "")] + wrap(option.help, indent: indent)
    }
  }

  private static func wrap(_ text: String, indent: Int) -> [String] {
    let start = String(repeating: " ", count: indent)
    var lines: [String] = []
    var line = start
    for word in text.split(separator: " ") {
      if line.count > start.count, line.count + 1 + word.count > width {
        lines.append(line)
        line = start
      }
      line += (line.count > start.count ? " " : "") + word
    }
    return lines + [line]
  }

  private static func pad(_ text: String, to count: Int) -> String {
    text + String(repeating: " ", count: max(1, count - text.count))
  }
}
