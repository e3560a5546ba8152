import BridgeProtocol

/// Why a socket is closed: its code and one readable sentence.
struct Refusal: Error, Equatable {
  var code: CloseCode
  var message: String

  init(_ code: CloseCode, _ message: String) {
    self.code = code
    self.message = message
  }
}
