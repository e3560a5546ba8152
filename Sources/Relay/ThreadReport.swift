import WebSocketTransport

/// What one service thread has at a moment.
struct ThreadReport: Sendable {
  struct AppReport: Sendable {
    var name: String
    var hosts: Int
    var pages: Int
    var names: [String]
  }

  var apps: [AppReport] = []
  var hosts = 0
  var pages = 0
  var sessions = 0
  var sockets = 0
  /// Pages that are not read because too much of theirs waits for their host.
  var pausedSockets = 0
  /// Pages and hosts that do not take what is sent to them, and the bytes that wait for such.
  var blockedSockets = 0
  var waitingBytes = 0
  var blocksInUse = 0
  /// Dialogs that wait for a host's answer.
  var heldDialogs = 0
  var counters = Counters()
}

extension RelayThread {
  func report() -> ThreadReport {
    var report = ThreadReport()
    for app in apps.values {
      report.hosts += app.hosts.count
      report.pages += app.pageCount
      guard !app.hosts.isEmpty || app.pageCount > 0 else { continue }
      report.apps.append(
        ThreadReport.AppReport(
          name: app.name, hosts: app.hosts.count, pages: app.pageCount, names: app.hosts.compactMap(\.name)))
    }
    report.sessions = instances.values.reduce(0) { $0 + $1.sessions.count }
    report.heldDialogs = instances.values.reduce(0) { sum, instance in
      instance.sessions.values.reduce(sum) { $0 + $1.dialogs.count }
    }
    report.sockets = core.socketCount
    report.pausedSockets = core.pausedCount
    for socket in pages.compactMap(\.socket) + instances.values.compactMap({ $0.host?.socket }) {
      report.blockedSockets += socket.pointee.isBlocked ? 1 : 0
      report.waitingBytes += socket.pointee.queuedBytes
    }
    report.blocksInUse = core.lentBlocks
    report.counters = path.pointee.counters
    return report
  }

  /// Asks all threads and calls back on this one.
  func gather(_ done: @escaping ([ThreadReport]) -> Void) {
    let threads = shared.threads
    guard threads.count > 1 else {
      done([report()])
      return
    }
    let gathering = Gathering(missing: threads.count, done)
    for thread in threads {
      thread.core.perform { [core] in
        let report = thread.report()
        core.perform { gathering.add(report) }
      }
    }
  }
}

/// Reports that come in one by one.
private final class Gathering: @unchecked Sendable {
  // Sendable because it is used on the asking thread only, and merely carried by the others.
  private var reports: [ThreadReport] = []
  private var missing: Int
  private let done: ([ThreadReport]) -> Void

  init(missing: Int, _ done: @escaping ([ThreadReport]) -> Void) {
    self.missing = missing
    self.done = done
  }

  func add(_ report: ThreadReport) {
    reports.append(report)
    missing -= 1
    if missing == 0 { done(reports) }
  }
}
