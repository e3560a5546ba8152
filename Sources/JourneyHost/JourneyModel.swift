import Observation
import PageBridgeWebKit

/// What the app shows beside the bridge, and the one place that tells of changes of both.
@MainActor
@Observable
final class JourneyModel {
  let bridge: BridgeHost
  let chip = ChipReader()
  /// Whether the app's own controls are shown.
  var showsControls = false
  /// An address that was opened outside the app, until the user has seen it.
  var openedOutside: URL?
  /// Whether the chip reader is offered.
  private(set) var offersChip = false
  /// Whether there is a web view.
  private(set) var isOpen = false
  /// What the web view was told to show.
  private(set) var url: URL?

  @ObservationIgnored private(set) var record: JourneyRecorder
  @ObservationIgnored private var told: [JourneyRecord.StateKey: WireValue] = [:]

  init(bridge: BridgeHost, record: JourneyRecorder) {
    self.bridge = bridge
    self.record = record
  }

  /// There is a new web view: everything is told under its session.
  func opened(record: JourneyRecorder, url: URL) {
    self.record = record
    told = [:]
    isOpen = true
    self.url = url
  }

  func closed() {
    isOpen = false
  }

  func shows(_ url: URL) {
    self.url = url
  }

  /// Offers the chip reader, or takes it back.
  func offerChip(_ offers: Bool) {
    offersChip = offers
    if offers {
      bridge.registerCustomCapability(ChipReader.capability, version: ChipReader.version) { [chip] in
        chip.take($0, $1)
      }
    } else {
      bridge.unregisterCustomCapability(ChipReader.capability)
      chip.cancel(reason: "The chip reader was switched off")
    }
  }

  /// Tells what has changed since it was told last.
  func tell() {
    tell(.receivedCount, .number(Double(bridge.receivedCount)))
    tell(.keptCount, .number(Double(bridge.receivedMessages.count)))
    tell(.pendingCount, .number(Double(bridge.pendingRequests.count)))
    tell(.lastError, bridge.lastError.map { .string($0) } ?? .null)
    tell(.activeDocument, id(bridge.documentCapture.activeRequest))
    tell(.activeSelfie, id(bridge.selfieCapture.activeRequest))
    tell(.activeChip, id(chip.active?.request))
    tell(.offersDocument, .bool(bridge.documentCapture.isSupported))
    tell(.offersSelfie, .bool(bridge.selfieCapture.isSupported))
    tell(.offersChip, .bool(offersChip))
    tell(.cameraPermission, .string(bridge.documentCapture.permissionState.rawValue))
    tell(.openedOutside, openedOutside.map { .string($0.absoluteString) } ?? .null)
    tell(.isOpen, .bool(isOpen))
    tell(.url, url.map { .string($0.absoluteString) } ?? .null)
  }

  private func id(_ request: BridgeMessage?) -> WireValue {
    request.map { .string($0.correlationId) } ?? .null
  }

  private func tell(_ key: JourneyRecord.StateKey, _ value: WireValue) {
    guard told[key] != value else { return }
    told[key] = value
    record(key, value)
  }
}
