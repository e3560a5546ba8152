import BridgeProtocol
import WebSocketTransport

/// Pings pages and hosts, a few of them at each tick, so that no tick is a storm; and ends those that are silent.
///
/// A socket of which nothing came since the ping before is suspect: it gets one more ping and a short grace. So a peer that
/// is gone is noticed within two intervals and that grace, and one that a stopped relay did not ping gets its chance.
///
/// Pings have no payload, since libwebsockets then never touches the memory of its control frames; the pongs are seen
/// as bytes that the kernel received.
final class PingWheel {
  /// A ping costs some 10 us: with 20,000 pages a tick of so many slots is over in 2 ms.
  private static let mostSlots = 128
  private static let leastSlots = 8
  /// Timers count whole milliseconds, which short ticks would feel.
  private static let shortestTick = Duration.milliseconds(25)
  private var slots = [Slot()]
  private var nextSlot = 0
  private var present = 0
  private var timer: LoopTimer?
  private var interval = Duration.zero
  private var grace = Duration.zero
  private var suspectPages: [ObjectIdentifier: (page: PageSocket, since: ContinuousClock.Instant)] = [:]
  private var suspectHosts: [ObjectIdentifier: (host: HostSocket, since: ContinuousClock.Instant)] = [:]

  private struct Slot {
    var pages: [ObjectIdentifier: PageSocket] = [:]
    var hosts: [ObjectIdentifier: HostSocket] = [:]
    /// When they were last pinged: ticks come late in a busy loop, and lateness adds up.
    var pinged: ContinuousClock.Instant?
  }

  /// The kernel tells ages by its own clock, some milliseconds apart.
  private static let slack = Duration.milliseconds(20)

  /// Begins to turn, before there is anybody; `tick` is called each time.
  func start(core: LoopCore, limits: RelayLimits, tick work: @escaping () -> Void) {
    interval = limits.aliveInterval
    let count = min(Self.mostSlots, max(Self.leastSlots, Int(interval / Self.shortestTick)))
    slots = Array(repeating: Slot(), count: count)
    let tick = interval / count
    grace = limits.silenceGrace
    timer = LoopTimer(core: core, after: tick, repeating: tick) { [unowned self] in
      turn()
      work()
    }
  }

  func stop() {
    timer?.cancel()
    timer = nil
  }

  var pages: [PageSocket] { slots.flatMap { $0.pages.values } }

  func add(_ page: PageSocket) {
    page.wheelSlot = takeSlot()
    slots[page.wheelSlot].pages[ObjectIdentifier(page)] = page
  }

  func add(_ host: HostSocket) {
    host.wheelSlot = takeSlot()
    slots[host.wheelSlot].hosts[ObjectIdentifier(host)] = host
  }

  func remove(_ page: PageSocket) {
    slots[page.wheelSlot].pages[ObjectIdentifier(page)] = nil
    suspectPages[ObjectIdentifier(page)] = nil
  }

  func remove(_ host: HostSocket) {
    slots[host.wheelSlot].hosts[ObjectIdentifier(host)] = nil
    suspectHosts[ObjectIdentifier(host)] = nil
  }

  private func takeSlot() -> Int {
    nextSlot = (nextSlot + 1) % slots.count
    return nextSlot
  }

  private func turn() {
    let now = ContinuousClock.now
    judge(now)
    present = (present + 1) % slots.count
    // The answer to the last ping came nearly an interval ago.
    let recently = slots[present].pinged.map { now - $0 } ?? interval * 2
    slots[present].pinged = now
    for page in slots[present].pages.values {
      guard let socket = page.socket else { continue }
      if !isAlive(socket, wasHeard: page.wasHeard(), within: recently) {
        suspectPages[ObjectIdentifier(page)] = (page, now)
      }
      page.send(BridgeWire.alive)
      socket.sendPing()
    }
    for host in slots[present].hosts.values {
      guard let socket = host.socket else { continue }
      if !isAlive(socket, wasHeard: host.wasHeard(), within: recently) {
        suspectHosts[ObjectIdentifier(host)] = (host, now)
      }
      socket.sendPing()
    }
  }

  /// Ends the suspects whose grace is over.
  private func judge(_ now: ContinuousClock.Instant) {
    for (id, (page, since)) in suspectPages {
      if let socket = page.socket, !isAlive(socket, wasHeard: page.wasHeard(), within: now - since) {
        guard now - since >= grace else { continue }
        page.close(.pingTimeout, "The page did not answer pings.")
      }
      suspectPages[id] = nil
    }
    for (id, (host, since)) in suspectHosts {
      if let socket = host.socket, !isAlive(socket, wasHeard: host.wasHeard(), within: now - since) {
        guard now - since >= grace else { continue }
        host.close(.pingTimeout, "The host did not answer pings.")
      }
      suspectHosts[id] = nil
    }
  }

  /// Whether something came of the socket. One that is not read shows nothing; its queue has a limit of its own.
  private func isAlive(_ socket: Socket, wasHeard: Bool, within time: Duration) -> Bool {
    wasHeard || socket.pointee.isPausedReading || socket.hasReceived(within: time + Self.slack)
  }
}
