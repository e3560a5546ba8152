import PageBridgeWebKit

/// What the app draws itself, over and below the page.
@MainActor
enum SquadViews {
  static let tryAgain = "tryAgain"
  static let ring = "ring"
  static let logToggle = "log.toggle"
  static let toolsToggle = "tools.toggle"
  static let react = "call.react"
  static let hangUp = "call.end"
  static let dismiss = "productError.dismiss"
  static let message = "message"
  static let send = "message.send"
  static let broken = "message.broken"
  static let foreign = "error.foreign"
  static let readCookies = "cookies"
  static let clearData = "clearData"
  static let measure = "memory"

  /// Lines of the log that are shown.
  private static let shownLines = 40

  static func views(_ model: SquadModel, _ layout: SquadLayout) -> [NativeView] {
    var views = [
      NativeView.spinner(
        "indicator", text: "Loading", frame: layout.spinner, hidden: !model.showsIndicator),
      notice(model, layout.notice),
      productError(model),
      call(model),
    ]
    switch model.panel {
    case .log: views.append(log(model, layout.panel))
    case .tools: views.append(tools(model, layout.panel))
    case nil: break
    }
    views.append(bar(model, layout.bar))
    return views
  }

  /// The title over a route: its last part, or the product's name.
  static func title(_ route: String?) -> String {
    guard let part = route?.prefix(while: { $0 != "?" && $0 != "#" }).split(separator: "/").last,
      part != "home"
    else { return "Squad" }
    return part.prefix(1).uppercased() + part.dropFirst()
  }

  // MARK: The page's state

  /// The offline view and the error views are one panel: one of them at a time is there.
  private static func notice(_ model: SquadModel, _ frame: CGRect) -> NativeView {
    let failure = model.failure
    let isOffline = failure?.kind == .offline
    var retry = ""
    if let waiting = model.retry {
      retry = "Trying again in \(seconds(waiting.wait)) (\(waiting.attempt) of \(waiting.of))"
    }
    return .panel(
      isOffline ? "offline" : "error", frame: frame, title: failure?.title, hidden: failure == nil,
      children: [
        .label(
          "failure.text",
          text: isOffline
            ? "Squad needs the internet. Your calls go on when you are back." : failure?.text ?? ""),
        .label("failure.retry", text: retry, hidden: model.retry == nil),
        .row(
          "failure.buttons",
          children: [.button(tryAgain, title: model.retry == nil ? "Try again" : "Try now", role: .primary)]),
      ])
  }

  private static func seconds(_ wait: Duration) -> String {
    let seconds = wait / .seconds(1)
    return seconds == seconds.rounded() ? "\(Int(seconds)) s" : "\((seconds * 10).rounded() / 10) s"
  }

  private static func productError(_ model: SquadModel) -> NativeView {
    var banner = NativeView.banner(
      "productError", text: model.productError?.text ?? "", title: model.productError?.code, tone: .warning,
      hidden: model.productError == nil)
    banner.children = [.button(dismiss, title: "OK")]
    return banner
  }

  // MARK: Calls

  private static func call(_ model: SquadModel) -> NativeView {
    let isActive = model.call?.phase == .active
    let emoji = model.call?.emoji.joined(separator: " ") ?? ""
    return .banner(
      "call", text: !isActive ? "Ringing in the page" : emoji.isEmpty ? "In the call" : emoji,
      title: model.call?.title, tone: isActive ? .success : .info, hidden: model.call == nil)
  }

  /// During a call its buttons take the place of the one that begins one.
  private static func bar(_ model: SquadModel, _ frame: CGRect?) -> NativeView {
    let isActive = model.call?.phase == .active
    return .row(
      "bar", frame: frame,
      children: [
        .button(
          ring, title: "Ring", role: .primary, hidden: model.call != nil, disabled: model.state != .ready),
        .button(react, title: "React", hidden: !isActive),
        .button(hangUp, title: isActive ? "End" : "Cancel", role: .destructive, hidden: model.call == nil),
        .button(logToggle, title: model.panel == .log ? "Close" : "Log"),
        .button(toolsToggle, title: model.panel == .tools ? "Close" : "Tools"),
      ])
  }

  // MARK: Panels

  private static func log(_ model: SquadModel, _ frame: CGRect?) -> NativeView {
    let entries = model.log.entries.suffix(shownLines).reversed()
    return .panel(
      "log", frame: frame, title: "Communication",
      children: entries.isEmpty
        ? [.label("log.empty", text: "Nothing yet")]
        : entries.map { entry in
          .label(
            "log.\(entry.number)", text: entry.line,
            tone: entry.text.hasPrefix("refused") || entry.text.hasPrefix("bridge error") ? .warning : nil)
        })
  }

  private static func tools(_ model: SquadModel, _ frame: CGRect?) -> NativeView {
    let time = model.loadTime.map { "\((($0 / .seconds(1)) * 1_000).rounded() / 1_000) s" } ?? "not yet"
    return .panel(
      "tools", frame: frame, title: "Tools",
      children: [
        .row(
          "message.row",
          children: [
            .textField(message, value: model.messageText, placeholder: "An object for the page, as JSON"),
            .button(send, title: "Send", role: .primary),
          ]),
        .row(
          "tools.data",
          children: [
            .button(readCookies, title: "Cookies"), .button(clearData, title: "Clear", role: .destructive),
            .button(measure, title: "Memory"),
          ]),
        .row(
          "tools.faults",
          children: [
            .button(broken, title: "Bad message"), .button(foreign, title: "Odd error"),
          ]),
        NativeView(
          id: "figures", kind: .label, title: "Load time, memory, kept pages",
          text: "\(time), \(model.memory.map(SquadMemory.text) ?? "not asked"), \(model.cachedPages)"),
        NativeView(
          id: "cookies.names", kind: .label, title: "Cookies",
          text: model.cookies.map { $0.isEmpty ? "None" : $0.joined(separator: ", ") } ?? "Not read"),
        NativeView(
          id: "refused", kind: .label, title: "Refused messages",
          text: "\(model.refused), \(model.ignored) of them without a type"),
      ])
  }
}
