import PageBridgeWebKit

/// The payload of `multibet-event`: what the user did in the overlay, and the bet it is about.
struct MultibetEvent: Hashable, Sendable {
  enum Command: String, Hashable, Sendable, CaseIterable {
    case addToBetslip
    case placeBet
    case openBetslip
    case closeBetslip

    /// What the command does to the betslip.
    var hidesBetslip: Bool { self == .closeBetslip }
  }

  /// Nil if the payload has none or an unknown one: the betslip then stays shown or hidden as it is.
  var command: Command?
  /// Nil if the payload names no field of a bet: the app then keeps the text it shows.
  var betslip: Betslip?

  /// Reads a payload. A field of the wrong type is refused by itself and the rest is used.
  static func read(_ payload: WireValue) -> (event: MultibetEvent, refusals: [Refusal]) {
    var reader = FieldReader(payload: payload)
    let event = MultibetEvent(command: reader.command(), betslip: reader.betslip())
    return (event, reader.refusals)
  }
}

/// Takes fields out of a payload and notes those it refuses.
private struct FieldReader {
  let payload: WireValue
  private(set) var refusals: [Refusal] = []

  init(payload: WireValue) {
    self.payload = payload
  }

  mutating func command() -> MultibetEvent.Command? {
    guard let text = text("command") else { return nil }
    guard let command = MultibetEvent.Command(rawValue: text) else {
      refuse("command", .unknownCommand)
      return nil
    }
    return command
  }

  mutating func betslip() -> Betslip? {
    let fields = [
      "sportsbookFixtureId", "sportsbookSelectionId", "sportsbookMarketId", "sportsbookMarketContext",
      "marketId", "decimalPrice", "stake",
    ]
    guard fields.contains(where: { payload.present($0) != nil }) else { return nil }
    return Betslip(
      sportsbookFixtureId: text("sportsbookFixtureId"),
      sportsbookSelectionId: text("sportsbookSelectionId"),
      sportsbookMarketId: text("sportsbookMarketId"),
      sportsbookMarketContext: text("sportsbookMarketContext"),
      marketId: text("marketId"),
      decimalPrice: number("decimalPrice"),
      stake: stake()
    )
  }

  private mutating func text(_ field: String) -> String? {
    guard let value = payload.present(field) else { return nil }
    guard let text = value.string else {
      refuse(field, .notText)
      return nil
    }
    return text
  }

  private mutating func number(_ field: String) -> Double? {
    guard let value = payload.present(field) else { return nil }
    guard let number = value.finiteNumber else {
      refuse(field, .notANumber)
      return nil
    }
    return number
  }

  /// The vendor's model declares text and its view reads a number, so both are taken; neither may be negative.
  private mutating func stake() -> String? {
    guard let value = payload.present("stake") else { return nil }
    if let text = value.string {
      guard let match = text.wholeMatch(of: /(-?)[0-9]+(\.[0-9]+)?/) else {
        refuse("stake", .notANumber)
        return nil
      }
      guard match.1.isEmpty else {
        refuse("stake", .negative)
        return nil
      }
      return text
    }
    guard let number = number("stake") else { return nil }
    guard number >= 0 else {
      refuse("stake", .negative)
      return nil
    }
    return NumberText.text(number)
  }

  private mutating func refuse(_ field: String, _ reason: Refusal.Reason) {
    refusals.append(Refusal(reason: reason, field: field))
  }
}
