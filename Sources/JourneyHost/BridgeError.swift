/// The errors that a page sees, each with the one meaning that the wire gives it.
public enum BridgeErrorCode: String, Codable, Hashable, Sendable, CaseIterable {
  /// The host lacks the feature.
  case unsupported = "UNSUPPORTED"
  /// The user refused a permission.
  case permissionDenied = "PERMISSION_DENIED"
  /// The user cancelled.
  case cancelled = "CANCELLED"
  /// No answer came in time. A page says so to itself; a host may.
  case timeout = "TIMEOUT"
  /// Another native operation runs.
  case busy = "BUSY"
  /// The request is malformed.
  case invalidRequest = "INVALID_REQUEST"
  /// The host failed unexpectedly.
  case internalError = "INTERNAL_ERROR"
  /// Page and host speak different versions of the protocol.
  case versionMismatch = "VERSION_MISMATCH"

  /// Whether trying again may help.
  public var isRecoverable: Bool {
    switch self {
    case .permissionDenied, .cancelled, .timeout, .busy: true
    case .unsupported, .invalidRequest, .internalError, .versionMismatch: false
    }
  }
}

/// Why a request has no result, as the page is told.
public struct BridgeError: Error, Hashable, Sendable {
  /// What went wrong.
  public var code: BridgeErrorCode
  /// One sentence for people.
  public var message: String
  /// Whether trying again may help.
  public var recoverable: Bool

  /// Makes an error, recoverable as its code is unless said otherwise.
  public init(_ code: BridgeErrorCode, _ message: String, recoverable: Bool? = nil) {
    self.code = code
    self.message = message
    self.recoverable = recoverable ?? code.isRecoverable
  }
}
