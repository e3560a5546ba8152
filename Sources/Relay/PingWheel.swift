import BridgeProtocol
import WebSocketTransport

/// Pings pages and hosts, an eighth of them at each tick, so that no tick is a storm; and ends those that are silent.
///
/// Pings have no payload, since libwebsockets then never touches the memory of its control frames; the pongs are seen
/// as bytes that the kernel received.
final class PingWheel {
  private static let slotCount = 8
  private var slots: [Slot] = Array(repeating: Slot(), count: PingWheel.slotCount)
  private var nextSlot = 0
  private var present = 0
  private var timer: LoopTimer?
  private var interval = Duration.zero
  private var silentIntervals = 0

  private struct Slot {
    var pages: [ObjectIdentifier: PageSocket] = [:]
    var hosts: [ObjectIdentifier: HostSocket] = [:]
  }

  /// Begins to turn; `tick` is called each time.
  func start(core: LoopCore, limits: RelayLimits, tick work: @escaping () -> Void) {
    interval = limits.aliveInterval
    silentIntervals = limits.silentIntervals
    let tick = interval / Self.slotCount
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
  }

  func remove(_ host: HostSocket) {
    slots[host.wheelSlot].hosts[ObjectIdentifier(host)] = nil
  }

  private func takeSlot() -> Int {
    nextSlot = (nextSlot + 1) % Self.slotCount
    return nextSlot
  }

  private func turn() {
    present = (present + 1) % Self.slotCount
    for page in slots[present].pages.values {
      guard let socket = page.socket else { continue }
      let isAlive = isAlive(socket, wasHeard: page.wasHeard(), silence: &page.silence)
      guard isAlive else {
        page.close(.pingTimeout, "The page did not answer pings.")
        continue
      }
      page.send(BridgeWire.alive)
      socket.sendPing()
    }
    for host in slots[present].hosts.values {
      guard let socket = host.socket else { continue }
      let isAlive = isAlive(socket, wasHeard: host.wasHeard(), silence: &host.silence)
      guard isAlive else {
        host.close(.pingTimeout, "The host did not answer pings.")
        continue
      }
      socket.sendPing()
    }
  }

  /// Whether the socket may stay: something came of it since the last ping, or not too many pings ago.
  private func isAlive(_ socket: Socket, wasHeard: Bool, silence: inout Int) -> Bool {
    // The pong came nearly an interval ago. A socket that is not read shows none; its queue has a limit of its own.
    if wasHeard || socket.pointee.isPausedReading || socket.hasReceived(within: interval * 3 / 2) {
      silence = 0
      return true
    }
    silence += 1
    return silence < silentIntervals
  }
}
