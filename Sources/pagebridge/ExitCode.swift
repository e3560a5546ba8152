/// How the process ends; the help text lists the same numbers.
enum ExitCode: Int32 {
  case success = 0
  /// Something that was asked for could not be done, or `load` found loss.
  case failure = 1
  /// The command line makes no sense.
  case usage = 2
}
