import PageBridgeWebKit

/// What the app draws itself, over and under the video.
enum PlayerViews {
  static let placeBet = "betslip.place"
  static let cancel = "betslip.cancel"
  static let nextMatch = "match.next"

  /// Describes the views for a state.
  /// - Parameters:
  ///   - offersNextMatch: whether there is another match to go to.
  ///   - isWindow: whether the video fills a plain window, so that nothing has room below it.
  static func views(
    _ state: PlayerState, _ configuration: PlayerConfiguration, offersNextMatch: Bool, isWindow: Bool
  ) -> [NativeView] {
    [
      unavailable(state.availability),
      match(
        state, configuration, offersNextMatch: offersNextMatch, isHidden: state.isFullscreen || isWindow),
      betslip(state),
    ]
  }

  private static func betslip(_ state: PlayerState) -> NativeView {
    let rectangle = state.betslipRectangle ?? .standard
    let lines = (state.betslip?.lines ?? []).map { line in
      NativeView.label("betslip.\(line.field)", text: line.text)
    }
    let buttons = NativeView.row(
      "betslip.buttons",
      children: [
        .button(cancel, title: "Cancel", role: .cancel),
        .button(placeBet, title: "Place bet", role: .primary),
      ])
    return .panel(
      "betslip",
      frame: rectangle.frame,
      anchor: .content, title: "Betslip", hidden: state.isBetslipHidden, children: lines + [buttons])
  }

  private static func match(
    _ state: PlayerState, _ configuration: PlayerConfiguration, offersNextMatch: Bool, isHidden: Bool
  ) -> NativeView {
    let fixture = configuration.fixtureId
    return .panel(
      "match", title: fixture.isEmpty ? "No match" : "Match \(fixture)", hidden: isHidden,
      children: [
        .label("match.status", text: status(state)),
        .row(
          "match.buttons", hidden: !offersNextMatch, children: [.button(nextMatch, title: "Next match")]),
      ])
  }

  private static func status(_ state: PlayerState) -> String {
    switch state.availability {
    case .waiting: "Loading the player"
    case .available: "Live. Press the player's fullscreen button, or turn the device."
    case .refused, .silent: "Not available"
    }
  }

  private static func unavailable(_ availability: PlayerState.Availability) -> NativeView {
    let text =
      switch availability {
      case .waiting, .available: ""
      case .refused([]): "The player gave no reason."
      case .refused(let errors): errors.map { "\($0.message) (\($0.code))" }.joined(separator: "; ")
      case .silent: "The player did not answer in time."
      }
    return .banner(
      "unavailable", text: text, title: "The video is not available", tone: .error, hidden: text.isEmpty)
  }
}
