import BridgeProtocol
import Foundation

/// What a session serves below `/s/<session>`.
struct ContentLibrary: Sendable {
  /// Where a request leads.
  enum Finding: Sendable {
    case bytes(ServedContent)
    /// A file below a folder that the page may read; the path has not been followed yet.
    case file(path: String, folder: String)
    case missing
  }

  /// How many resources in memory a session keeps, so that going back finds them; older ones go first.
  static let keptResources = 32

  private var resources: [String: ServedContent] = [:]
  private var order: [String] = []
  private var folders: [(prefix: String, folder: String)] = []

  mutating func serve(_ content: ServedContent, at path: String) {
    order.removeAll { $0 == path }
    order.append(path)
    resources[path] = content
    if order.count > Self.keptResources { resources[order.removeFirst()] = nil }
  }

  mutating func serveFolder(_ folder: String, below prefix: String) {
    folders.removeAll { $0.prefix == prefix }
    folders.append((prefix, folder))
  }

  /// Finds what a request's path, with its query, leads to.
  func find(_ path: String, blank: ServedContent) -> Finding {
    let bare = path.prefix { $0 != "?" && $0 != "#" }
    if let content = resources[String(bare)] { return .bytes(content) }
    if bare == "/" || bare.isEmpty { return .bytes(blank) }
    guard let entry = folders.last(where: { bare.hasPrefix($0.prefix) }),
      let relative = bare.dropFirst(entry.prefix.utf8.count).removingPercentEncoding, !relative.contains("\0")
    else { return .missing }
    return .file(path: entry.folder + "/" + relative, folder: entry.folder)
  }
}

/// A file that was opened below its folder.
struct ServedFile: Sendable {
  let descriptor: Int32
  let length: Int

  /// Opens a file if it is a regular one and lies below the folder once all links are followed.
  ///
  /// A path that leads out of the folder, by `..` or by a link, is refused like one that does not exist.
  static func open(path: String, folder: String) -> ServedFile? {
    guard let root = resolved(folder), let real = resolved(path),
      root == "/" || real.hasPrefix(root + "/")
    else { return nil }
    let descriptor = Foundation.open(real, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      Foundation.close(descriptor)
      return nil
    }
    return ServedFile(descriptor: descriptor, length: Int(status.st_size))
  }

  /// Reads up to `count` bytes from an offset; empty at the end or when the disk fails.
  func read(at offset: Int, count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
      length = max(0, pread(descriptor, buffer.baseAddress, count, off_t(offset)))
    }
  }

  func close() {
    Foundation.close(descriptor)
  }

  private static func resolved(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }
}
