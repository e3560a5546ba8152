import Foundation

/// Says whether code runs where the main actor's does. That is the main queue: on Linux its thread need not be the process's
/// first one, so `Thread.isMainThread` does not tell.
@MainActor
package enum MainQueue {
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether the main queue runs this.
  package static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}
