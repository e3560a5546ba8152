import BridgeProtocol
import BridgeSession

@testable import PageBridgeWebKit

/// Hellos and control values of every direction: the first byte says which.
enum ControlFuzz {
  static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
    var input = FuzzInput(bytes)
    let kind = input.number(below: 4)
    let text = input.rest()
    switch kind {
    case 0: RelayReading.hello(text)
    case 1: RelayReading.hostControl(text)
    case 2: _ = text.withUnsafeBufferPointer { try? RelayControl.read($0) }
    default: page(text)
    }
  }

  /// What a relay tells a page, value after value.
  private static func page(_ text: [UInt8]) {
    var session = PageSession(PageSession.Hello(app: "fuzz", document: "document"))
    _ = session.opened()
    for line in text.split(separator: UInt8(ascii: "\n")) {
      guard let actions = try? session.receive(Array(line)) else { return }
      for action in actions {
        if case .deliver(_, let number) = action { _ = session.done(number) }
      }
    }
    // What it says next must be a hello that the relay can read, whatever it was told.
    RelayReading.isReadable(hello: session.hello.bytes)
  }
}
