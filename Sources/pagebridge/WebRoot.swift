import Foundation

/// Finds the folder of pages that the relay serves.
enum WebRoot {
  /// What a folder of pages has, and no other folder.
  private static let mark = "bridge.js"

  /// Gives the folder that was named, else the environment's, else the one in the working directory, else the one of the
  /// checkout that holds the executable. Throws ``CommandError`` if there is none.
  static func find(
    named: URL?, environment: [String: String] = ProcessInfo.processInfo.environment,
    workingDirectory: URL = URL(filePath: FileManager.default.currentDirectoryPath),
    executable: URL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
  ) throws(CommandError) -> URL {
    if let named { return try checked(named, source: "--web") }
    if let text = environment["PAGEBRIDGE_WEB"], !text.isEmpty {
      return try checked(URL(filePath: text), source: "PAGEBRIDGE_WEB")
    }
    var folder = workingDirectory
    var places = [folder.appending(path: "web")]
    folder = executable.deletingLastPathComponent()
    while folder.pathComponents.count > 1 {
      places.append(folder.appending(path: "web"))
      folder = folder.deletingLastPathComponent()
    }
    guard let found = places.first(where: holdsPages) else {
      throw CommandError(
        "the folder of pages was not found in the working directory nor beside the command; name it with --web DIR or PAGEBRIDGE_WEB"
      )
    }
    return found
  }

  private static func checked(_ folder: URL, source: String) throws(CommandError) -> URL {
    guard holdsPages(folder) else {
      throw CommandError("\(source): '\(folder.path())' holds no \(mark), so it is not the folder of pages")
    }
    return folder
  }

  private static func holdsPages(_ folder: URL) -> Bool {
    FileManager.default.fileExists(atPath: folder.appending(path: mark).path(percentEncoded: false))
  }
}

/// Why a command could not do its work; the process ends with ``ExitCode/failure``.
struct CommandError: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
