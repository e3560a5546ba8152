import PageBridgeWebKit

/// Where the web view and the app's controls are on a screen, in points.
struct BrowserLayout: Hashable, Sendable {
  static let margin = 12.0
  private static let addressHeight = 44.0
  private static let gap = 8.0
  /// Below the page of an upright device.
  private static let controlsHeight = 268.0
  /// Beside the page of a device on its side.
  private static let controlsWidth = 320.0

  /// Where the page is; of no size where it fills the screen by itself.
  var content: CGRect
  var address: CGRect
  var progress: CGRect
  var controls: CGRect
  /// Whether the screen is a plain window, which the page fills whatever the app says.
  var isWindow: Bool

  init(size: CGSize, insets: WebEdgeInsets, isWindow: Bool, isTablet: Bool) {
    self.isWindow = isWindow
    let (width, height) = (Double(size.width), Double(size.height))
    let isWide = width > height
    guard !isWindow, width > 0, height > 0 else {
      content = .zero
      progress = CGRect(x: 0, y: 0, width: width, height: 3)
      address = .zero
      controls = .zero
      return
    }
    let bar = isTablet ? 50.0 : isWide ? 32.0 : 44.0
    let top = (isWide && !isTablet ? 0 : insets.top) + bar
    let left = isWide ? insets.left : 0
    let right = isWide ? insets.right : 0
    let inside = width - left - right
    let pageTop: Double
    if isWide {
      let column = Self.controlsWidth
      pageTop = top
      content = Self.rectangle(x: left, y: pageTop, width: inside - column, height: height - pageTop)
      let x = width - right - column + Self.margin
      address = Self.rectangle(
        x: x, y: top + Self.gap, width: column - Self.margin - Self.gap, height: Self.addressHeight)
      let controlsTop = top + 2 * Self.gap + Self.addressHeight
      controls = Self.rectangle(
        x: x, y: controlsTop, width: column - Self.margin - Self.gap,
        height: height - controlsTop - max(insets.bottom, Self.gap))
    } else {
      address = Self.rectangle(
        x: Self.margin, y: top + Self.gap, width: width - 2 * Self.margin, height: Self.addressHeight)
      pageTop = top + Self.addressHeight + 2 * Self.gap
      let controlsTop = height - max(insets.bottom, Self.margin) - Self.controlsHeight
      content = Self.rectangle(x: 0, y: pageTop, width: width, height: controlsTop - Self.gap - pageTop)
      controls = Self.rectangle(
        x: Self.margin, y: controlsTop, width: width - 2 * Self.margin, height: Self.controlsHeight)
    }
    progress = CGRect(x: content.origin.x, y: pageTop, width: content.size.width, height: 3)
  }

  /// Screens may be smaller than what is to be on them.
  private static func rectangle(x: Double, y: Double, width: Double, height: Double) -> CGRect {
    CGRect(x: x, y: y, width: max(0, width), height: max(0, height))
  }

  @MainActor init(screen: WebViewScreen) {
    self.init(
      size: screen.bounds.size, insets: screen.safeAreaInsets, isWindow: screen.isWindow,
      isTablet: screen.device == "tablet")
  }
}
