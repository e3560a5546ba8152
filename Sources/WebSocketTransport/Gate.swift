import Glibc

/// Something that one thread waits at until another opens it, once.
final class Gate: @unchecked Sendable {
  // Sendable because a semaphore of the C library may be used by any thread.
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() { sem_init(semaphore, 0, 0) }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func open() { sem_post(semaphore) }

  func wait() { while sem_wait(semaphore) != 0 {} }
}
