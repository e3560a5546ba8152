// The C library's optind, opterr and optopt are plain variables; they are touched on the main actor only.
@preconcurrency import CGetopt
@preconcurrency import Glibc

/// The options found in a command line, each with its arguments in order.
struct ParsedOptions: Equatable, Sendable {
  private var values: [String: [String]]

  init(_ values: [String: [String]] = [:]) {
    self.values = values
  }

  /// Tells whether the option was given.
  func has(_ option: CommandLineOption) -> Bool {
    values[option.name] != nil
  }

  /// The option's argument, the last one if it was given several times.
  func text(_ option: CommandLineOption) -> String? {
    values[option.name]?.last
  }

  /// All arguments of an option that may be repeated.
  func texts(_ option: CommandLineOption) -> [String] {
    values[option.name] ?? []
  }

  fileprivate mutating func add(_ option: CommandLineOption, _ argument: String) {
    values[option.name, default: []].append(argument)
  }
}

/// GNU style long options, read by the C library's getopt_long: `--name value`, `--name=value`, unique abbreviations, and
/// `--` as the end of the options. On the main actor, since getopt_long keeps its place in variables of the process.
@MainActor
enum OptionParser {
  /// Values of getopt_long's answers for our options start above every character, so none looks like a short option.
  private static let firstValue: Int32 = 256

  /// Reads the arguments that follow a command's name.
  ///
  /// Throws ``UsageError`` for an unknown or ambiguous option, a missing or needless argument, and any operand.
  static func parse(_ arguments: [String], options: [CommandLineOption]) throws(UsageError) -> ParsedOptions {
    // The first element is the program's name, which getopt_long skips.
    var argv: [UnsafeMutablePointer<CChar>?] = (["pagebridge"] + arguments).map { strdup($0) }
    argv.append(nil)
    // getopt_long permutes the pointers but keeps them all, so each is still freed once.
    defer { for pointer in argv { free(pointer) } }
    let names = options.map { strdup($0.name) }
    defer { for name in names { free(name) } }

    var table = options.indices.map { index in
      CGetopt.option(
        name: UnsafePointer(names[index]), has_arg: options[index].argument == nil ? 0 : 1,
        flag: nil, val: firstValue + Int32(index))
    }
    table.append(CGetopt.option(name: nil, has_arg: 0, flag: nil, val: 0))

    opterr = 0
    optind = 0  // makes glibc start anew
    var parsed = ParsedOptions()
    let count = Int32(argv.count - 1)
    while true {
      // The leading colon makes a missing argument an answer of its own.
      let answer = getopt_long(count, &argv, ":", table, nil)
      if answer == -1 { break }
      guard answer >= firstValue else {
        throw error(for: answer, argv: argv, options: options)
      }
      parsed.add(options[Int(answer - firstValue)], optarg.map { String(cString: $0) } ?? "")
    }
    if optind < count, let operand = argv[Int(optind)] {
      throw UsageError("unexpected argument '\(String(cString: operand))'")
    }
    return parsed
  }

  /// Words what getopt_long refused. Called with its variables as it left them.
  private static func error(
    for answer: Int32, argv: [UnsafeMutablePointer<CChar>?], options: [CommandLineOption]
  ) -> UsageError {
    let refused = optopt >= firstValue ? options[Int(optopt - firstValue)] : nil
    if let refused {
      return answer == UInt8(ascii: ":")
        ? UsageError("option '--\(refused.name)' needs \(refused.argument ?? "an argument")")
        : UsageError("option '--\(refused.name)' takes no argument")
    }
    if optopt != 0 {
      return UsageError("unknown option '-\(Character(Unicode.Scalar(UInt8(truncatingIfNeeded: optopt))))'")
    }
    let written = argv[Int(optind) - 1].map { String(cString: $0) } ?? ""
    let name = written.drop { $0 == "-" }.prefix { $0 != "=" }
    let candidates = options.map(\.name).filter { $0.hasPrefix(name) }
    if candidates.count > 1 {
      let list =
        candidates.prefix(4).map { "--\($0)" }.joined(separator: ", ") + (candidates.count > 4 ? ", ..." : "")
      return UsageError("option '--\(name)' is ambiguous: \(list)")
    }
    return UsageError("unknown option '--\(name)'")
  }
}
