import PageBridgeWebKit
import Testing

@testable import BrowserHost

struct BrowserLayoutTests {
  private let upright = WebEdgeInsets(top: 47, left: 0, bottom: 34, right: 0)
  private let onSide = WebEdgeInsets(top: 0, left: 47, bottom: 21, right: 47)

  @Test func pageIsBetweenAddressAndControlsOfAnUprightPhone() {
    let layout = BrowserLayout(
      size: CGSize(width: 390, height: 844), insets: upright, isWindow: false, isTablet: false)
    #expect(layout.address == CGRect(x: 12, y: 99, width: 366, height: 44))
    #expect(layout.content.minY == 151)
    #expect(layout.content.width == 390)
    #expect(layout.controls.maxY == 810.0)
    #expect(layout.content.maxY < layout.controls.minY)
    #expect(layout.content.height > 300)
    #expect(layout.progress == CGRect(x: 0, y: 151, width: 390, height: 3))
  }

  @Test func pageIsBesideTheControlsOfAPhoneOnItsSide() {
    let layout = BrowserLayout(
      size: CGSize(width: 844, height: 390), insets: onSide, isWindow: false, isTablet: false)
    #expect(layout.content == CGRect(x: 47, y: 32, width: 430, height: 358))
    #expect(layout.address.minX >= layout.content.maxX)
    #expect(layout.controls.minX >= layout.content.maxX)
    #expect(layout.controls.maxX <= 844 - 47)
    #expect(layout.controls.minY >= layout.address.maxY)
    #expect(layout.controls.maxY == 369.0)
  }

  @Test func smallPhoneKeepsRoomForThePage() {
    let layout = BrowserLayout(
      size: CGSize(width: 375, height: 667), insets: WebEdgeInsets(top: 20), isWindow: false, isTablet: false)
    #expect(layout.content.height > 240)
  }

  @Test(arguments: [
    CGSize(width: 0, height: 0), CGSize(width: 1, height: 1), CGSize(width: 300, height: 100),
  ])
  func noSizeIsNegative(size: CGSize) {
    let layout = BrowserLayout(size: size, insets: upright, isWindow: false, isTablet: false)
    for frame in [layout.content, layout.address, layout.controls, layout.progress] {
      #expect(frame.size.width >= 0)
      #expect(frame.size.height >= 0)
    }
  }

  @Test func pageFillsAPlainWindow() {
    let layout = BrowserLayout(
      size: CGSize(width: 500, height: 900), insets: .zero, isWindow: true, isTablet: false)
    #expect(layout.isWindow)
    #expect(layout.content == .zero)
  }
}
