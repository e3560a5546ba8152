import CLibwebsockets

/// Request line and headers of an HTTP request, or of the request that asks for a WebSocket.
package struct RequestHead: Sendable {
  /// `GET`, `HEAD`, `POST` and so on.
  package var method = ""
  /// The path, percent-decoded, with `.`, `..` and doubled slashes resolved by libwebsockets.
  package var path = ""
  /// The query's parts between `&`, percent-decoded.
  package var query: [String] = []
  /// Headers in lower case. Those that libwebsockets does not know are left out.
  package var headers: [(name: String, value: String)] = []
  /// Bytes of path, query and headers that libwebsockets keeps.
  package var byteCount = 0
  /// The address of the peer.
  package var peerAddress = ""
  /// Whether the connection is encrypted.
  package var isSecure = false

  /// The first value of a header, its name in lower case.
  package func header(_ name: String) -> String? {
    headers.first { $0.name == name }?.value
  }

  /// The value of a parameter of the query.
  package func parameter(_ name: String) -> String? {
    for part in query where part.hasPrefix(name) {
      let rest = part.dropFirst(name.count)
      if rest.first == "=" { return String(rest.dropFirst()) }
      if rest.isEmpty { return "" }
    }
    return nil
  }

  /// Reads what the library keeps of the request; during the callback that announces it.
  init(_ wsi: OpaquePointer) {
    var buffer = [CChar](repeating: 0, count: LoopCore.headerBufferBytes + 1)
    for index in 0..<WSI_TOKEN_COUNT.rawValue {
      let token = lws_token_indexes(index)
      let count = Int(lws_hdr_total_length(wsi, token))
      guard count > 0, let label = lws_token_to_string(token) else { continue }
      let name = String(cString: UnsafeRawPointer(label).assumingMemoryBound(to: CChar.self))
      byteCount += count
      switch token {
      case WSI_TOKEN_HTTP_URI_ARGS:
        var part: CInt = 0
        while true {
          let count = lws_hdr_copy_fragment(wsi, &buffer, CInt(buffer.count), token, part)
          guard count >= 0 else { break }
          query.append(Self.text(buffer, Int(count)))
          part += 1
        }
      case WSI_TOKEN_GET_URI, WSI_TOKEN_POST_URI, WSI_TOKEN_OPTIONS_URI, WSI_TOKEN_PUT_URI,
        WSI_TOKEN_PATCH_URI,
        WSI_TOKEN_DELETE_URI, WSI_TOKEN_HEAD_URI:
        guard lws_hdr_copy(wsi, &buffer, CInt(buffer.count), token) >= 0 else { continue }
        path = Self.text(buffer, count)
        method = name.uppercased().filter { $0 != " " }
      default:
        guard name.hasSuffix(":"), name.first != ":",
          lws_hdr_copy(wsi, &buffer, CInt(buffer.count), token) >= 0
        else { continue }
        headers.append((String(name.dropLast()), Self.text(buffer, count)))
      }
    }
    if lws_get_peer_simple(wsi, &buffer, 64) != nil {
      peerAddress = Self.text(buffer, buffer.firstIndex(of: 0) ?? 0)
    }
    isSecure = lws_is_ssl(wsi) != 0
  }

  private static func text(_ buffer: [CChar], _ count: Int) -> String {
    buffer.withUnsafeBytes { String(decoding: $0.prefix(count), as: UTF8.self) }
  }
}

/// An answer to an HTTP request.
package struct HTTPResponse: Sendable {
  package var status: Int
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]

  package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// One line of text.
  package static func text(
    _ status: Int, _ line: String, headers: [(name: String, value: String)] = []
  ) -> HTTPResponse {
    HTTPResponse(
      status: status, headers: headers + [("Content-Type", "text/plain; charset=utf-8")],
      body: Array((line + "\n").utf8))
  }

  /// Status line and headers as they go over the wire.
  static func head(status: Int, headers: [(name: String, value: String)]) -> String {
    var text = "HTTP/1.1 \(status) \(reason(status))\r\n"
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    return text + "\r\n"
  }

  private static func reason(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 204: "No Content"
    case 206: "Partial Content"
    case 301: "Moved Permanently"
    case 304: "Not Modified"
    case 400: "Bad Request"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 409: "Conflict"
    case 410: "Gone"
    case 413: "Content Too Large"
    case 416: "Range Not Satisfiable"
    case 421: "Misdirected Request"
    case 426: "Upgrade Required"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 502: "Bad Gateway"
    case 503: "Service Unavailable"
    case 504: "Gateway Timeout"
    default: "Status"
    }
  }
}
