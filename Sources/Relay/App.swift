import BridgeProtocol
import WebSocketTransport

/// A name under which hosts and pages meet. It exists as long as somebody of it is connected or expected.
final class App {
  let name: String
  /// Instances whose host is connected.
  private(set) var hosts: [Instance] = []
  /// Pages that have no session and wait for a host.
  private(set) var waiting: [ObjectIdentifier: PageSocket] = [:]
  /// Pages connected, waiting ones included.
  var pageCount = 0
  /// Instances known, connected or expected back.
  var instanceCount = 0

  init(name: String) {
    self.name = name
  }

  var isUnused: Bool { hosts.isEmpty && pageCount == 0 && instanceCount == 0 }

  /// The host for a new session: the one with the fewest.
  var leastLoaded: Instance? { hosts.min { $0.sessions.count < $1.sessions.count } }

  func hostCame(_ instance: Instance) {
    hosts.removeAll { $0 === instance }
    hosts.append(instance)
  }

  func hostWent(_ instance: Instance) {
    hosts.removeAll { $0 === instance }
  }

  func wait(_ page: PageSocket) {
    waiting[ObjectIdentifier(page)] = page
  }

  func stopWaiting(_ page: PageSocket) {
    waiting[ObjectIdentifier(page)] = nil
  }

  /// Tells all hosts of the app.
  func tellHosts(_ text: String) {
    for instance in hosts { instance.host?.send(text) }
  }
}
