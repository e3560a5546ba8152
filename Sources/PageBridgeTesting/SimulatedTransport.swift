import PageBridgeWebKit
import Synchronization

/// A host's way to a simulated relay.
struct SimulatedTransport: HostTransport {
  let app: String
  let core: SimulatedRelayCore
  let clock: ManualClock
  let life = SimulatedLife()

  func perform(_ work: @escaping @Sendable () -> Void) {
    core.perform(work)
  }

  func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any HostTimer {
    let core = core
    return SimulatedTimer(timer: clock.schedule(after: delay) { core.perform(work) })
  }

  func connect(_ handler: any HostSocketHandler) -> any HostSocket {
    let socket = SimulatedHostSocket(app: app, core: core, life: life, handler: handler)
    core.perform { socket.open() }
    return socket
  }
}

/// Whether the process that a host stands for is alive.
final class SimulatedLife: Sendable {
  private let dead = Atomic<Bool>(false)

  var isOver: Bool { dead.load(ordering: .sequentiallyConsistent) }

  func end() {
    dead.store(true, ordering: .sequentiallyConsistent)
  }
}

private struct SimulatedTimer: HostTimer {
  let timer: ManualClock.Timer

  func cancel() {
    timer.cancel()
  }
}

/// A host's socket to a simulated relay.
///
/// Sendable unchecked: its state is used on the relay's queue only.
final class SimulatedHostSocket: HostSocket, @unchecked Sendable {
  let app: String
  let life: SimulatedLife
  private let core: SimulatedRelayCore
  private var handler: (any HostSocketHandler)?

  init(app: String, core: SimulatedRelayCore, life: SimulatedLife, handler: any HostSocketHandler) {
    self.app = app
    self.core = core
    self.life = life
    self.handler = handler
  }

  func open() {
    guard let handler, !life.isOver else { return }
    if core.isReachable {
      handler.opened(self)
      handler.turnEnded(self)
    } else {
      die(code: 1006, reason: "connection refused")
    }
  }

  func send(_ texts: [[UInt8]]) {
    core.perform { [self] in
      for text in texts where handler != nil && !life.isOver { core.receive(text, from: self) }
    }
  }

  func close(code: UInt16, reason: String) {
    core.perform { [self] in
      guard handler != nil else { return }
      core.hostClosed(self, code: code)
      die(code: code, reason: reason)
    }
  }

  // On the relay's queue.

  func deliver(_ text: [UInt8]) {
    core.perform { [self] in
      guard let handler else { return }
      text.withUnsafeBytes { handler.received(self, text: $0) }
      handler.turnEnded(self)
    }
  }

  func die(code: UInt16, reason: String) {
    guard let handler else { return }
    self.handler = nil
    handler.closed(self, code: code, reason: reason)
  }

  /// The process is gone: nobody is told.
  func vanish() {
    handler = nil
  }
}

/// A page's way to a simulated relay.
struct SimulatedPageWire: PageWire {
  let core: SimulatedRelayCore
  let clock: ManualClock

  func perform(_ work: @escaping @Sendable () -> Void) {
    core.perform(work)
  }

  func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
    let core = core
    clock.schedule(after: delay) { core.perform(work) }
  }

  func connect(app: String, _ handler: any PageSocketHandler) -> any PageSocket {
    let socket = SimulatedPageSocket(app: app, core: core, handler: handler)
    core.perform { socket.open() }
    return socket
  }
}

/// A page's socket to a simulated relay.
///
/// Sendable unchecked: its state is used on the relay's queue only.
final class SimulatedPageSocket: PageSocket, @unchecked Sendable {
  let app: String
  private let core: SimulatedRelayCore
  private var handler: (any PageSocketHandler)?
  /// What the page's hello named or was given.
  var session: String?
  var document: String?
  var isScreen = false

  init(app: String, core: SimulatedRelayCore, handler: any PageSocketHandler) {
    self.app = app
    self.core = core
    self.handler = handler
  }

  var isOpen: Bool { handler != nil }

  func open() {
    if core.isReachable {
      handler?.opened(self)
    } else {
      die(code: 1006, reason: "connection refused")
    }
  }

  func send(_ text: [UInt8]) {
    core.perform { [self] in
      if handler != nil { core.receive(text, from: self) }
    }
  }

  func close(code: UInt16, reason: String) {
    core.perform { [self] in
      guard handler != nil else { return }
      core.pageClosed(self, code: code)
      die(code: code, reason: reason)
    }
  }

  // On the relay's queue.

  func deliver(_ text: [UInt8]) {
    core.perform { [self] in handler?.received(self, text: text) }
  }

  func deliver(_ text: String) {
    deliver(Array(text.utf8))
  }

  func die(code: UInt16, reason: String) {
    guard let handler else { return }
    self.handler = nil
    handler.closed(self, code: code, reason: reason)
  }
}
