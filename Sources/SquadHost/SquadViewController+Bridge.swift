import PageBridgeWebKit

extension SquadViewController: SquadBridgeDelegate {
  func squadBridge(_ bridge: SquadBridge, didReceive message: SquadMessage, value: WireValue) {
    model.received(message, value: value)
    switch message {
    case .call(let call): handle(call)
    case .navigation(.path(let path)): model.set(route: path)
    case .navigation(.address(let url)):
      // The product's other pages belong into a browser of their own; the app's page stays.
      record(.opened, ["url": .string(url.absoluteString)])
      model.note(.app, "opened \(url.absoluteString)")
    case .error(let error): model.set(productError: error)
    }
  }

  func squadBridge(_ bridge: SquadBridge, didRefuse value: WireValue, because refusal: SquadRefusal) {
    model.refused(value, refusal)
  }

  func squadBridge(_ bridge: SquadBridge, didSend value: WireValue, result: SquadBridge.Delivery) {
    model.sent(value, result)
  }

  private func handle(_ message: SquadCallMessage) {
    var call = model.call
    switch SquadCall.take(message, &call) {
    case .changed, .reacted: model.set(call: call)
    case .noSuchCall: model.note(.app, "there is no call \(message.callId)")
    }
    // The other side of a call that the page starts or joins is this app, which answers.
    switch message.action {
    case .start: answer("accept", message.callId)
    case .accept, .decline, .end, .emoji: break
    }
  }

  private func answer(_ action: String, _ callId: String) {
    bridge.send(["type": "call", "data": ["action": action, "callId": callId]])
  }
}
