import PageBridgeWebKit
import Testing

@testable import PlayerHost

struct PlayerLayoutTests {
  private let upright = CGSize(width: 393, height: 852)
  private let onItsSide = CGSize(width: 852, height: 393)

  private func frame(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> CGRect {
    CGRect(x: x, y: y, width: width, height: height)
  }

  private func layout(
    _ size: CGSize, left: Double = 0, right: Double = 0, _ orientation: WebInterfaceOrientation,
    fullscreen: Bool = true, source: OrientationSource = .none
  ) -> PlayerLayout {
    PlayerLayout(
      screen: ScreenMetrics(size: size, leftInset: left, rightInset: right, orientation: orientation),
      isFullscreen: fullscreen, orientationSource: source)
  }

  @Test func embeddedViewIsAStripBelowTheBars() {
    let layout = layout(upright, .portrait, fullscreen: false)
    #expect(layout.frame == frame(0, 100, 393, 300))
    #expect(!layout.isNavigationBarHidden)
    #expect(layout.notch == .none)
  }

  @Test func fullscreenFillsAScreenWithoutNotch() {
    let layout = layout(onItsSide, .landscapeLeft)
    #expect(layout.frame == frame(0, 0, 852, 393))
    #expect(layout.isNavigationBarHidden)
  }

  @Test func notchAtTheLeftMovesTheView() {
    let layout = layout(onItsSide, left: 44, right: 44, .landscapeLeft)
    #expect(layout.frame == frame(44, 0, 808, 393))
    #expect(layout.notch == .left)
  }

  @Test func notchAtTheRightNarrowsTheView() {
    let layout = layout(onItsSide, left: 44, right: 44, .landscapeRight)
    #expect(layout.frame == frame(0, 0, 808, 393))
    #expect(layout.notch == .right)
  }

  @Test func uprightDeviceAskedToTurnHasItsNotchAtTheLeft() {
    #expect(layout(upright, .portrait, source: .programatically).notch == .left)
    #expect(layout(upright, .portrait, source: .programatically).frame == frame(0, 0, 393, 852))
    #expect(layout(upright, left: 10, .portrait, source: .programatically).frame == frame(10, 0, 383, 852))
    #expect(layout(upright, .portrait, source: .none).notch == .none)
  }

  @Test func insetsWiderThanTheScreenLeaveNothing() {
    #expect(layout(CGSize(width: 30, height: 20), left: 44, .landscapeLeft).frame.width == 0)
  }

  @Test func equalSidesAreUpright() {
    #expect(!ScreenMetrics(size: CGSize(width: 500, height: 500)).isWide)
    #expect(ScreenMetrics(size: CGSize(width: 501, height: 500)).isWide)
    #expect(!ScreenMetrics(size: CGSize(width: 500, height: 501)).isWide)
  }
}
