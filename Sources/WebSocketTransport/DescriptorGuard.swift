import CUV
import Glibc

/// Keeps the library's second close of one descriptor away from other threads.
///
/// When a context on libuv is destroyed, libwebsockets 4.1 closes the descriptor that wakes its loop twice: at once in
/// `lws_plat_pipe_close`, and again when libuv has let go of the handle. Were the number another thread's by then, that thread
/// would lose a socket of its own. The system always gives out the lowest free number; so, for the time of the first close,
/// a reserve of lower numbers is set free for whoever opens something, and the number itself is taken before it is over.
enum DescriptorGuard {
  /// How many descriptors other threads may open during the first close, which takes far less than a millisecond.
  private static let reserveCount = 64
  /// Placeholders, opened before the first loop was.
  private static let reserve = Locked<[CInt]>([])

  /// Opens the placeholders that are missing; before a loop's context is made.
  static func prepare() {
    reserve.withLock { fill(&$0) }
  }

  /// Destroys a context; on its loop's thread.
  static func destroy(loop: UnsafeMutablePointer<uv_loop_t>, _ destroy: () -> Void) {
    reserve.withLock { reserve in
      let descriptors = wakingDescriptors(of: loop)
      for placeholder in reserve { close(placeholder) }
      reserve = []
      destroy()
      // The library's second close is that of what is taken here.
      for descriptor in descriptors where fcntl(descriptor, F_GETFD) < 0 {
        let taken = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard taken >= 0 else { continue }
        guard taken != descriptor else { continue }
        let moved = fcntl(taken, F_DUPFD_CLOEXEC, descriptor)
        close(taken)
        if moved >= 0, moved != descriptor { close(moved) }
      }
      fill(&reserve)
    }
  }

  private static func fill(_ reserve: inout [CInt]) {
    while reserve.count < reserveCount {
      let placeholder = open("/dev/null", O_RDONLY | O_CLOEXEC)
      guard placeholder >= 0 else { return }
      reserve.append(placeholder)
    }
  }

  /// The event descriptors among those that the loop polls.
  private static func wakingDescriptors(of loop: UnsafeMutablePointer<uv_loop_t>) -> [CInt] {
    var descriptors: [CInt] = []
    withUnsafeMutablePointer(to: &descriptors) { found in
      uv_walk(
        loop,
        { handle, found in
          guard let handle, handle.pointee.type == UV_POLL else { return }
          var descriptor: CInt = -1
          guard uv_fileno(handle, &descriptor) == 0, DescriptorGuard.isEvent(descriptor) else { return }
          found?.assumingMemoryBound(to: [CInt].self).pointee.append(descriptor)
        }, found)
    }
    return descriptors
  }

  private static func isEvent(_ descriptor: CInt) -> Bool {
    var target = [CChar](repeating: 0, count: 64)
    let length = readlink("/proc/self/fd/\(descriptor)", &target, target.count)
    return target.prefix(max(0, length)).elementsEqual("anon_inode:[eventfd]".utf8.map { CChar($0) })
  }
}
