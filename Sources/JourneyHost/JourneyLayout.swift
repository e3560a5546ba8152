import PageBridgeWebKit

/// Where the page and the app's bar of buttons are on a screen, in points.
struct JourneyLayout: Hashable, Sendable {
  private static let margin = 12.0
  private static let gap = 8.0
  private static let barHeight = 60.0

  /// Where the page is; of no size where it fills the screen by itself.
  var content: CGRect
  /// The buttons below it; nil in a plain window, where they have no place of their own.
  var bar: CGRect?

  init(size: CGSize, insets: WebEdgeInsets, isWindow: Bool, isTablet: Bool) {
    let (width, height) = (Double(size.width), Double(size.height))
    guard !isWindow, width > 0, height > 0 else {
      content = .zero
      bar = nil
      return
    }
    let isWide = width > height
    let navigationBar = isTablet ? 50.0 : isWide ? 32.0 : 44.0
    let top = (isWide && !isTablet ? 0 : insets.top) + navigationBar
    let bottom = max(insets.bottom, 8)
    let barTop = max(top, height - bottom - Self.barHeight)
    let left = isWide ? insets.left : 0
    let right = isWide ? insets.right : 0
    content = CGRect(x: left, y: top, width: max(0, width - left - right), height: barTop - top)
    bar = CGRect(
      x: left + Self.margin, y: barTop, width: max(0, width - left - right - 2 * Self.margin),
      height: Self.barHeight)
  }

  /// A place for a panel of that height above the buttons, or as much of it as there is; nil where they have none.
  func sheet(height: Double) -> CGRect? {
    guard let bar else { return nil }
    let most = max(0, Double(bar.origin.y) - Double(content.origin.y) - 2 * Self.gap)
    let fits = min(height, most)
    return CGRect(
      x: Double(bar.origin.x), y: Double(bar.origin.y) - Self.gap - fits, width: Double(bar.size.width),
      height: fits)
  }

  @MainActor init(screen: WebViewScreen) {
    self.init(
      size: screen.bounds.size, insets: screen.safeAreaInsets, isWindow: screen.isWindow,
      isTablet: screen.device == "tablet")
  }
}
