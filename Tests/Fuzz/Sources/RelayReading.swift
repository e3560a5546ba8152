import BridgeProtocol

@testable import Relay

/// What the relay reads: hellos, control values of hosts, bodies of requests.
enum RelayReading {
  static func hello(_ text: [UInt8]) {
    guard let hello = try? Hello(text, app: "fuzz", maxBytes: Limits.maxHelloBytes) else { return }
    expect(text.count <= Limits.maxHelloBytes, "a hello above its limit")
    switch hello {
    case .page(let page):
      expect(Identifiers.isDocument(page.document), "a document's name of the wrong shape")
      if let client = page.client { expect(isJSON(client.json), "what is told of a client is no JSON") }
    case .host(let host):
      expect(Identifiers.isEpoch(host.epoch), "an epoch of the wrong shape")
    }
  }

  /// The relay reads a simulated page's hello, as long as its names have their shapes.
  static func isReadable(hello text: [UInt8]) {
    do throws(Refusal) {
      _ = try Hello(text, app: "fuzz", maxBytes: .max)
    } catch {
      expect(error.code == .wrongSession, "a hello that the relay refuses with \(error.code.rawValue)")
    }
  }

  static func hostControl(_ text: [UInt8]) {
    guard let control = text.withUnsafeBytes({ try? HostControl($0) }) else { return }
    switch control {
    case .opened(let opened):
      expect(Identifiers.isSession(opened.session), "a session's name of the wrong shape")
      passedOn(opened.config)
    case .dialogAnswer(let answer): passedOn(answer.value)
    case .create(let session): expect(Identifiers.isSession(session), "a session's name of the wrong shape")
    case .contentHead(let head): expect((head.length ?? 0) >= 0, "a negative length")
    case .end, .contentPart, .contentEnd, .contentCancel: break
    }
  }

  static func attach(_ text: [UInt8]) {
    guard let body = AttachBody(text) else { return }
    if let client = body.client { expect(isJSON(client.json), "what is told of a client is no JSON") }
    let told = JSONText().adding("url", body.url).adding("ticket", body.ticket).object
    expect(isJSON(told), "what is told of an attach is no JSON")
  }

  static func dialog(_ text: [UInt8]) {
    guard let body = DialogBody(text) else { return }
    expect(body.after >= 0, "a negative number")
    expect(isJSON(body.text(id: 1, session: "session")), "what is told of a dialog is no JSON")
  }

  /// What a peer wrote goes to the other side as it is, so it must be one JSON value and no more.
  private static func passedOn(_ text: [UInt8]?) {
    guard let text else { return }
    expect(JSONReading.accepts(text), "what is passed on is no JSON")
  }

  private static func isJSON(_ text: String) -> Bool { JSONReading.accepts(text.utf8) }
}
