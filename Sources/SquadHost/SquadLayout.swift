import PageBridgeWebKit

/// Where the page and the app's own views are on a screen, in points.
struct SquadLayout: Hashable, Sendable {
  private static let margin = 12.0
  private static let barHeight = 60.0
  private static let panelHeight = 336.0
  private static let noticeWidth = 320.0
  private static let noticeHeight = 184.0

  /// Where the page is; of no size where it fills the screen by itself.
  var content: CGRect
  /// The buttons below the page; nil in a plain window, where they have no place of their own.
  var bar: CGRect?
  /// The log or the tools, over the page's lower part; nil in a plain window.
  var panel: CGRect?
  /// The offline and error views, in the page's middle.
  var notice: CGRect
  /// The indicator.
  var spinner: CGRect

  init(size: CGSize, insets: WebEdgeInsets, isWindow: Bool, isTablet: Bool) {
    let (width, height) = (Double(size.width), Double(size.height))
    guard !isWindow, width > 0, height > 0 else {
      content = .zero
      bar = nil
      panel = nil
      notice = Self.middle(x: 0, y: 0, width: width, height: height)
      spinner = Self.spinner(x: 0, y: 0, width: width, height: height)
      return
    }
    let isWide = width > height
    let navigationBar = isTablet ? 50.0 : isWide ? 32.0 : 44.0
    let top = (isWide && !isTablet ? 0 : insets.top) + navigationBar
    let bottom = max(insets.bottom, 8)
    let left = isWide ? insets.left : 0
    let inside = max(0, width - left - (isWide ? insets.right : 0))
    let barTop = max(top, height - bottom - Self.barHeight)
    content = CGRect(x: left, y: top, width: inside, height: barTop - top)
    let barWidth = max(0, inside - 2 * Self.margin)
    bar = CGRect(x: left + Self.margin, y: barTop, width: barWidth, height: Self.barHeight)
    let panelHeight = min(Self.panelHeight, max(0, barTop - top - Self.margin))
    panel = CGRect(
      x: left + Self.margin, y: barTop - panelHeight, width: barWidth, height: panelHeight)
    notice = Self.middle(x: left, y: top, width: inside, height: barTop - top)
    spinner = Self.spinner(x: left, y: top, width: inside, height: barTop - top)
  }

  private static func middle(x: Double, y: Double, width: Double, height: Double) -> CGRect {
    let noticeWidth = min(noticeWidth, max(0, width - 2 * margin))
    let noticeHeight = min(noticeHeight, max(0, height - 2 * margin))
    return CGRect(
      x: x + (width - noticeWidth) / 2, y: y + (height - noticeHeight) / 2, width: noticeWidth,
      height: noticeHeight)
  }

  private static func spinner(x: Double, y: Double, width: Double, height: Double) -> CGRect {
    CGRect(x: x + width / 2 - 60, y: y + height / 2 - 20, width: 120, height: 40)
  }

  @MainActor init(screen: WebViewScreen) {
    self.init(
      size: screen.bounds.size, insets: screen.safeAreaInsets, isWindow: screen.isWindow,
      isTablet: screen.device == "tablet")
  }
}
