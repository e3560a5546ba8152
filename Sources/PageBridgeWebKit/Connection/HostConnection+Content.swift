import BridgeProtocol
import Foundation

extension HostConnection {
  /// Files are read here, so that a slow disk stops no session.
  private static let files = DispatchQueue(label: "pagebridge.files")

  /// Answers a request for content.
  func serve(_ request: ContentRequest) {
    guard let record = sessions[request.session] else {
      refuse(request, status: 404, "The session is over.\n")
      return
    }
    if request.isBootstrap {
      guard let configuration = record.configuration else {
        refuse(request, status: 503, "The host is not ready.\n")
        return
      }
      var website: [WireValue] = []
      if let document = request.document {
        record.versions[document] = configuration.version
        website = websiteChanges(for: document, record)
        record.shelf.keep(configuration.scripts, for: document)
      }
      answer(
        request,
        ServedContent(
          bytes: configuration.bootstrap(website: website), contentType: "text/javascript; charset=utf-8"))
      return
    }
    if request.path.hasPrefix(SchemeAddress.prefix) { return serveScheme(request, record) }
    guard request.method == "GET" || request.method == "HEAD" else {
      refuse(request, status: 405, "Only GET and HEAD are served here.\n")
      return
    }
    if request.path.hasPrefix(WebsiteChange.visitPrefix) { return serveCookie(request, record) }
    if request.path.hasPrefix(ScriptShelf.folder) {
      serveScript(request, record)
      return
    }
    let blank = ServedContent(bytes: markup.blank, contentType: "text/html; charset=utf-8")
    switch record.library.find(request.path, blank: blank) {
    case .bytes(let content): answer(request, content)
    case .file(let path, let folder): openFile(request, path, folder)
    case .missing: refuse(request, status: 404, "Not found.\n")
    }
  }

  private func serveScript(_ request: ContentRequest, _ record: SessionRecord) {
    let path = request.path.dropFirst(ScriptShelf.folder.count)
    let token = path.prefix { $0 != "/" }
    // A request for the head alone must not use the address up.
    guard request.method == "GET", let known = record.configuration?.scriptToken, token == known,
      let text = record.shelf.take(path.dropFirst(known.count + 1))
    else {
      refuse(request, status: 404, "There is no such script, or it was fetched already.\n")
      return
    }
    answer(request, ServedContent(bytes: text, contentType: "text/javascript; charset=utf-8"))
  }

  func grant(_ id: Int, _ bytes: Int) {
    grantScheme(id, bytes)
    streams[id]?.grant(bytes)
    pump(id)
  }

  func cancelStream(_ id: Int) {
    cancelScheme(id)
    guard let stream = streams.removeValue(forKey: id) else { return }
    close(stream)
  }

  /// The connection is gone, and with it everybody who waited for content.
  func dropStreams() {
    dropSchemes()
    for stream in streams.values { close(stream) }
    streams = [:]
  }

  private func close(_ stream: ContentStream) {
    // A read that is under way closes the file itself.
    if case .file(let file) = stream.source, !stream.isReading { file.close() }
  }

  func refuse(_ request: ContentRequest, status: Int, _ text: String) {
    answer(
      request, ServedContent(bytes: Array(text.utf8), contentType: "text/plain; charset=utf-8"),
      status: status)
  }

  func answer(_ request: ContentRequest, _ content: ServedContent, status: Int = 200) {
    begin(request, .bytes(content.bytes), length: content.bytes.count, content.contentType, status: status)
  }

  private func begin(
    _ request: ContentRequest, _ source: ContentStream.Source, length: Int, _ contentType: String,
    status: Int = 200
  ) {
    let headers = [
      ("Content-Type", contentType), ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
    ]
    put(HostControl.contentHead(id: request.id, status: status, headers: headers, length: length))
    let stream = ContentStream(id: request.id, source: source, length: length)
    guard request.method != "HEAD", length > 0 else {
      close(stream)
      put(HostControl.contentEnd(id: request.id, error: nil))
      return
    }
    streams[request.id] = stream
    pump(request.id)
  }

  /// Sends what the relay has room for.
  private func pump(_ id: Int) {
    guard var stream = streams[id], stream.allowance > 0 else { return }
    switch stream.source {
    case .bytes(let bytes):
      for part in ContentStream.parts(id: id, stream.take(bytes)) { put(part) }
      finishOrKeep(stream)
    case .file(let file):
      guard !stream.isReading else { return }
      stream.isReading = true
      streams[id] = stream
      let offset = stream.offset
      let count = min(stream.allowance, Limits.contentCreditBytes)
      Self.files.async { [self] in
        let bytes = file.read(at: offset, count: count)
        transport.perform { [self] in
          arrived(id, file, bytes)
          flush()
        }
      }
    }
  }

  private func arrived(_ id: Int, _ file: ServedFile, _ bytes: [UInt8]) {
    guard var stream = streams[id], case .file(let current) = stream.source,
      current.descriptor == file.descriptor, stream.isReading
    else {
      file.close()
      return
    }
    stream.isReading = false
    guard !bytes.isEmpty else {
      streams[id] = nil
      file.close()
      put(HostControl.contentEnd(id: id, error: "the file became shorter"))
      return
    }
    for part in ContentStream.parts(id: id, bytes[...]) { put(part) }
    stream.advance(bytes.count)
    finishOrKeep(stream)
    pump(id)
  }

  private func finishOrKeep(_ stream: ContentStream) {
    if stream.isFinished {
      streams[stream.id] = nil
      close(stream)
      put(HostControl.contentEnd(id: stream.id, error: nil))
    } else {
      streams[stream.id] = stream
    }
  }

  /// Reads an HTML file as a page of the bridge and closes it.
  private static func document(from file: ServedFile, _ markup: BridgeMarkup) -> [UInt8] {
    defer { file.close() }
    return HTMLHead.inserting(markup.head(base: nil), into: file.read(at: 0, count: file.length))
  }

  private func openFile(_ request: ContentRequest, _ path: String, _ folder: String) {
    let type = MediaType.ofFile(path)
    // Only what becomes a document gets the bridge; a script that fetches the file gets the file.
    let destination = request.header("sec-fetch-dest")
    let isDocument =
      MediaType.isHTML(type)
      && (destination == nil || destination == "document" || destination == "iframe"
        || destination == "frame")
    let markup = markup
    Self.files.async { [self] in
      let file = ServedFile.open(path: path, folder: folder)
      let document = isDocument ? file.map { Self.document(from: $0, markup) } : nil
      transport.perform { [self] in
        if let document {
          answer(request, ServedContent(bytes: document, contentType: type))
        } else if let file {
          begin(request, .file(file), length: file.length, type)
        } else {
          refuse(request, status: 404, "Not found.\n")
        }
        flush()
      }
    }
  }
}
