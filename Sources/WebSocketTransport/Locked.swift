import Glibc

/// A value that threads share, guarded by a lock of the C library.
///
/// The pthread mutex is one that the thread sanitizer understands.
package final class Locked<Value>: @unchecked Sendable {
  // Sendable because `value` is touched only between lock and unlock of `mutex`.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  /// Apart from this object: the sanitizer takes an access to a value without a size for one to the stored property beside it.
  private let value: UnsafeMutablePointer<Value>

  package init(_ value: sending Value) {
    mutex = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    self.value = .allocate(capacity: 1)
    self.value.initialize(to: value)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
    value.deinitialize(count: 1)
    value.deallocate()
  }

  /// Runs the work with the value, alone.
  package func withLock<Result, Failure: Error>(
    _ work: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try work(&value.pointee)
  }
}
