import CUV

/// One timer of libuv; made, fired and cancelled on the loop's thread.
package final class LoopTimer: Hashable {
  /// Freed in the close callback of libuv, not before.
  private let handle: UnsafeMutablePointer<uv_timer_t>
  private unowned let core: LoopCore
  private var work: (() -> Void)?

  /// Starts a timer that fires once, or again and again if an interval is given.
  package init(
    core: LoopCore, after delay: Duration, repeating interval: Duration? = nil, _ work: @escaping () -> Void
  ) {
    self.core = core
    self.work = work
    handle = .allocate(capacity: 1)
    uv_timer_init(core.loopPointer, handle)
    // Retained by the handle until `cancel` takes it back.
    handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
    core.timers.insert(self)
    uv_update_time(core.loopPointer)
    uv_timer_start(
      handle,
      { handle in
        let timer = Unmanaged<LoopTimer>.fromOpaque(handle.unsafelyUnwrapped.pointee.data)
        timer.takeUnretainedValue().fire()
      },
      delay.milliseconds, interval?.milliseconds ?? 0)
  }

  private func fire() {
    guard let work else { return }
    if uv_timer_get_repeat(handle) == 0 { cancel() }
    work()
  }

  /// Stops the timer; without effect once it has fired or is cancelled.
  package func cancel() {
    guard work != nil else { return }
    work = nil
    core.timers.remove(self)
    let retained = Unmanaged<LoopTimer>.fromOpaque(handle.pointee.data)
    UnsafeMutableRawPointer(handle).withMemoryRebound(to: uv_handle_t.self, capacity: 1) {
      uv_close($0) {
        UnsafeMutableRawPointer($0.unsafelyUnwrapped).assumingMemoryBound(to: uv_timer_t.self).deallocate()
      }
    }
    retained.release()
  }

  package static func == (left: LoopTimer, right: LoopTimer) -> Bool { left === right }

  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Duration {
  /// Whole milliseconds, rounded up.
  package var milliseconds: UInt64 {
    let (seconds, attoseconds) = components
    return UInt64(max(0, seconds)) * 1_000
      + UInt64(max(0, (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
  }
}
