import BridgeProtocol
import BridgeSession

/// The messages of a page that are not answers, read by method.
enum PageReport: Sendable {
  case message(ScriptMessage)
  case navigation(PageNavigation)
  case state(PageState)
  /// Cookies of the page have changed.
  case websiteData
  case dialog(DialogReport)
  case windowRequest(WindowRequest)
  case windowWish(WindowWish)
  /// A method of a newer page.
  case unknown(method: String, id: String?)

  /// Reads a delivered message.
  ///
  /// - Throws: ``WireError`` when the page's values have the wrong shape: that session is to be ended.
  init(_ envelope: Envelope, receipt: Receipt) throws(WireError) {
    guard let method = envelope.method else {
      throw WireError(.wrongShape, "a message with neither method nor id")
    }
    switch method {
    case "message":
      self = .message(try Self.message(Self.params(envelope), envelope, receipt))
    case "navigation":
      self = .navigation(try Self.navigation(Self.params(envelope), envelope, receipt))
    case "state":
      self = .state(try Self.state(Self.params(envelope), receipt))
    case "websiteData": self = .websiteData
    case "dialog":
      self = .dialog(try Self.dialog(Self.params(envelope), receipt))
    case "open":
      let params = try Self.params(envelope)
      self = .windowRequest(
        WindowRequest(
          receipt: receipt, url: try Self.text("url", params, method),
          frame: FrameDescription(wire: params["frame"]), id: envelope.id))
    case "windowClose", "windowLoad":
      let params = try Self.params(envelope)
      let url = method == "windowLoad" ? try Self.text("url", params, method) : nil
      self = .windowWish(WindowWish(receipt: receipt, window: params["window"]?.string, url: url))
    default: self = .unknown(method: method, id: envelope.id)
    }
  }

  private static func params(_ envelope: Envelope) throws(WireError) -> WireValue {
    guard let params = envelope.params else { throw WireError(.wrongShape, "a message without params") }
    let value = try WireValue(json: params, enclosing: 1)
    guard value.object != nil else { throw WireError(.wrongShape, "params are no object") }
    return value
  }

  private static func text(
    _ member: String, _ params: WireValue, _ method: String
  ) throws(WireError) -> String {
    guard let text = params[member]?.string else {
      throw WireError(.wrongShape, "\(method): '\(member)' is no string")
    }
    return text
  }

  private static func message(
    _ params: WireValue, _ envelope: Envelope, _ receipt: Receipt
  ) throws(WireError) -> ScriptMessage {
    guard let handler = params["handler"]?.string else {
      throw WireError(.wrongShape, "message: 'handler' is no string")
    }
    let body = params["body"] ?? .undefined
    return ScriptMessage(
      receipt: receipt, handler: handler, body: ForeignValue(body),
      frame: FrameDescription(wire: params["frame"]),
      world: params["world"]?.string, id: envelope.id, isRedelivered: envelope.isAgain)
  }

  private static func navigation(
    _ params: WireValue, _ envelope: Envelope, _ receipt: Receipt
  ) throws(WireError) -> PageNavigation {
    guard let phase = params["phase"]?.string.flatMap(PageNavigation.Phase.init),
      let url = params["url"]?.string
    else { throw WireError(.wrongShape, "navigation: 'phase' or 'url' is wrong") }
    return PageNavigation(
      receipt: receipt, phase: phase, url: url, type: params["type"]?.string,
      errorCode: params["error"]?["code"]?.number.flatMap { Int(whole: $0) },
      errorMessage: params["error"]?["message"]?.string,
      wish: params["navigation"]?.number.flatMap { Int(whole: $0) },
      isPost: params["method"]?.string == "POST",
      redirects: params["redirects"]?.number.flatMap { Int(whole: $0) } ?? 0,
      status: params["status"]?.number.flatMap { Int(whole: $0) }, mimeType: params["mimeType"]?.string,
      history: params["history"].map(Self.history),
      frame: params["frame"].map { FrameDescription(wire: $0) }, id: envelope.id)
  }

  private static func history(_ value: WireValue) -> PageHistory {
    PageHistory(
      canGoBack: value["back"]?.bool, canGoForward: value["forward"]?.bool, entry: value["key"]?.string,
      replaces: value["replace"]?.bool ?? false)
  }

  private static func dialog(_ params: WireValue, _ receipt: Receipt) throws(WireError) -> DialogReport {
    guard let id = params["id"]?.number.flatMap({ Int(whole: $0) }) else {
      throw WireError(.wrongShape, "dialog: 'id' is no count")
    }
    return DialogReport(receipt: receipt, id: id, value: params["value"] ?? .null)
  }

  private static func state(_ params: WireValue, _ receipt: Receipt) throws(WireError) -> PageState {
    let size = params["size"]
    return PageState(
      receipt: receipt, title: params["title"]?.string, url: params["url"]?.string,
      progress: params["progress"]?.number, history: params["history"].map(Self.history),
      isVisible: params["visibility"]?.string.map { $0 == "visible" },
      width: size?["width"]?.number, height: size?["height"]?.number, policy: params["policy"]?.string,
      lost: params["lost"]?.number.flatMap { Int(whole: $0) })
  }
}

extension FrameDescription {
  /// Reads what the wire says of a frame; nothing stands for the main frame.
  init(wire: WireValue?) {
    self.init(
      isMain: wire?["main"]?.bool ?? true, url: wire?["url"]?.string, origin: wire?["origin"]?.string,
      id: wire?["id"]?.string)
  }
}
