import PageBridgeWebKit

/// A path in a folder of its own, removed with everything in it.
final class TemporaryFile: Sendable {
  let folder: URL
  let url: URL

  init(name: String = "file") {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("pagebridge-\(UUID().uuidString)", isDirectory: true)
    url = folder.appendingPathComponent(name)
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  /// The events that a host wrote to the file.
  func events() throws -> [WireValue] {
    try Data(contentsOf: url).split(separator: UInt8(ascii: "\n")).map { try WireValue(json: $0) }
  }

  /// Writes a file into the folder.
  func write(_ text: String, to name: String) throws {
    let file = folder.appendingPathComponent(name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }
}
