import PageBridgeWebKit

/// Serves the product's page from its folder, under a scheme of the app's own: `squad://app/index.html`.
///
/// HTML comes with the product's content security policy as a header. A file that the cache policy wants is kept once it has
/// been read.
@MainActor
final class SquadContent: NSObject, WKURLSchemeHandler {
  static let scheme = "squad"
  static let host = "app"
  static let start = URL(string: "\(scheme)://\(host)/index.html")!
  /// Bytes of the largest file that is served.
  nonisolated static let maxFileBytes = 16 * 1_048_576

  private let folder: URL
  private let usesPolicy: Bool
  /// The page of an address that is kept, if there is one.
  var kept: (URL) -> SquadPage? = { _ in nil }
  /// A file was read.
  var read: (SquadPage) -> Void = { _ in }
  private var running: Set<ObjectIdentifier> = []

  init(folder: URL, usesPolicy: Bool) {
    self.folder = folder
    self.usesPolicy = usesPolicy
  }

  func webView(_ webView: WKWebView, start urlSchemeTask: any WKURLSchemeTask) {
    guard let url = urlSchemeTask.request.url, let file = Self.file(url, in: folder) else {
      return urlSchemeTask.didFailWithError(URLError(.fileDoesNotExist))
    }
    if let page = kept(url) { return answer(urlSchemeTask, page) }
    let id = ObjectIdentifier(urlSchemeTask)
    running.insert(id)
    Task {
      let data = await Self.contents(of: file, in: folder)
      // A task that was stopped meanwhile must not be answered.
      guard running.remove(id) != nil else { return }
      guard let data else { return urlSchemeTask.didFailWithError(URLError(.fileDoesNotExist)) }
      let page = SquadPage(url: url, data: data, mimeType: Self.mediaType(of: file), encoding: "utf-8")
      read(page)
      answer(urlSchemeTask, page)
    }
  }

  func webView(_ webView: WKWebView, stop urlSchemeTask: any WKURLSchemeTask) {
    running.remove(ObjectIdentifier(urlSchemeTask))
  }

  private func answer(_ task: any WKURLSchemeTask, _ page: SquadPage) {
    var headers = [
      "Content-Type": page.mimeType.hasPrefix("text/") ? "\(page.mimeType); charset=utf-8" : page.mimeType,
      "Content-Length": String(page.data.count), "Cache-Control": "no-store",
    ]
    if usesPolicy, page.mimeType == "text/html" { headers[SquadPolicy.headerName] = SquadPolicy.text }
    guard
      let response = HTTPURLResponse(
        url: page.url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: headers)
    else { return task.didFailWithError(URLError(.cannotParseResponse)) }
    task.didReceive(response)
    task.didReceive(page.data)
    task.didFinish()
  }

  /// The file of an address; nil for another host and for what leads out of the folder by its path.
  static func file(_ url: URL, in folder: URL) -> URL? {
    guard url.scheme?.lowercased() == scheme, url.host()?.lowercased() == host else { return nil }
    let parts = url.path(percentEncoded: false).split(separator: "/", omittingEmptySubsequences: true)
    guard !parts.isEmpty, !parts.contains(".."), !parts.contains("."),
      !parts.contains(where: { $0.contains("\0") })
    else { return nil }
    return folder.appending(path: parts.joined(separator: "/"))
  }

  /// The file's bytes; nil if it is none, too large, or led out of the folder by a link.
  private nonisolated static func contents(of file: URL, in folder: URL) async -> Data? {
    let real = file.resolvingSymlinksInPath().path(percentEncoded: false)
    let root = folder.resolvingSymlinksInPath().path(percentEncoded: false)
    guard real.hasPrefix(root.hasSuffix("/") ? root : root + "/"),
      let attributes = try? FileManager.default.attributesOfItem(atPath: real),
      attributes[.type] as? FileAttributeType == .typeRegular,
      let size = attributes[.size] as? Int, size <= maxFileBytes
    else { return nil }
    return FileManager.default.contents(atPath: real)
  }

  private static func mediaType(of file: URL) -> String {
    switch file.pathExtension.lowercased() {
    case "html", "htm": "text/html"
    case "css": "text/css"
    case "js", "mjs": "text/javascript"
    case "json": "application/json"
    case "svg": "image/svg+xml"
    case "png": "image/png"
    case "jpg", "jpeg": "image/jpeg"
    case "webm": "video/webm"
    case "mp4": "video/mp4"
    case "txt": "text/plain"
    default: "application/octet-stream"
    }
  }
}
