/// Why a message of the page was not taken.
struct SquadRefusal: Error, Hashable, Sendable {
  enum Reason: String, Hashable, Sendable, CaseIterable {
    /// The body is no object.
    case notAnObject
    /// It came from a frame inside the page, which has no `squadBridge`.
    case notTheMainFrame
    case typeMissing
    case typeNotText
    case unknownType
    case dataMissing
    case dataNotAnObject
    /// A member that the type needs is missing.
    case fieldMissing
    case fieldNotText
    case fieldEmpty
    case fieldTooLong
    /// A call's action that pages do not have.
    case unknownAction
    /// An address that is not `https`, has a user, or is on a host that is not Squad's.
    case addressNotAllowed
  }

  var reason: Reason
  /// The message's type, where it has one.
  var type: String?
  /// The member of `data` that was refused.
  var field: String?

  /// One line for the log.
  var text: String {
    switch reason {
    case .notAnObject: "a message that is no object"
    case .notTheMainFrame: "a message of a frame inside the page"
    case .typeMissing: "a message without a type"
    case .typeNotText: "a message whose type is no text"
    case .unknownType: "unknown message type: \(type ?? "")"
    case .dataMissing: "\(type ?? ""): data is missing"
    case .dataNotAnObject: "\(type ?? ""): data is no object"
    case .fieldMissing: "\(type ?? ""): \(field ?? "") is missing"
    case .fieldNotText: "\(type ?? ""): \(field ?? "") is no text"
    case .fieldEmpty: "\(type ?? ""): \(field ?? "") is empty"
    case .fieldTooLong: "\(type ?? ""): \(field ?? "") is too long"
    case .unknownAction: "\(type ?? ""): unknown action"
    case .addressNotAllowed: "\(type ?? ""): the address is not allowed"
    }
  }
}
