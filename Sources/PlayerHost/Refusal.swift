/// Why a message from the page, or one field of it, was not taken.
struct Refusal: Hashable, Sendable, Error {
  enum Reason: String, Hashable, Sendable, CaseIterable {
    /// The body is no object.
    case notAnObject
    case typeMissing
    case typeNotText
    /// The type needs a payload and has none.
    case payloadMissing
    case payloadNotAnObject
    case notText
    /// Not a number, or not a finite one.
    case notANumber
    case notABoolean
    case notAnArray
    case negative
    case unknownCommand
    /// The type of a message on the app's own channel that the app does not know.
    case unknownType
  }

  var reason: Reason
  /// The member that was refused; nil for the whole message.
  var field: String?
  /// The type of the message, where it has one.
  var type: String?
}
