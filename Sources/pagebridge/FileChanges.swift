// A dispatch source may be used from any thread, which its protocol does not say.
@preconcurrency import Dispatch
import Foundation
// inotify's names are plain C constants.
@preconcurrency import Glibc

/// Tells when a file has been written or replaced, by watching its folder with inotify.
enum FileChanges {
  /// One element a change; what is written in several steps may come as several. Ends at once if the folder cannot be
  /// watched.
  static func stream(of file: URL) -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let folder = file.deletingLastPathComponent().path(percentEncoded: false)
    let name = file.lastPathComponent
    let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard descriptor >= 0,
      inotify_add_watch(
        descriptor, folder.isEmpty ? "." : folder, UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_TO)) >= 0
    else {
      if descriptor >= 0 { close(descriptor) }
      continuation.finish()
      return stream
    }
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
    source.setEventHandler {
      if changedNames(descriptor).contains(name) { continuation.yield() }
    }
    source.setCancelHandler { close(descriptor) }
    continuation.onTermination = { _ in source.cancel() }
    source.resume()
    return stream
  }

  /// Reads the waiting events and gives the names in them.
  private static func changedNames(_ descriptor: Int32) -> Set<String> {
    var names: Set<String> = []
    withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: MemoryLayout<inotify_event>.alignment) {
      buffer in
      guard let base = buffer.baseAddress else { return }
      var count = read(descriptor, base, buffer.count)
      while count > 0 {
        var offset = 0
        while offset < count {
          let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
          offset += MemoryLayout<inotify_event>.size
          if event.len > 0 {
            // The kernel pads the name with zeros, so there is always one at its end.
            names.insert(String(cString: (base + offset).assumingMemoryBound(to: CChar.self)))
          }
          offset += Int(event.len)
        }
        count = read(descriptor, base, buffer.count)
      }
    }
    return names
  }
}
