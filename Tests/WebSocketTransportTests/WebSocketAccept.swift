import COpenSSL
import Foundation

/// The server's proof that it understood the upgrade (RFC 6455, section 4.2.2).
enum WebSocketAccept {
  static func answer(to key: String) -> String {
    let text = Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
    var digest = [UInt8](repeating: 0, count: 20)
    SHA1(text, text.count, &digest)
    return Data(digest).base64EncodedString()
  }
}
