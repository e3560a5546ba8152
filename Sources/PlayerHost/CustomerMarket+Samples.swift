extension CustomerMarket {
  /// Two bets to show when nobody brings others.
  public static let samples = [
    CustomerMarket(
      id: "bet-1", type: .single, status: .open,
      selections: [
        Selection(
          sport: "AmericanFootball", competitionName: "Harbour League", selectionId: "SEL-HOME",
          selectionName: "Herons to win", marketId: "M-WINNER", marketType: "MatchWinner",
          fixtureId: "9889284",
          fixtureName: "Herons v Foxes", status: .open, fixtureStartTime: 1_764_529_200_000,
          price: Price(numerator: 4, denominator: 5, decimal: 1.8, american: "-125"))
      ],
      currency: "EUR", payout: 18, stakePerUnit: 10, cashOutAvailable: true, cashOutPrice: 11.4,
      addedAt: 1_764_525_600_000),
    CustomerMarket(
      id: "bet-2", type: .multi, status: .open,
      selections: [
        Selection(
          sport: "AmericanFootball", competitionName: "Harbour League", selectionId: "SEL-OVER",
          selectionName: "Over 45.5 points", marketId: "M-POINTS", marketType: "TotalPoints",
          fixtureId: "9889284",
          fixtureName: "Herons v Foxes", status: .open, fixtureStartTime: 1_764_529_200_000,
          price: Price(
            numerator: 19, denominator: 20, decimal: 1.95, american: "-105", outcome: .over, handicap: "45.5")
        ),
        Selection(
          sport: "AmericanFootball", competitionName: "Harbour League", selectionId: "SEL-UNDER",
          selectionName: "Under 5.5 sacks", marketId: "M-SACKS", marketType: "TotalSacks",
          fixtureId: "9889285", fixtureName: "Larks v Otters", status: .won,
          fixtureStartTime: 1_764_518_400_000,
          price: Price(
            numerator: 10, denominator: 11, decimal: 1.91, american: "-110", outcome: .under, handicap: "5.5")
        ),
      ],
      currency: "EUR", payout: 18.62, stakePerUnit: 5, cashOutAvailable: false, cashOutPrice: 0,
      addedAt: 1_764_522_000_000),
  ]
}
