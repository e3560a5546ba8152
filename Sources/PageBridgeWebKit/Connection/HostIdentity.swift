import Foundation

/// Who a host is for its relay, kept over reconnects.
struct HostIdentity: Codable, Hashable, Sendable {
  var instance: String
  var key: String
}

/// What a state file keeps over restarts of a host.
struct HostState: Codable, Hashable, Sendable {
  var identity: HostIdentity
  /// Sessions that viewers show, with the viewer's own session: who is shown where is known to the host alone.
  var contents: [String: String] = [:]

  /// Reads the state that an earlier process wrote; nil if there is none or it cannot be read.
  static func load(from file: URL) -> HostState? {
    guard let data = try? Data(contentsOf: file) else { return nil }
    return try? JSONDecoder().decode(HostState.self, from: data)
  }

  /// Writes the state so that only the user can read it, and never half of it.
  func save(to file: URL) throws {
    let folder = file.deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let temporary = folder.appendingPathComponent(".\(file.lastPathComponent).\(RandomToken.bits48())")
    let descriptor = open(temporary.path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
    guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      try handle.write(contentsOf: try encoder.encode(self))
      try handle.close()
    } catch {
      unlink(temporary.path)
      throw error
    }
    guard rename(temporary.path, file.path) == 0 else {
      unlink(temporary.path)
      throw CocoaError(.fileWriteUnknown)
    }
  }
}
