import WebSocketTransport

/// Tells a test what a client meets, as a stream.
final class ClientRecorder: WebSocketClientHandler {
  enum Event: Equatable, Sendable {
    case opened
    case received([UInt8])
    case turnEnded
    case closed(UInt16, String)
  }

  private let continuation: AsyncStream<Event>.Continuation
  private let stream: AsyncStream<Event>

  init() {
    (stream, continuation) = AsyncStream.makeStream()
  }

  var events: Events { Events(iterator: stream.makeAsyncIterator()) }

  struct Events {
    fileprivate var iterator: AsyncStream<Event>.Iterator

    /// The next event that is not the end of a turn.
    mutating func next() async -> Event? {
      while let event = await iterator.next(isolation: #isolation) {
        if event != .turnEnded { return event }
      }
      return nil
    }

    /// The next event, whatever it is.
    mutating func nextOfAll() async -> Event? { await iterator.next(isolation: #isolation) }
  }

  func opened(_ client: WebSocketClient) { continuation.yield(.opened) }
  func received(_ client: WebSocketClient, text: UnsafeRawBufferPointer) {
    continuation.yield(.received(Array(text)))
  }
  func turnEnded(_ client: WebSocketClient) { continuation.yield(.turnEnded) }
  func closed(_ client: WebSocketClient, code: UInt16, reason: String) {
    continuation.yield(.closed(code, reason))
    continuation.finish()
  }
}
