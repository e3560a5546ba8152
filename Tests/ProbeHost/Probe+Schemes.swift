import Foundation
import PageBridgeWebKit

/// Answers a scheme's requests with what the commands have put there.
///
/// A resource is `{"type", "text"}`, with `status`, `headers` or `repeat` (how many times the text comes, in so many pieces) if
/// wanted, or `{"echo": true}`, `{"fail": code}` or `{"hold": true}` (a head and nothing more).
@MainActor
final class ProbedSchemeHandler: WKURLSchemeHandler {
  private let journal: Journal
  var resources: [String: JSONValue] = [:]

  init(journal: Journal) {
    self.journal = journal
  }

  func webView(_ webView: WKWebView, start urlSchemeTask: any WKURLSchemeTask) {
    let request = urlSchemeTask.request
    let url = request.url!
    journal.write(
      "schemeStart",
      [
        "url": .string(url.absoluteString), "method": JSONValue(request.httpMethod),
        "referer": JSONValue(request.value(forHTTPHeaderField: "Referer")),
        "bytes": JSONValue(request.httpBody?.count ?? 0),
      ])
    guard let resource = resources[url.absoluteString] else {
      let response = HTTPURLResponse(url: url, statusCode: 404, httpVersion: nil, headerFields: nil)!
      urlSchemeTask.didReceive(response)
      urlSchemeTask.didFinish()
      return
    }
    if let code = resource["fail"]?.int {
      return urlSchemeTask.didFailWithError(NSError(domain: NSURLErrorDomain, code: code))
    }
    var text = resource["text"]?.string ?? ""
    if resource["echo"]?.bool == true {
      text = "\(request.httpMethod ?? "") \(String(decoding: request.httpBody ?? Data(), as: UTF8.self))"
    }
    let type = resource["type"]?.string ?? "text/plain"
    if let status = resource["status"]?.int {
      var headers = ["Content-Type": type]
      for (name, value) in resource["headers"]?.object ?? [:] { headers[name] = value.string }
      urlSchemeTask.didReceive(
        HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)!)
    } else {
      urlSchemeTask.didReceive(
        URLResponse(
          url: url, mimeType: type, expectedContentLength: text.utf8.count, textEncodingName: "utf-8"))
    }
    if resource["hold"]?.bool == true { return }
    for _ in 0..<(resource["repeat"]?.int ?? 1) { urlSchemeTask.didReceive(Data(text.utf8)) }
    urlSchemeTask.didFinish()
  }

  func webView(_ webView: WKWebView, stop urlSchemeTask: any WKURLSchemeTask) {
    journal.write("schemeStop", ["url": JSONValue(urlSchemeTask.request.url?.absoluteString)])
  }
}
