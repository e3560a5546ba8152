/// One long option of a command: how it is written and what its help says.
struct CommandLineOption: Hashable, Sendable {
  /// Without the two dashes.
  let name: String
  /// What stands for the argument in the help text; nil for a switch.
  let argument: String?
  let help: String

  init(_ name: String, _ argument: String? = nil, help: String) {
    self.name = name
    self.argument = argument
    self.help = help
  }
}

extension CommandLineOption {
  static let help = CommandLineOption("help", help: "show this help and exit")
  static let version = CommandLineOption("version", help: "show the version and exit")
}
