import CUV
import Glibc

/// Looks at the first line of an accepted connection without taking it, for a choice of thread.
package final class RequestPeek {
  /// How far a first line is looked at.
  private static let maxBytes = 2_048
  /// How often an unfinished first line is looked at again.
  private static let pause = Duration.milliseconds(5)

  private let descriptor: CInt
  private unowned let core: LoopCore
  private let done: (CInt, String?) -> Void
  private var deadline: LoopTimer?
  /// Freed in the close callback of libuv, not before.
  private let poll: UnsafeMutablePointer<uv_poll_t>

  /// Waits for the first line and calls back once, with the descriptor and the line.
  ///
  /// Without a line in time the connection is closed. On the loop's thread.
  package static func look(
    _ descriptor: CInt, core: LoopCore, timeout: Duration, _ done: @escaping (CInt, String?) -> Void
  ) {
    let peek = RequestPeek(descriptor, core, done)
    peek.deadline = LoopTimer(core: core, after: timeout) { [unowned peek] in
      peek.finish(line: nil, isLate: true)
    }
    peek.watch()
  }

  private init(_ descriptor: CInt, _ core: LoopCore, _ done: @escaping (CInt, String?) -> Void) {
    self.descriptor = descriptor
    self.core = core
    self.done = done
    poll = .allocate(capacity: 1)
    uv_poll_init(core.loopPointer, poll, descriptor)
    // Retained by the handle until `finish` takes it back.
    poll.pointee.data = Unmanaged.passRetained(self).toOpaque()
  }

  private func watch() {
    uv_poll_start(poll, CInt(UV_READABLE.rawValue)) { handle, _, _ in
      Unmanaged<RequestPeek>.fromOpaque(handle.unsafelyUnwrapped.pointee.data).takeUnretainedValue().read()
    }
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: Self.maxBytes)
    let count = recv(descriptor, &buffer, buffer.count, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT))
    guard count > 0 else {
      if count == 0 || errno != EAGAIN { finish(line: nil, isLate: true) }
      return
    }
    let line = buffer.prefix(count).prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
    guard line.count < count || count == Self.maxBytes else {
      // What was seen stays readable, so watching on would keep the loop busy.
      uv_poll_stop(poll)
      _ = LoopTimer(core: core, after: Self.pause) { [self] in if deadline != nil { read() } }
      return
    }
    finish(line: String(decoding: line, as: UTF8.self), isLate: false)
  }

  private func finish(line: String?, isLate: Bool) {
    guard deadline != nil else { return }
    deadline?.cancel()
    deadline = nil
    let retained = Unmanaged<RequestPeek>.fromOpaque(poll.pointee.data)
    uv_poll_stop(poll)
    UnsafeMutableRawPointer(poll).withMemoryRebound(to: uv_handle_t.self, capacity: 1) {
      uv_close($0) {
        UnsafeMutableRawPointer($0.unsafelyUnwrapped).assumingMemoryBound(to: uv_poll_t.self).deallocate()
      }
    }
    if isLate {
      close(descriptor)
    } else {
      done(descriptor, line)
    }
    retained.release()
  }
}
