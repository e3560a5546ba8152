import PageBridgeWebKit

extension PlayerState {
  /// One thing to tell: a name and what it is now.
  struct Report: Hashable, Sendable {
    var key: PlayerRecord.StateKey
    var value: WireValue
  }

  /// Tells what differs from an older state; everything if there is none.
  func reports(since old: PlayerState?) -> [Report] {
    let known = old?.told ?? []
    return zip(told.indices, told).compactMap { index, report in
      known.indices.contains(index) && known[index] == report ? nil : report
    }
  }

  /// Everything that is told, always in the same order.
  private var told: [Report] {
    let rectangle = betslipRectangle ?? .standard
    return [
      Report(key: .isVideoPlayerReady, value: .bool(isVideoPlayerReady)),
      Report(key: .isFullscreen, value: .bool(isFullscreen)),
      Report(key: .orientationSource, value: .string(orientationSource.rawValue)),
      Report(key: .frame, value: layout?.frame.wireValue ?? .null),
      Report(key: .notchPosition, value: .string((layout?.notch ?? .none).rawValue)),
      Report(key: .isNavigationBarHidden, value: .bool(isFullscreen)),
      Report(key: .isStatusBarHidden, value: true),
      Report(key: .isIdleTimerDisabled, value: .bool(isIdleTimerDisabled)),
      Report(key: .isBetslipHidden, value: .bool(isBetslipHidden)),
      Report(key: .betslipText, value: .array((betslip?.lines ?? []).map { .string($0.text) })),
      Report(
        key: .betslipFrame, value: rectangle.frame.wireValue),
      Report(key: .availability, value: .string(availability.name)),
    ]
  }
}

extension PlayerState.Availability {
  fileprivate var name: String {
    switch self {
    case .waiting: "waiting"
    case .available: "available"
    case .refused: "refused"
    case .silent: "silent"
    }
  }
}

extension CGRect {
  fileprivate var wireValue: WireValue {
    ["x": .number(origin.x), "y": .number(origin.y), "width": .number(width), "height": .number(height)]
  }
}

extension PlayerError {
  var wireValue: WireValue {
    ["code": .number(Double(code)), "message": .string(message), "details": .string(details)]
  }
}

extension PlayerConfiguration {
  var wireValue: WireValue {
    [
      "customerId": .string(customerId), "fixtureId": .string(fixtureId), "playerWidth": .string(playerWidth),
      "playerHeight": .string(playerHeight), "controlsEnabled": .bool(controlsEnabled),
      "audioEnabled": .bool(audioEnabled), "allowFullScreen": .bool(allowFullScreen),
      "bufferLength": .number(Double(bufferLength)), "autoplayEnabled": .bool(autoplayEnabled),
      "baseURL": .string(baseURL.absoluteString),
    ]
  }
}
