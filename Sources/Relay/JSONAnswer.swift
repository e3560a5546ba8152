import WebSocketTransport

/// A request that a page's script makes of the relay itself: a JSON text in, a JSON text out, for an allowed origin.
struct JSONAnswer {
  let exchange: HTTPExchange
  /// What the answer needs so that the page's script may read it.
  let headers: [(name: String, value: String)]

  /// Gathers the body of a request; one above the limit is refused.
  static func read(
    _ exchange: HTTPExchange, headers: [(name: String, value: String)], limit: Int,
    _ done: @escaping ([UInt8], JSONAnswer) -> Void
  ) {
    var text: [UInt8] = []
    exchange.onBody = { if text.count <= limit { text.append(contentsOf: $0) } }
    // Unowned, since the exchange holds the closure.
    exchange.onBodyEnd = { [unowned exchange] in
      let answer = JSONAnswer(exchange: exchange, headers: headers)
      if text.count <= limit {
        done(text, answer)
      } else {
        answer.refuse(413, "tooLarge", "The body is larger than \(limit) bytes.")
      }
    }
  }

  func refuse(_ status: Int, _ code: String, _ message: String) {
    respond(status, JSONText().adding("code", code).adding("message", message).wrapped(in: "error"))
  }

  func respond(_ status: Int, _ json: String) {
    let all = headers + [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
    exchange.respond(HTTPResponse(status: status, headers: all, body: Array(json.utf8)))
  }
}
