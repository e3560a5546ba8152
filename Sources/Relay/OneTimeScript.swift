import BridgeProtocol

/// A script that can be fetched once: what the host has to say to a document before the document's own scripts run.
final class OneTimeScript {
  let session: Session
  let document: String
  let end: ContinuousClock.Instant

  init(session: Session, document: String, end: ContinuousClock.Instant) {
    self.session = session
    self.document = document
    self.end = end
  }
}

extension RelayThread {
  /// Makes a one-time script for the document.
  ///
  /// - Returns: Its path.
  func mintScript(session: Session, document: String) -> String {
    let name = shared.choice.mintScript(thread: index)
    scripts[name] = OneTimeScript(session: session, document: document, end: .now + limits.scriptLifetime)
    oldScripts.append(name)
    return "/b/\(name).js"
  }

  /// Takes a one-time script out, so that nobody gets it again.
  func takeScript(_ name: String) -> OneTimeScript? {
    guard let script = scripts.removeValue(forKey: name), script.end > .now else { return nil }
    return script
  }

  /// Forgets scripts that nobody has fetched in time. All live as long, so that the first one made is the first to go.
  func dropOldScripts() {
    let now = ContinuousClock.now
    let count = oldScripts.prefix { name in scripts[name].map { $0.end <= now } ?? true }.count
    guard count > 0 else { return }
    for name in oldScripts.prefix(count) { scripts[name] = nil }
    oldScripts.removeFirst(count)
    if scripts.isEmpty { scripts = [:] }
  }
}
