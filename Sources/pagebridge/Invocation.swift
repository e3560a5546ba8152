/// What a command line asks for.
enum Invocation: Equatable, Sendable {
  /// Print a text to stdout and end.
  case show(String)
  case serve(ServeOptions)
  case demo(DemoOptions)
  case load(LoadCommandOptions)

  /// Reads the arguments without the program's own name. Throws ``CommandLineError``.
  @MainActor
  static func parse(_ arguments: [String]) throws(CommandLineError) -> Invocation {
    guard let first = arguments.first else {
      throw CommandLineError(command: nil, message: "a command is missing")
    }
    guard let command = Subcommand(rawValue: first) else {
      return try parseGeneral(arguments)
    }
    do throws(UsageError) {
      let parsed = try OptionParser.parse(
        Array(arguments.dropFirst()), options: command.options + [.help, .version])
      if parsed.has(.help) { return .show(HelpText.text(for: command)) }
      if parsed.has(.version) { return .show(HelpText.version + "\n") }
      return switch command {
      case .serve: .serve(try ServeOptions(parsed))
      case .demo: .demo(try DemoOptions(parsed))
      case .load: .load(try LoadCommandOptions(parsed))
      }
    } catch {
      throw CommandLineError(command: command, message: error.message)
    }
  }

  @MainActor
  private static func parseGeneral(_ arguments: [String]) throws(CommandLineError) -> Invocation {
    let parsed: ParsedOptions
    do throws(UsageError) {
      guard arguments[0].hasPrefix("-") else { throw UsageError("unknown command '\(arguments[0])'") }
      parsed = try OptionParser.parse(arguments, options: [.help, .version])
    } catch {
      throw CommandLineError(command: nil, message: error.message)
    }
    if parsed.has(.help) { return .show(HelpText.general) }
    if parsed.has(.version) { return .show(HelpText.version + "\n") }
    throw CommandLineError(command: nil, message: "a command is missing")
  }
}

/// A wrong command line, as it is told on stderr.
struct CommandLineError: Error, Equatable, CustomStringConvertible {
  var command: Subcommand?
  var message: String

  var description: String {
    let name = command.map { "pagebridge \($0.rawValue)" } ?? "pagebridge"
    return "\(name): \(message) ('\(name) --help' says more)"
  }
}
