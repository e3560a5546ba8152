import PageBridgeWebKit

/// Where the page leaves room for the betslip, in points from the web view's upper left corner.
///
/// Offsets may be negative while the device is being turned; sizes may be zero.
public struct BetslipRectangle: Hashable, Sendable {
  /// From the web view's upper edge to the rectangle's.
  public var top: Double
  /// From the web view's left edge to the rectangle's.
  public var left: Double
  /// How wide it is, 0 or more.
  public var width: Double
  /// How high it is, 0 or more.
  public var height: Double

  /// Where the betslip is before the page has said anything.
  static let standard = BetslipRectangle(top: 40, left: 40, width: 250, height: 200)

  init(top: Double, left: Double, width: Double, height: Double) {
    self.top = top
    self.left = left
    self.width = width
    self.height = height
  }

  /// The same as a frame in the web view.
  var frame: CGRect { CGRect(x: left, y: top, width: width, height: height) }

  /// Reads a payload of `betslip-container-dimensions`. Throws a ``Refusal`` if any of the four is missing, not a finite
  /// number, or a negative size; the rectangle is then the old one.
  init(payload: WireValue) throws(Refusal) {
    top = try Self.number("top", in: payload)
    left = try Self.number("left", in: payload)
    width = try Self.number("width", in: payload)
    height = try Self.number("height", in: payload)
    guard width >= 0 else { throw Refusal(reason: .negative, field: "width") }
    guard height >= 0 else { throw Refusal(reason: .negative, field: "height") }
  }

  private static func number(_ field: String, in payload: WireValue) throws(Refusal) -> Double {
    guard let number = payload[field]?.finiteNumber else {
      throw Refusal(reason: .notANumber, field: field)
    }
    return number
  }
}
