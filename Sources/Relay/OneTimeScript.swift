import BridgeProtocol
import WebSocketTransport

/// A script that can be fetched once: what the host has to say to a document before the document's own scripts run.
final class OneTimeScript {
  let session: Session
  let document: String
  var timer: LoopTimer?

  init(session: Session, document: String) {
    self.session = session
    self.document = document
  }
}

extension RelayThread {
  /// Makes a one-time script for the document.
  ///
  /// - Returns: Its path.
  func mintScript(session: Session, document: String) -> String {
    let name = shared.choice.mintScript(thread: index)
    let script = OneTimeScript(session: session, document: document)
    script.timer = LoopTimer(core: core, after: limits.scriptLifetime) { [unowned self] in
      scripts[name] = nil
    }
    scripts[name] = script
    return "/b/\(name).js"
  }

  /// Takes a one-time script out, so that nobody gets it again.
  func takeScript(_ name: String) -> OneTimeScript? {
    guard let script = scripts.removeValue(forKey: name) else { return nil }
    script.timer?.cancel()
    return script
  }
}
