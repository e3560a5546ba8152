/// Says what is wrong with a command line; the process ends with ``ExitCode/usage``.
struct UsageError: Error, Equatable, CustomStringConvertible {
  let message: String

  init(_ message: String) {
    self.message = message
  }

  var description: String { message }
}
