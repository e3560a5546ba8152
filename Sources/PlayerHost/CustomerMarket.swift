/// One bet of the user, as the player's watchlist shows it.
///
/// Source: the vendor's User-Bets interface. Decoding is strict: a value outside the given ones, or of another type,
/// throws `DecodingError`.
public struct CustomerMarket: Hashable, Sendable, Codable {
  /// How many legs a bet has; the raw value is the word in the player's data.
  public enum Kind: String, Hashable, Sendable, Codable {
    /// One selection.
    case single = "Single"
    /// Several selections that must all be right.
    case multi = "Multi"
  }

  /// How far a bet is; the raw value is the word in the player's data.
  public enum Status: String, Hashable, Sendable, Codable {
    /// The outcome is not known yet.
    case open = "Open"
    /// The bet is won or lost and paid.
    case settled = "Settled"
  }

  /// The operator's name for the bet, unique among the user's bets.
  public var id: String
  /// Whether it has one leg or several.
  public var type: Kind
  /// Whether it still runs.
  public var status: Status
  /// The legs of the bet.
  public var selections: [Selection]
  /// What the amounts are in, such as `GBP`.
  public var currency: String
  /// What the bet pays if it is won, in ``currency``.
  public var payout: Double
  /// The stake for each unit of the bet, in ``currency``.
  public var stakePerUnit: Double
  /// Whether the user may end the bet before its outcome is known.
  public var cashOutAvailable: Bool
  /// What the user gets for that now, in ``currency``.
  public var cashOutPrice: Double
  /// When the bet was made, in milliseconds since 1970.
  public var addedAt: Double

  /// One leg of the bet.
  public struct Selection: Hashable, Sendable, Codable {
    /// How far a leg is; the raw value is the word in the player's data.
    public enum Status: String, Hashable, Sendable, Codable {
      /// The user was right.
      case won = "Won"
      /// The user was wrong.
      case lost = "Lost"
      /// The outcome is not known yet.
      case open = "Open"
    }

    /// The sport's name for people.
    public var sport: String
    /// The league's or tournament's name for people.
    public var competitionName: String
    /// The operator's id of what was chosen.
    public var selectionId: String
    /// What was chosen, for people.
    public var selectionName: String
    /// The id of the market that it was chosen from.
    public var marketId: String
    /// What the market is about, such as its winner.
    public var marketType: String
    /// The id of the match.
    public var fixtureId: String
    /// The match's name for people.
    public var fixtureName: String
    /// How far this leg is.
    public var status: Status
    /// When the match begins, in milliseconds since 1970.
    public var fixtureStartTime: Double
    /// The odds at which it was taken.
    public var price: Price
  }

  /// The odds of a selection in the usual notations.
  public struct Price: Hashable, Sendable, Codable {
    /// The side of a line that the bet is on; the raw value is the word in the player's data.
    public enum Outcome: String, Hashable, Sendable, Codable {
      /// Below the line.
      case under = "Under"
      /// Above the line.
      case over = "Over"
    }

    /// The upper number of fractional odds, 5 in 5/2.
    public var numerator: Double
    /// The lower number of fractional odds, 2 in 5/2.
    public var denominator: Double
    /// What one unit of the stake pays, the stake included: 3.5 for 5/2.
    public var decimal: Double
    /// Moneyline odds with their sign, `+250` for 5/2.
    public var american: String
    /// The side of the line, for markets that have one.
    public var outcome: Outcome?
    /// The handicap as people write it, for markets that have one.
    public var handicap: String?
  }
}
