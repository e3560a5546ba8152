/// One bet of the user, as the player's watchlist shows it.
///
/// Source: the vendor's User-Bets interface. Decoding is strict: a value outside the given ones, or of another type,
/// throws `DecodingError`.
public struct CustomerMarket: Hashable, Sendable, Codable {
  public enum Kind: String, Hashable, Sendable, Codable {
    case single = "Single"
    case multi = "Multi"
  }

  public enum Status: String, Hashable, Sendable, Codable {
    case open = "Open"
    case settled = "Settled"
  }

  public var id: String
  public var type: Kind
  public var status: Status
  public var selections: [Selection]
  public var currency: String
  public var payout: Double
  public var stakePerUnit: Double
  public var cashOutAvailable: Bool
  public var cashOutPrice: Double
  /// Milliseconds since 1970.
  public var addedAt: Double

  /// One leg of the bet.
  public struct Selection: Hashable, Sendable, Codable {
    public enum Status: String, Hashable, Sendable, Codable {
      case won = "Won"
      case lost = "Lost"
      case open = "Open"
    }

    public var sport: String
    public var competitionName: String
    public var selectionId: String
    public var selectionName: String
    public var marketId: String
    public var marketType: String
    public var fixtureId: String
    public var fixtureName: String
    public var status: Status
    /// Milliseconds since 1970.
    public var fixtureStartTime: Double
    public var price: Price
  }

  /// The odds of a selection in the usual notations.
  public struct Price: Hashable, Sendable, Codable {
    public enum Outcome: String, Hashable, Sendable, Codable {
      case under = "Under"
      case over = "Over"
    }

    public var numerator: Double
    public var denominator: Double
    public var decimal: Double
    public var american: String
    public var outcome: Outcome?
    public var handicap: String?
  }
}
