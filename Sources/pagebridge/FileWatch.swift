// A dispatch source may be used from any thread, which its protocol does not say; inotify's names are plain C constants.
@preconcurrency import Dispatch
import Foundation
@preconcurrency import Glibc

/// Watches one file for as long as it lives, through its folder and inotify: editors write a new file in place of the old
/// one, and the file may not be there yet.
final class FileWatch: Sendable {
  private let source: any DispatchSourceRead

  /// Calls the closure on some thread each time the file has been written or replaced; what is written in several steps
  /// may be told several times. Throws ``CommandError`` if the folder cannot be watched.
  init(_ file: URL, changed: @escaping @Sendable () -> Void) throws(CommandError) {
    let folder = file.deletingLastPathComponent().path(percentEncoded: false)
    let name = file.lastPathComponent
    let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard descriptor >= 0 else { throw CommandError("files cannot be watched: \(Self.lastError)") }
    guard inotify_add_watch(descriptor, folder, UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_TO)) >= 0 else {
      let reason = Self.lastError
      close(descriptor)
      throw CommandError("the folder '\(folder)' cannot be watched: \(reason)")
    }
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
    source.setEventHandler {
      if Self.changedNames(descriptor).contains(name) { changed() }
    }
    source.setCancelHandler { close(descriptor) }
    source.resume()
  }

  deinit {
    source.cancel()
  }

  private static var lastError: String { String(cString: strerror(errno)) }

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
