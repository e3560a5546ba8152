import CLibraryLog
import CLibwebsockets
import Glibc

/// The diagnostics of libwebsockets: errors and warnings, one line each.
package enum LibraryLog {
  /// Who gets the lines; without a receiver they are dropped.
  private static let receiver = Locked<(@Sendable (String) -> Void)?>(nil)

  /// Sends the library's lines to the receiver from now on, for the whole process.
  package static func receive(_ receive: (@Sendable (String) -> Void)?) {
    receiver.withLock { $0 = receive }
  }

  static func start() { _ = once }

  private static let once: Void = lws_set_log_level(pagebridge_log_levels) { _, line in
    guard let line else { return }
    let receive = LibraryLog.receiver.withLock { $0 }
    receive?(String(cString: line).trimmingNewline)
  }
}

extension String {
  fileprivate var trimmingNewline: String {
    hasSuffix("\n") ? String(dropLast()) : self
  }
}
