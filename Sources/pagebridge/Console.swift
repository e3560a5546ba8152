import Foundation

/// The process's standard output and error, written at once so that lines also appear in a pipe when they are made.
enum Console {
  static func write(_ text: String) {
    FileHandle.standardOutput.write(Data(text.utf8))
  }

  static func line(_ text: String) {
    write(text + "\n")
  }

  /// One line on stderr.
  static func complain(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }
}
