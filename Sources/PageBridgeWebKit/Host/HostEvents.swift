import BridgeProtocol
import Foundation
import WebSocketTransport

/// What a host writes down for those who watch it: one JSON object a line (NDJSON), each flushed at once.
///
/// Any thread may record; lines keep the order of the calls and are written off the caller's thread. Without a file
/// nothing is kept.
public final class HostEvents: Sendable {
  private struct State {
    var lines: [[UInt8]] = []
    var isWriting = false
  }

  private let descriptor: Int32?
  private let state = Locked(State())
  private let queue = DispatchQueue(label: "pagebridge.events")

  /// Appends to a file, which is made when it is not there; a file that cannot be opened is reported on standard error.
  init(file: URL?) {
    guard let file else {
      descriptor = nil
      return
    }
    let opened = open(file.path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    descriptor = opened >= 0 ? opened : nil
    if opened < 0 { StandardError.write("cannot write events to \(file.path)") }
  }

  deinit {
    if let descriptor { close(descriptor) }
  }

  /// Whether anybody reads what is recorded.
  public var isRecording: Bool { descriptor != nil }

  /// Records one event.
  ///
  /// - Parameters:
  ///   - event: its name, such as `state`.
  ///   - values: its further members, in the order given.
  ///   - session: the session that it belongs to.
  public func record(
    _ event: String, _ values: KeyValuePairs<String, WireValue> = [:], session: String? = nil
  ) {
    guard descriptor != nil else { return }
    var members: [WireValue.Member] = [.init("event", .string(event))]
    if let session { members.append(.init("session", .string(session))) }
    members += values.map { .init($0.key, $0.value) }
    let isFirst = state.withLock { state in
      // The time is read under the lock: from line to line it never goes back.
      let time = (Date().timeIntervalSince1970 * 1_000).rounded() / 1_000
      members.insert(.init("time", .number(time)), at: 0)
      var writer = JSONWriter(capacity: 128)
      do throws(WireError) {
        try writer.value(.object(members))
      } catch {
        return false
      }
      writer.raw("\n")
      state.lines.append(writer.bytes)
      defer { state.isWriting = true }
      return !state.isWriting
    }
    if isFirst { queue.async { [self] in writeWaitingLines() } }
  }

  /// Returns once everything that was recorded before is in the file.
  public func flush() async {
    guard descriptor != nil else { return }
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume() }
    }
  }

  private func writeWaitingLines() {
    while true {
      let lines = state.withLock { state in
        let lines = state.lines
        state.lines = []
        if lines.isEmpty { state.isWriting = false }
        return lines
      }
      if lines.isEmpty { return }
      for line in lines { write(line) }
    }
  }

  private func write(_ line: [UInt8]) {
    guard let descriptor else { return }
    line.withUnsafeBytes { bytes in
      var offset = 0
      while offset < bytes.count {
        let written = Foundation.write(descriptor, bytes.baseAddress! + offset, bytes.count - offset)
        if written < 0, errno == EINTR { continue }
        guard written > 0 else { return }
        offset += written
      }
    }
  }
}

/// Lines for whoever runs the host.
enum StandardError {
  static func write(_ text: String) {
    FileHandle.standardError.write(Data("pagebridge: \(text)\n".utf8))
  }
}
