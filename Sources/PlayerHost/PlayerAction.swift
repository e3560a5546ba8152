import PageBridgeWebKit

/// What the controller is to do after an event.
enum PlayerAction: Hashable, Sendable {
  case evaluate(String)
  case requestOrientation(WebOrientationRequest)
  /// Load the page anew.
  case reload
  /// Close the page's player and say whether there was one.
  case closePlayer
  case sendUserBets
  /// The player has said whether it can play.
  case stopWaitingForPlayer
}
