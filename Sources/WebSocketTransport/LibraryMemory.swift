import CLibwebsockets
import Glibc

/// Serves libwebsockets' receive buffers from memory that is not there until it is touched.
///
/// Each WebSocket has such a buffer of 32 KiB, which the library uses for control frames with a payload only. From
/// malloc, the block's own header makes a page of it resident: 4 KiB of an idle connection's memory.
package enum LibraryMemory {
  /// Bytes from one buffer to the next: whole pages.
  private static let slotBytes = 36_864
  private static let slots = 1 << 17

  private struct Arena {
    var base: UInt = 0
    var free: [Int32] = []
    var next: Int32 = 0
  }

  private static let arena = Locked(Arena())
  // nonisolated(unsafe): written once, under `once`, before the allocator is installed that reads it.
  nonisolated(unsafe) private static var range: Range<UInt> = 0..<0

  /// Installs the allocator for the whole process; before the first context, further calls have no effect.
  package static func useForReceiveBuffers() { _ = once }

  private static let once: Void = {
    let count = slotBytes * slots
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    guard let base = mmap(nil, count, PROT_READ | PROT_WRITE, flags, -1, 0), base != MAP_FAILED else {
      return
    }
    let start = UInt(bitPattern: base)
    range = start..<(start + UInt(count))
    arena.withLock { $0.base = start }
    lws_set_allocator { old, size, reason in LibraryMemory.reallocate(old, size, reason) }
  }()

  /// What the library calls for all of its memory: realloc, with a name for what it is for.
  private static func reallocate(
    _ old: UnsafeMutableRawPointer?, _ size: Int, _ reason: UnsafePointer<CChar>?
  ) -> UnsafeMutableRawPointer? {
    if let old, range.contains(UInt(bitPattern: old)) {
      // Receive buffers never change their size.
      giveBack(old)
      return nil
    }
    if old == nil, size > 0, size <= slotBytes, let reason, strcmp(reason, "rx_ubuf") == 0, let slot = take()
    {
      return slot
    }
    guard size > 0 else {
      free(old)
      return nil
    }
    return realloc(old, size)
  }

  private static func take() -> UnsafeMutableRawPointer? {
    arena.withLock { arena in
      let index: Int32
      if let last = arena.free.popLast() {
        index = last
      } else {
        guard arena.next < slots else { return nil }
        index = arena.next
        arena.next += 1
      }
      return UnsafeMutableRawPointer(bitPattern: arena.base + UInt(index) * UInt(slotBytes))
    }
  }

  private static func giveBack(_ pointer: UnsafeMutableRawPointer) {
    // The close frame has touched it.
    madvise(pointer, slotBytes, MADV_DONTNEED)
    arena.withLock { arena in
      arena.free.append(Int32((UInt(bitPattern: pointer) - arena.base) / UInt(slotBytes)))
    }
  }
}
