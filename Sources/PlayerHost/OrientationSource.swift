/// Why the player fills the screen: because the app asked for it, or because the device was turned.
///
/// The spelling of `programatically` is the vendor's.
enum OrientationSource: String, Hashable, Sendable {
  case programatically
  case none
}
