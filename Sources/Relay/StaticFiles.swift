import Foundation
import Glibc
import WebSocketTransport

/// The files under a folder, as HTTP serves them: validators, one byte range, no way out of the folder.
struct StaticFiles: Sendable {
  /// The folder with all links resolved, without a slash at its end.
  private let root: String

  init(root: String) {
    self.root = Self.resolved(root) ?? root
  }

  private static func resolved(_ path: String) -> String? {
    guard let pointer = realpath(path, nil) else { return nil }
    defer { free(pointer) }
    return String(cString: pointer)
  }

  /// Answers a request with the file at the path, which begins with a slash.
  func answer(_ exchange: HTTPExchange, path: String, headers: [(name: String, value: String)] = []) {
    guard ["GET", "HEAD"].contains(exchange.head.method) else {
      exchange.respond(.text(405, "Files are read only.", headers: [("Allow", "GET, HEAD")]))
      return
    }
    switch find(path) {
    case .file(let file):
      answer(exchange, file, headers)
    case .folder:
      exchange.respond(
        HTTPResponse(status: 301, headers: [("Location", path + "/")], body: []))
    case .nothing:
      exchange.respond(.text(404, "There is no such page."))
    }
  }

  private enum Found {
    case file(File)
    case folder
    case nothing
  }

  private struct File {
    let descriptor: CInt
    let size: Int
    let modified: timespec
    let type: String

    var tag: String {
      "\"\(String(size, radix: 16))-\(String(modified.tv_sec, radix: 16))-\(String(modified.tv_nsec, radix: 16))\""
    }
  }

  private func find(_ path: String) -> Found {
    let parts = path.split(separator: "/", omittingEmptySubsequences: true)
    // Neither hidden files nor the folder above.
    guard path.first == "/", !path.utf8.contains(0), !parts.contains(where: { $0.hasPrefix(".") }) else {
      return .nothing
    }
    let name = path.hasSuffix("/") ? path + "index.html" : path
    guard let resolved = Self.resolved(root + name), resolved.hasPrefix(root + "/") else { return .nothing }
    let descriptor = open(resolved, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return .nothing }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      return status.st_mode & S_IFMT == S_IFDIR ? .folder : .nothing
    }
    return .file(
      File(
        descriptor: descriptor, size: Int(status.st_size), modified: status.st_mtim,
        type: MediaType.of(path: resolved)))
  }

  private func answer(_ exchange: HTTPExchange, _ file: File, _ extra: [(name: String, value: String)]) {
    let modified = HTTPDate.text(secondsSince1970: file.modified.tv_sec)
    var headers =
      extra + [
        ("ETag", file.tag), ("Last-Modified", modified), ("Cache-Control", "no-cache"),
        ("Accept-Ranges", "bytes"), ("X-Content-Type-Options", "nosniff"),
      ]
    if isUnchanged(exchange.head, file) {
      close(file.descriptor)
      exchange.respond(HTTPResponse(status: 304, headers: headers))
      return
    }
    headers.append(("Content-Type", file.type))
    var header = exchange.head.header("range")
    if let condition = exchange.head.header("if-range"), condition != file.tag, condition != modified {
      header = nil
    }
    let range = ByteRange(header: header, length: file.size)
    if let value = range.contentRange(length: file.size) { headers.append(("Content-Range", value)) }
    switch range {
    case .whole:
      exchange.begin(status: 200, headers: headers, length: file.size)
      exchange.finish(withFile: file.descriptor, offset: 0, count: file.size)
    case .part(let first, let last):
      exchange.begin(status: 206, headers: headers, length: last - first + 1)
      exchange.finish(withFile: file.descriptor, offset: first, count: last - first + 1)
    case .unsatisfiable:
      close(file.descriptor)
      exchange.respond(HTTPResponse(status: 416, headers: headers))
    }
  }

  /// Whether the client's copy is good (RFC 9110, section 13.2.2).
  private func isUnchanged(_ head: RequestHead, _ file: File) -> Bool {
    if let tags = head.header("if-none-match") {
      return tags.split(separator: ",").contains { tag in
        let tag = tag.filter { $0 != " " }
        return tag == "*" || tag == file.tag || tag == "W/" + file.tag
      }
    }
    guard let since = head.header("if-modified-since").flatMap({ HTTPDate.seconds($0) }) else { return false }
    return file.modified.tv_sec <= since
  }
}

/// Media types by a file's ending.
enum MediaType {
  private static let byEnding = [
    "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "mjs": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
    "json": "application/json", "svg": "image/svg+xml", "png": "image/png", "jpg": "image/jpeg",
    "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp", "ico": "image/x-icon",
    "mp4": "video/mp4", "m4v": "video/mp4", "webm": "video/webm", "ogv": "video/ogg", "mp3": "audio/mpeg",
    "m4a": "audio/mp4", "wav": "audio/wav", "vtt": "text/vtt; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
    "ts": "text/plain; charset=utf-8", "md": "text/markdown; charset=utf-8", "wasm": "application/wasm",
    "woff": "font/woff", "woff2": "font/woff2", "pdf": "application/pdf", "xml": "application/xml",
    "webmanifest": "application/manifest+json", "map": "application/json",
  ]

  static func of(path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: ".") else { return "application/octet-stream" }
    return byEnding[name[name.index(after: dot)...].lowercased()] ?? "application/octet-stream"
  }
}
