import Foundation

/// The bet that the player's overlay names, as the app shows it.
public struct Betslip: Hashable, Sendable {
  var sportsbookFixtureId: String?
  var sportsbookSelectionId: String?
  var sportsbookMarketId: String?
  var sportsbookMarketContext: String?
  var marketId: String?
  var decimalPrice: Double?
  /// A number or a numeric text of the page, in the form in which it came.
  var stake: String?

  /// One line of text, `field: value`.
  struct Line: Hashable, Sendable {
    var field: String
    var value: String
    var text: String { "\(field): \(value)" }
  }

  /// The lines in their fixed order; absent fields have none.
  var lines: [Line] {
    let values: [(String, String?)] = [
      ("sportsbookFixtureId", sportsbookFixtureId),
      ("sportsbookSelectionId", sportsbookSelectionId),
      ("sportsbookMarketId", sportsbookMarketId),
      ("sportsbookMarketContext", sportsbookMarketContext),
      ("marketId", marketId),
      ("decimalPrice", decimalPrice.map(NumberText.text)),
      ("stake", stake),
    ]
    return values.compactMap { field, value in value.map { Line(field: field, value: $0) } }
  }
}

/// Writes numbers as a page does: whole ones without a fraction.
enum NumberText {
  static func text(_ number: Double) -> String {
    if number == number.rounded(), abs(number) < 1e15 { return String(Int64(number)) }
    return "\(number)"
  }
}
