import Foundation
import PageBridgeWebKit

/// What the player's view has around it: the screen it may fill.
struct ScreenMetrics: Hashable, Sendable {
  var size: CGSize
  var leftInset: Double
  var rightInset: Double
  var orientation: WebInterfaceOrientation

  init(
    size: CGSize, leftInset: Double = 0, rightInset: Double = 0,
    orientation: WebInterfaceOrientation = .portrait
  ) {
    self.size = size
    self.leftInset = leftInset
    self.rightInset = rightInset
    self.orientation = orientation
  }

  /// The rule of rotation: equal sides count as upright.
  var isWide: Bool { size.width > size.height }
}

/// On which side the device's notch takes room from the video.
enum NotchPosition: String, Hashable, Sendable {
  case left
  case right
  case none
}

/// Where the web view goes and which bars stay.
struct PlayerLayout: Hashable, Sendable {
  var frame: CGRect
  var isNavigationBarHidden: Bool
  var notch: NotchPosition

  /// Where the view is while it does not fill the screen.
  private static let embeddedTop = 100.0
  private static let embeddedHeight = 300.0

  init(screen: ScreenMetrics, isFullscreen: Bool, orientationSource: OrientationSource) {
    isNavigationBarHidden = isFullscreen
    guard isFullscreen else {
      notch = .none
      frame = CGRect(x: 0, y: Self.embeddedTop, width: screen.size.width, height: Self.embeddedHeight)
      return
    }
    notch = Self.notch(of: screen, orientationSource: orientationSource)
    let left = notch == .left ? screen.leftInset : 0
    let right = notch == .right ? screen.rightInset : 0
    frame = CGRect(x: left, y: 0, width: max(0, screen.size.width - left - right), height: screen.size.height)
  }

  /// An upright device whose app has just asked to be turned will have its notch at the left.
  private static func notch(of screen: ScreenMetrics, orientationSource: OrientationSource) -> NotchPosition {
    switch screen.orientation {
    case .landscapeLeft: .left
    case .landscapeRight: .right
    case .portrait: orientationSource == .programatically ? .left : .none
    }
  }
}
