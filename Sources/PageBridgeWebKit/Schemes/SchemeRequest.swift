import BridgeProtocol

/// A page's request for a resource of an app's scheme.
struct SchemeRequest: Sendable {
  let id: Int
  let session: String
  let urlRequest: URLRequest
  /// Whether a document is wanted, and not a part of one.
  let isDocument: Bool
}

/// The head of an answer to such a request.
struct SchemeHead: Sendable {
  var status = 200
  var headers: [(String, String)]
  var contentType: String
  /// How long the content is, if the handler said so.
  var length: Int?

  @MainActor
  init(_ response: URLResponse) {
    let type = response.mimeType ?? "application/octet-stream"
    contentType = response.textEncodingName.map { "\(type); charset=\($0)" } ?? type
    length = response.expectedContentLength > 0 ? Int(response.expectedContentLength) : nil
    headers = []
    guard let response = response as? HTTPURLResponse else { return }
    status = response.statusCode
    for (name, value) in response.allHeaderFields {
      guard let name = name as? String, let value = value as? String else { continue }
      switch name.lowercased() {
      case "content-type": contentType = value
      // The relay writes what concerns its connection to the browser.
      case "content-length", "connection", "transfer-encoding", "content-encoding": break
      default: headers.append((name, value))
      }
    }
    headers.sort { $0.0 < $1.0 }
  }
}

/// Where resources of app's schemes are served: below the session's path, for pages and for the app.
enum SchemeAddress {
  static let prefix = "/_pagebridge/scheme/"
  /// What stands for an empty host in a path.
  private static let noHost = "_"

  /// The schemes that browsers know themselves.
  static let browsers: Set<String> = [
    "about", "blob", "data", "file", "ftp", "http", "https", "javascript", "ws", "wss",
  ]

  /// Whether a text is a scheme (RFC 3986, section 3.1).
  static func isScheme(_ text: String) -> Bool {
    guard let first = text.utf8.first, isLetter(first) else { return false }
    return text.utf8.allSatisfy { byte in
      isLetter(byte) || (byte >= 0x30 && byte <= 0x39) || byte == 0x2B || byte == 0x2D || byte == 0x2E
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A }

  /// The path below the session's, with query and fragment, of an address; nil for one that is none.
  static func path(of url: URL) -> String? {
    let text = url.absoluteString
    guard let colon = text.firstIndex(of: ":") else { return nil }
    var rest = text[text.index(after: colon)...]
    var host = Substring(noHost)
    if rest.hasPrefix("//") {
      rest = rest.dropFirst(2)
      let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
      if end > rest.startIndex { host = rest[..<end] }
      rest = rest[end...]
    }
    let slash = rest.hasPrefix("/") ? "" : "/"
    return prefix + text[..<colon].lowercased() + "/" + host + slash + rest
  }

  /// The address that a path below the session's stands for; nil for another path.
  static func url(of path: some StringProtocol) -> URL? {
    guard path.hasPrefix(prefix) else { return nil }
    let rest = path.dropFirst(prefix.count)
    let end = rest.firstIndex { "?#".contains($0) } ?? rest.endIndex
    let parts = rest[..<end].split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count >= 2, isScheme(String(parts[0])) else { return nil }
    let host = parts[1] == noHost ? "" : String(parts[1])
    let tail = parts.count > 2 ? "/" + parts[2] : ""
    return URL(string: "\(parts[0])://\(host)\(tail)\(rest[end...])")
  }
}
