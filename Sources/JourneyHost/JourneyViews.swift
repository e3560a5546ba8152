import PageBridgeWebKit

/// What the app draws itself: its buttons, its cameras, and what it has to tell.
@MainActor
enum JourneyViews {
  static let cancel = "journey.cancel"
  static let help = "journey.help"
  static let controls = "controls"
  static let document = "offer.document"
  static let selfie = "offer.selfie"
  static let chip = "offer.chip"
  static let answerPending = "pending.answer"
  static let finish = "journey.finish"
  static let openOrClose = "openOrClose"
  static let tellPage = "tellPage"
  static let dismissError = "error.dismiss"
  static let dismissOutside = "outside.dismiss"
  static let captureDocument = "capture.document"
  static let captureSelfie = "capture.selfie"
  static let readChip = "chip.read"
  static let cancelChip = "chip.cancel"

  private static let panelHeight = 244.0
  private static let chipHeight = 152.0

  static func views(_ model: JourneyModel, _ layout: JourneyLayout) -> [NativeView] {
    let bridge = model.bridge
    return [
      error(bridge.lastError),
      outside(model.openedOutside),
      panel(model, layout.sheet(height: panelHeight)),
      chipPanel(model.chip.active != nil, layout.sheet(height: chipHeight)),
      bar(model, layout.bar),
      .capture(
        captureDocument, of: .document, title: "Photo of the document",
        text: documentText(bridge.documentCapture.activeRequest),
        hidden: bridge.documentCapture.activeRequest == nil),
      .capture(
        captureSelfie, of: .selfie, title: "Photo of your face", text: "Look into the camera.",
        hidden: bridge.selfieCapture.activeRequest == nil),
    ]
  }

  private static func documentText(_ request: BridgeMessage?) -> String {
    let side = request?.payload.data?["side"]?.string == "back" ? "back" : "front"
    return "Put the \(side) of the document into the frame."
  }

  private static func error(_ text: String?) -> NativeView {
    NativeView(
      id: "error", kind: .banner, hidden: text == nil, title: "Bridge error", text: text ?? "", tone: .error,
      children: [.button(dismissError, title: "Dismiss")])
  }

  private static func outside(_ url: URL?) -> NativeView {
    NativeView(
      id: "outside", kind: .banner, hidden: url == nil, title: "Opened outside the app",
      text: url?.absoluteString ?? "", tone: .info, children: [.button(dismissOutside, title: "OK")])
  }

  private static func bar(_ model: JourneyModel, _ frame: CGRect?) -> NativeView {
    let count = model.bridge.receivedCount
    return .row(
      "bar", frame: frame,
      children: [
        .button(cancel, title: "Cancel", role: .cancel, disabled: !model.isOpen),
        .button(help, title: "Help", disabled: !model.isOpen),
        .badge("received", text: "\(count) received"),
        .button(controls, title: model.showsControls ? "Less" : "More"),
      ])
  }

  private static func panel(_ model: JourneyModel, _ frame: CGRect?) -> NativeView {
    let bridge = model.bridge
    let pending = bridge.pendingRequests.count
    return .panel(
      "panel", frame: frame, title: "The app's side", hidden: !model.showsControls,
      children: [
        .label(
          "counts",
          text:
            "\(bridge.receivedCount) received, \(bridge.receivedMessages.count) kept, \(pending) waiting"),
        .row(
          "offers",
          children: [
            toggle(document, "ID", bridge.documentCapture.isEnabled),
            toggle(selfie, "Selfie", bridge.selfieCapture.isEnabled),
            toggle(chip, "Chip", model.offersChip),
          ]),
        .row(
          "answers",
          children: [
            .button(answerPending, title: "Answer waiting", disabled: pending == 0),
            .button(tellPage, title: "Tell page"),
          ]),
        .row(
          "page",
          children: [
            .button(finish, title: "Last step", disabled: !model.isOpen),
            .button(
              openOrClose, title: model.isOpen ? "Close" : "Open",
              role: model.isOpen ? .destructive : .primary),
          ]),
      ])
  }

  private static func toggle(_ id: String, _ title: String, _ isOn: Bool) -> NativeView {
    .button(id, title: title, role: isOn ? .primary : .normal)
  }

  private static func chipPanel(_ isShown: Bool, _ frame: CGRect?) -> NativeView {
    NativeView(
      id: "chip", kind: .panel, hidden: !isShown, frame: frame.map(NativeView.Frame.init),
      title: "Hold the document to the device",
      text: "A browser has no reader for chips. Say what the reader would.",
      children: [
        .row(
          "chip.buttons",
          children: [
            .button(cancelChip, title: "Cancel", role: .cancel),
            .button(readChip, title: "Chip was read", role: .primary),
          ])
      ])
  }
}
