/// The scripts that the host evaluates in the player's page. Each completes without an error whatever the page holds.
enum PlayerScript {
  /// Gives the first `.video-container` the class `full-screen`.
  static let enterFullscreen =
    "document.querySelector('.video-container')?.classList.add('full-screen'); undefined"

  /// Takes the class `full-screen` from the first `.video-container`.
  static let leaveFullscreen =
    "document.querySelector('.video-container')?.classList.remove('full-screen'); undefined"

  /// Closes the player, which stops the download of segments; true if there was one.
  static let closePlayer =
    "((p) => { if (!p) return false; p.close(); return true; })(window.GeniusLivePlayer?.player)"

  /// Tells whether the page holds a player.
  static let hasPlayer = "!!window.GeniusLivePlayer?.player"

  /// Hands the user's bets to the page; false if the page has no place for them.
  static func setUserBets(_ bets: [CustomerMarket]) throws -> String {
    "((p) => { if (!p) return false; p.setUserBets(\(try ScriptArgument.json(bets))); return true; })(window.playerPage)"
  }
}
