import BridgeProtocol

/// One resource that a handler answers.
@MainActor
final class SchemeTask: NSObject, WKURLSchemeTask {
  private enum Phase {
    case waiting, answering, finished, stopped
  }

  let request: URLRequest
  let handler: any WKURLSchemeHandler
  private let id: Int
  private let isDocument: Bool
  private let session: WebViewSession
  private var phase = Phase.waiting

  init(_ request: SchemeRequest, handler: any WKURLSchemeHandler, session: WebViewSession) {
    id = request.id
    isDocument = request.isDocument
    self.request = request.urlRequest
    self.handler = handler
    self.session = session
  }

  func didReceive(_ response: URLResponse) {
    switch phase {
    case .waiting: break
    case .answering: preconditionFailure("WKURLSchemeTask: a response was sent for this task already")
    case .finished, .stopped: refuse()
    }
    phase = .answering
    session.connection.submit(.schemeHead(id: id, SchemeHead(response)))
  }

  func didReceive(_ data: Data) {
    demandResponse()
    session.connection.submit(.schemeData(id: id, Array(data)))
  }

  func didFinish() {
    demandResponse()
    end(failure: nil)
  }

  func didFailWithError(_ error: any Error) {
    let isUnanswered = if case .waiting = phase { true } else { false }
    switch phase {
    case .waiting, .answering: break
    case .finished, .stopped: refuse()
    }
    end(failure: "the handler failed")
    if isDocument, isUnanswered { session.webView?.schemeFailed(request.url, error as NSError) }
  }

  /// Nobody waits for the resource any more.
  func stop(_ webView: WKWebView) {
    switch phase {
    case .waiting, .answering: break
    case .finished, .stopped: return
    }
    phase = .stopped
    handler.webView(webView, stop: self)
  }

  private func end(failure: String?) {
    phase = .finished
    session.schemeTasks[id] = nil
    session.connection.submit(.schemeEnd(id: id, failure: failure))
  }

  private func demandResponse() {
    switch phase {
    case .answering: break
    case .waiting: preconditionFailure("WKURLSchemeTask: no response was sent for this task yet")
    case .finished, .stopped: refuse()
    }
  }

  private func refuse() -> Never {
    if case .stopped = phase { preconditionFailure("WKURLSchemeTask: this task was stopped already") }
    preconditionFailure("WKURLSchemeTask: this task was completed already")
  }
}
