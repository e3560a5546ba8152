import PageBridgeWebKit

/// What the app draws itself, around the page.
@MainActor
enum BrowserViews {
  static let address = "address"
  static let go = "address.go"
  static let back = "back"
  static let forward = "forward"
  static let reload = "reload"
  static let local = "website.local"
  static let `public` = "website.public"
  static let value = "value"
  static let send = "value.send"
  static let openOrClose = "openOrClose"
  static let controls = "controls"

  static func views(_ model: BrowserViewModel, _ layout: BrowserLayout) -> [NativeView] {
    let loader = NativeView.progress(
      "loader.bar", value: model.progress, frame: layout.progress, hidden: !model.isLoading)
    if layout.isWindow { return [loader, window(model)] }
    return [
      addressBar(model, frame: layout.address),
      loader,
      .panel(
        "panel", frame: layout.controls,
        children: [history(model), websites(model), valueField(model)] + received(model)),
    ]
  }

  /// The controls of a plain window lie over the page, so most of them hide.
  private static func window(_ model: BrowserViewModel) -> NativeView {
    let toggle = NativeView.button(controls, title: model.showsControls ? "Less" : "More")
    let more = [addressBar(model), websites(model), valueField(model)] + received(model)
    return .panel(
      "panel",
      children: (model.showsControls ? more : []) + [history(model, more: toggle)])
  }

  private static func addressBar(_ model: BrowserViewModel, frame: CGRect? = nil) -> NativeView {
    .row(
      "address.row", frame: frame,
      children: [
        .textField(
          address, value: model.addressText, placeholder: "Address or www/LocalWebsite.html"),
        .spinner("loader", hidden: !model.isLoading),
        .button(go, title: "Go", hidden: model.isLoading),
      ])
  }

  private static func history(_ model: BrowserViewModel, more: NativeView? = nil) -> NativeView {
    .row(
      "history",
      children: [
        .button(back, title: "Back", disabled: !model.canGoBack),
        .button(forward, title: "Forward", disabled: !model.canGoForward),
        .button(reload, title: "Reload", disabled: !model.isOpen),
      ] + (more.map { [$0] } ?? []))
  }

  private static func websites(_ model: BrowserViewModel) -> NativeView {
    .row(
      "websites",
      children: [
        .button(
          local, title: "Local", role: model.website == .local ? .primary : .normal, disabled: !model.isOpen),
        .button(
          `public`, title: "Public", role: model.website == .public ? .primary : .normal,
          disabled: !model.isOpen),
        .button(
          openOrClose, title: model.isOpen ? "Close" : "Open", role: model.isOpen ? .destructive : .primary),
      ])
  }

  private static func valueField(_ model: BrowserViewModel) -> NativeView {
    .row(
      "value.row",
      children: [
        .textField(value, value: model.valueText, placeholder: "Text for the page"),
        .button(send, title: "Send", role: .primary, disabled: !model.isOpen),
      ])
  }

  private static func received(_ model: BrowserViewModel) -> [NativeView] {
    let counts =
      (model.ignoredBodies > 0 ? ["\(model.ignoredBodies) ignored"] : [])
      + (model.waitingValues > 0 ? ["\(model.waitingValues) waiting"] : [])
      + (model.refusedValues > 0 ? ["\(model.refusedValues) refused"] : [])
    return [
      .label("error", text: model.lastError?.text ?? "", tone: .error, hidden: model.lastError == nil),
      NativeView(
        id: "lastJSON", kind: .label, title: "Last JSON value",
        text: model.lastJSON.map { JSONText($0).text } ?? "None yet"),
      NativeView(
        id: "lastString", kind: .label, title: "Last string value", text: model.lastString ?? "None yet"),
      .label("counts", text: counts.joined(separator: ", "), hidden: counts.isEmpty),
    ]
  }
}
