import CUV
import Glibc

/// Keeps the library's second close of one descriptor away from other threads.
///
/// libwebsockets 4.1 on libuv closes the descriptor by which a loop is woken twice when its context is destroyed: at once, and
/// again when libuv's handle is gone. In between another thread may have been given the number, and would lose a socket of
/// its own. So the number is taken at once by a descriptor that nobody needs.
struct DescriptorGuard {
  private var descriptors: [CInt] = []

  /// Notes the descriptors that wake the loop; before its context is destroyed, on its thread.
  init(loop: UnsafeMutablePointer<uv_loop_t>) {
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
  }

  /// Takes the numbers that have been closed once, if they are still free.
  func occupy() {
    for descriptor in descriptors where fcntl(descriptor, F_GETFD) < 0 {
      let taken = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, descriptor)
      if taken >= 0, taken != descriptor { close(taken) }
    }
  }

  private static func isEvent(_ descriptor: CInt) -> Bool {
    var target = [CChar](repeating: 0, count: 64)
    let length = readlink("/proc/self/fd/\(descriptor)", &target, target.count)
    return target.prefix(max(0, length)).elementsEqual("anon_inode:[eventfd]".utf8.map { CChar($0) })
  }
}
