/// A colour for the background of web views and screens, in the place of UIKit's.
public struct WebColor: Hashable, Sendable {
  /// The colour as CSS writes it, such as `#000000`.
  public let css: String

  /// Makes a colour from a CSS text.
  public init(css: String) {
    self.css = css
  }

  /// Makes a colour from parts between 0 and 1.
  public init(red: Double, green: Double, blue: Double, alpha: Double = 1) {
    func byte(_ part: Double) -> Int { Int((min(max(part, 0), 1) * 255).rounded()) }
    css = "rgba(\(byte(red)), \(byte(green)), \(byte(blue)), \(min(max(alpha, 0), 1)))"
  }

  /// Black.
  public static let black = WebColor(css: "#000000")
  /// White.
  public static let white = WebColor(css: "#ffffff")
  /// Nothing: what is behind shows.
  public static let clear = WebColor(css: "transparent")
}
