/// When a user script runs.
public enum WKUserScriptInjectionTime: Int, Sendable {
  /// Before anything of the page but its root element.
  case atDocumentStart = 0
  /// Once the page is parsed, before its pictures and frames are there.
  case atDocumentEnd = 1
}

/// A script that runs in each new document of a web view. See Apple's page "WKUserScript".
@MainActor
public final class WKUserScript: NSObject {
  /// The script's text.
  public let source: String
  /// When it runs.
  public let injectionTime: WKUserScriptInjectionTime
  /// Whether frames inside the page are left out.
  public let isForMainFrameOnly: Bool
  /// Where it runs.
  let world: WKContentWorld

  /// Makes a script that runs in the page's world.
  public convenience init(
    source: String, injectionTime: WKUserScriptInjectionTime, forMainFrameOnly: Bool
  ) {
    self.init(
      source: source, injectionTime: injectionTime, forMainFrameOnly: forMainFrameOnly, in: .page)
  }

  /// Makes a script that runs in a world.
  public init(
    source: String, injectionTime: WKUserScriptInjectionTime, forMainFrameOnly: Bool,
    in contentWorld: WKContentWorld
  ) {
    self.source = source
    self.injectionTime = injectionTime
    isForMainFrameOnly = forMainFrameOnly
    world = contentWorld
  }
}
