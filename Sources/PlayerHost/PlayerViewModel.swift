import Observation
import PageBridgeWebKit

/// What the app shows of one player, and the one place where it changes; each change is recorded.
@MainActor
@Observable
final class PlayerViewModel {
  private(set) var state = PlayerState()
  /// What the page is, or will be after its next load.
  private(set) var configuration: PlayerConfiguration
  /// Messages and fields that were not taken.
  private(set) var refusedCount = 0

  @ObservationIgnored private let record: PlayerRecorder

  init(configuration: PlayerConfiguration, record: PlayerRecorder) {
    self.configuration = configuration
    self.record = record
    record(.configuration, configuration.wireValue)
    for report in state.reports(since: nil) { record(report.key, report.value) }
  }

  /// Lets an event act on the state and gives what is to be done then.
  func change<Outcome>(_ event: (inout PlayerState) -> Outcome) -> Outcome {
    let old = state
    let outcome = event(&state)
    for report in state.reports(since: old) { record(report.key, report.value) }
    return outcome
  }

  func use(_ configuration: PlayerConfiguration) {
    self.configuration = configuration
    record(.configuration, configuration.wireValue)
  }

  func refuse(_ refusal: Refusal) {
    refusedCount += 1
    record(
      .refusedMessage,
      [
        "reason": .string(refusal.reason.rawValue), "type": refusal.type.map { .string($0) } ?? .null,
        "field": refusal.field.map { .string($0) } ?? .null,
      ])
    record(.refusedMessages, .number(Double(refusedCount)))
  }
}
