/// Content types by file name extension.
enum MediaType {
  /// The content type of a file; bytes of an unknown kind are `application/octet-stream`.
  static func ofFile(_ path: String) -> String {
    guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return unknown }
    return table[path[path.index(after: dot)...].lowercased()] ?? unknown
  }

  /// Whether documents of that type begin with a head for the bridge's script.
  static func isHTML(_ type: String) -> Bool { type.hasPrefix("text/html") }

  private static let unknown = "application/octet-stream"

  private static let table: [String: String] = [
    "html": "text/html", "htm": "text/html", "xhtml": "application/xhtml+xml",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8", "mjs": "text/javascript; charset=utf-8",
    "json": "application/json",
    "map": "application/json", "txt": "text/plain; charset=utf-8", "csv": "text/csv; charset=utf-8",
    "xml": "application/xml", "svg": "image/svg+xml", "png": "image/png", "jpg": "image/jpeg",
    "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp", "avif": "image/avif",
    "ico": "image/x-icon",
    "bmp": "image/bmp", "woff": "font/woff", "woff2": "font/woff2", "ttf": "font/ttf", "otf": "font/otf",
    "mp4": "video/mp4", "m4v": "video/mp4", "mov": "video/quicktime", "webm": "video/webm",
    "mp3": "audio/mpeg",
    "m4a": "audio/mp4", "wav": "audio/wav", "ogg": "audio/ogg", "m3u8": "application/vnd.apple.mpegurl",
    "ts": "video/mp2t", "wasm": "application/wasm", "pdf": "application/pdf", "zip": "application/zip",
    "webmanifest": "application/manifest+json", "vtt": "text/vtt; charset=utf-8",
  ]
}
