import PageBridgeWebKit

/// Who acts on what crosses the bridge.
@MainActor
protocol SquadBridgeDelegate: AnyObject {
  /// A message passed its checks; `value` is the whole of it.
  func squadBridge(_ bridge: SquadBridge, didReceive message: SquadMessage, value: WireValue)
  /// A message was refused.
  func squadBridge(_ bridge: SquadBridge, didRefuse value: WireValue, because refusal: SquadRefusal)
  /// A message to the page has come to its end.
  func squadBridge(_ bridge: SquadBridge, didSend value: WireValue, result: SquadBridge.Delivery)
}

/// The message bridge between app and page: one handler, one page object, messages both ways.
@MainActor
final class SquadBridge: NSObject {
  /// What became of a message to the page.
  enum Delivery: Hashable, Sendable {
    /// A listener had it.
    case delivered
    /// It waits in the page for the first listener.
    case queued
    /// The page's function threw, or the page is gone; the text says which.
    case failed(String)
    /// It is not JSON, and nothing was sent.
    case unencodable

    var name: String {
      switch self {
      case .delivered: "delivered"
      case .queued: "queued"
      case .failed: "failed"
      case .unencodable: "unencodable"
      }
    }
  }

  weak var delegate: (any SquadBridgeDelegate)?
  weak var webView: WKWebView?
  private let reader: SquadMessageReader

  init(reader: SquadMessageReader) {
    self.reader = reader
  }

  /// Gives the page an object. What JSON has no form for is an error, and the page hears nothing.
  func send(_ message: [String: Any]) {
    guard JSONSerialization.isValidJSONObject(message),
      let data = try? JSONSerialization.data(withJSONObject: message, options: [.sortedKeys]),
      let value = try? WireValue(json: data)
    else {
      delegate?.squadBridge(self, didSend: .null, result: .unencodable)
      return
    }
    guard let webView else {
      delegate?.squadBridge(self, didSend: value, result: .failed("there is no web view"))
      return
    }
    // The object travels as an argument and is never part of the script's text.
    webView.callAsyncJavaScript(
      "return window.\(SquadPageObject.name).handleNativeMessage(message)", arguments: ["message": message],
      in: nil, in: .page
    ) { [weak self] result in
      guard let self else { return }
      switch result {
      case .success(let answer):
        delegate?.squadBridge(
          self, didSend: value, result: answer as? String == "queued" ? .queued : .delivered)
      case .failure(let error):
        delegate?.squadBridge(self, didSend: value, result: .failed(Self.text(of: error)))
      }
    }
  }

  /// Gives the page the object that a text holds; a text that holds none is an error.
  func send(text: String) {
    guard let value = try? JSONSerialization.jsonObject(with: Data(text.utf8), options: [.fragmentsAllowed]),
      let message = value as? [String: Any]
    else {
      delegate?.squadBridge(self, didSend: .string(text), result: .unencodable)
      return
    }
    send(message)
  }

  /// An exception of the page says more than the error that carries it.
  private static func text(of error: any Error) -> String {
    (error as? WKError)?.errorUserInfo[WKJavaScriptExceptionMessageErrorKey] as? String
      ?? error.localizedDescription
  }
}

extension SquadBridge: WKScriptMessageHandler {
  func userContentController(
    _ userContentController: WKUserContentController, didReceive message: WKScriptMessage
  ) {
    guard message.name == SquadPageObject.name else { return }
    let value = message.wireValue
    do throws(SquadRefusal) {
      guard message.frameInfo.isMainFrame else { throw SquadRefusal(reason: .notTheMainFrame) }
      delegate?.squadBridge(self, didReceive: try reader.read(value), value: value)
    } catch {
      delegate?.squadBridge(self, didRefuse: value, because: error)
    }
  }
}
