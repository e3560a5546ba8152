/// Whether a document may have a session that another socket has.
enum Takeover: Equatable {
  /// It may: the old socket is told `replaced`.
  case granted
  /// Only if the old socket is dead, which a ping tells.
  case ifDead

  /// Decides.
  ///
  /// - Parameters:
  ///   - newcomer: The document that comes.
  ///   - holder: The document that has the session.
  ///   - heir: The document that an attach has granted the session to.
  ///   - takes: The right that the newcomer names.
  init(newcomer: String, holder: String, heir: String?, takes: Takes?) {
    let isSame = newcomer == holder
    switch takes {
    case .replaces, .returns: self = .granted
    case .claim, nil: self = isSame || newcomer == heir ? .granted : .ifDead
    }
  }
}
