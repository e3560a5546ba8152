/// The markup that makes a document of this host a page of the bridge.
struct BridgeMarkup: Sendable {
  let app: String

  /// bridge.js first, then the base of relative addresses, if the document has one of its own.
  func head(base: String?) -> [UInt8] {
    var text = "<script src=\"/bridge.js\" data-app=\"\(app)\"></script>"
    if let base { text += "<base href=\"\(Self.escaped(base))\">" }
    return Array(text.utf8)
  }

  /// The document of a web view that has loaded nothing.
  var blank: [UInt8] {
    Array("<!DOCTYPE html><html><head>".utf8) + head(base: nil) + Array("</head><body></body></html>\n".utf8)
  }

  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "&": result += "&amp;"
      case "\"": result += "&quot;"
      case "<": result += "&lt;"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }
}
