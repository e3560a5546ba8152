/// What a page asks of a new window. See Apple's page "WKWindowFeatures".
///
/// Each value is nil unless the page named it. Nothing follows from them by itself.
@MainActor
public final class WKWindowFeatures: NSObject {
  /// Whether the window is to have a menu bar: a boolean.
  public let menuBarVisibility: NSNumber?
  /// Whether the window is to have a status bar: a boolean.
  public let statusBarVisibility: NSNumber?
  /// Whether the window is to have toolbars: a boolean.
  public let toolbarsVisibility: NSNumber?
  /// Whether the window may be resized: a boolean.
  public let allowsResizing: NSNumber?
  /// The left edge, in points.
  public let x: NSNumber?
  /// The upper edge, in points.
  public let y: NSNumber?
  /// The width, in points.
  public let width: NSNumber?
  /// The height, in points.
  public let height: NSNumber?

  /// Reads the third argument of `window.open` (HTML, section 7.2.2.1): names with values, between commas or spaces.
  init(_ text: String) {
    var values: [String: String] = [:]
    let isBetween: (Character) -> Bool = { $0 == "," || $0.isWhitespace }
    var rest = text.lowercased()[...]
    while true {
      rest = rest.drop { isBetween($0) || $0 == "=" }
      guard !rest.isEmpty else { break }
      let name = String(rest.prefix { !isBetween($0) && $0 != "=" })
      rest = rest.dropFirst(name.count)
      // Spaces may stand around the sign.
      let tail = rest.drop { $0.isWhitespace }
      guard tail.first == "=" else {
        values[name] = ""
        continue
      }
      rest = tail.dropFirst().drop { $0.isWhitespace }
      let value = String(rest.prefix { !isBetween($0) })
      rest = rest.dropFirst(value.count)
      values[name] = value
    }
    func flag(_ names: String...) -> NSNumber? {
      guard let value = names.compactMap({ values[$0] }).first else { return nil }
      let isOn =
        value.isEmpty || value == "yes" || value == "true" || Self.whole(value).map { $0 != 0 } ?? false
      return NSNumber(value: isOn)
    }
    func length(_ names: String...) -> NSNumber? {
      names.compactMap { values[$0].flatMap(Self.whole) }.first.map { NSNumber(value: $0) }
    }
    menuBarVisibility = flag("menubar")
    statusBarVisibility = flag("status")
    toolbarsVisibility = flag("toolbar", "location")
    allowsResizing = flag("resizable")
    x = length("left", "screenx")
    y = length("top", "screeny")
    width = length("width", "innerwidth")
    height = length("height", "innerheight")
  }

  /// The whole number that a text begins with.
  private static func whole(_ text: String) -> Double? {
    let sign = text.hasPrefix("-") ? "-" : ""
    let digits = text.dropFirst(sign.count).prefix { $0.isASCII && $0.isNumber }
    return Double(sign + digits)
  }
}
