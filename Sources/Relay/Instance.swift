import BridgeProtocol
import WebSocketTransport

/// The identity of a host, kept over its reconnects.
final class Instance {
  let id: String
  let app: App
  /// What the data path looks sessions up in.
  let slots: UnsafeMutablePointer<SessionTable>
  private(set) var sessions: [String: Session] = [:]
  /// The socket of its host, while it is connected.
  var host: HostSocket?
  /// The life of the host's process; nil until it was seen.
  var epoch: String?
  /// What the host calls itself.
  var name: String?
  /// Ends the instance unless its host comes back before.
  var grace: LoopTimer?
  /// Who waits for the host to come back, or for the end of the instance.
  var arrivals: [Arrival] = []

  init(id: String, app: App) {
    self.id = id
    self.app = app
    slots = .allocate(capacity: 1)
    slots.initialize(to: SessionTable())
    app.instanceCount += 1
  }

  deinit {
    slots.deinitialize(count: 1)
    slots.deallocate()
  }

  /// The session of that id, made known if it is not.
  func session(_ id: String) -> Session {
    if let session = sessions[id] { return session }
    let session = Session(id: id, instance: self, slot: slots.pointee.insert(SessionKey(id)))
    sessions[id] = session
    return session
  }

  func forget(_ session: Session) {
    guard sessions.removeValue(forKey: session.id) != nil else { return }
    session.isForgotten = true
    slots.pointee.remove(SessionKey(session.id))
  }

  /// Forgets a session that only a visitor has spoken of, once nothing waits for it.
  func forgetUnlessVouchedFor(_ session: Session) {
    guard !session.isVouchedFor, session.page == nil, session.opens.isEmpty else { return }
    forget(session)
  }

  func mintSession() -> String { id + Keys.random(bytes: 16) }
}

/// Somebody who waits for an instance's host.
final class Arrival {
  private var timer: LoopTimer?
  private var resolve: ((Bool) -> Void)?

  /// Calls back once: true when the host came, false after the time or when the instance ended.
  init(core: LoopCore, timeout: Duration, _ resolve: @escaping (Bool) -> Void) {
    self.resolve = resolve
    timer = LoopTimer(core: core, after: timeout) { [weak self] in self?.finish(false) }
  }

  func finish(_ isThere: Bool) {
    timer?.cancel()
    timer = nil
    guard let resolve else { return }
    self.resolve = nil
    resolve(isThere)
  }
}
