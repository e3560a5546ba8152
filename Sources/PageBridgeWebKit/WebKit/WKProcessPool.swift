/// Names the web content process that web views share. See Apple's page "WKProcessPool".
///
/// A page's process is the browser's own affair, so a pool separates nothing here; apps that keep one for each web view
/// compile and read it back.
@MainActor
public final class WKProcessPool: NSObject {
  /// Makes a pool of its own.
  public override init() {}
}
