import Foundation
import Synchronization
import WebSocketTransport

/// A page's DevTools socket, for its `Runtime.evaluate` only, one call at a time.
final class DevTools: WebSocketClientHandler {
  private struct State {
    var opened: CheckedContinuation<Void, any Error>?
    var call: CheckedContinuation<[UInt8], any Error>?
    var number = 0
  }

  private let state = Mutex(State())
  private let loop: ServiceLoop
  private let url: WebSocketURL
  private let client = Mutex<WebSocketClient?>(nil)

  init(_ address: String) throws {
    loop = try ServiceLoop(name: "devtools")
    url = try WebSocketURL(address)
  }

  func connect() async throws {
    let made = WebSocketClient(
      WebSocketClientConfiguration(url: url, maxMessageBytes: 1_048_576), loop: loop, handler: self)
    client.withLock { $0 = made }
    try await withCheckedThrowingContinuation { continuation in
      state.withLock { $0.opened = continuation }
      made.connect()
    }
  }

  /// The answer's text, whose value is for others to read.
  func evaluate(_ script: String) async throws -> [UInt8] {
    let number = state.withLock { state in
      state.number += 1
      return state.number
    }
    let expression = String(decoding: try JSONEncoder().encode(script), as: UTF8.self)
    let text =
      #"{"id":\#(number),"method":"Runtime.evaluate","params":{"expression":\#(expression),"returnByValue":true}}"#
    return try await withCheckedThrowingContinuation { continuation in
      state.withLock { $0.call = continuation }
      client.withLock { $0 }?.send(Array(text.utf8))
    }
  }

  func opened(_ client: WebSocketClient) {
    state.withLock { $0.opened.take() }?.resume()
  }

  func received(_ client: WebSocketClient, text: UnsafeRawBufferPointer) {
    guard text.starts(with: #"{"id":"#.utf8) else { return }
    state.withLock { $0.call.take() }?.resume(returning: Array(text))
  }

  func turnEnded(_ client: WebSocketClient) {}

  func closed(_ client: WebSocketClient, code: UInt16, reason: String) {
    let waiting = state.withLock { ($0.opened.take(), $0.call.take()) }
    let error = DevToolsError(reason: "the DevTools socket closed: \(code) \(reason)")
    waiting.0?.resume(throwing: error)
    waiting.1?.resume(throwing: error)
  }
}

struct DevToolsError: Error {
  var reason: String
}
