/// Whether the user lets the app use something.
public enum PermissionState: String, Hashable, Sendable, CaseIterable {
  /// The user has agreed.
  case granted
  /// The user has refused.
  case denied
  /// The user was not asked yet.
  case notDetermined
}

/// What the query tells of one capability.
public struct Capability: Hashable, Sendable {
  /// Whether requests for it are answered.
  public var supported: Bool
  /// The capability's own version.
  public var version: String?
  /// Nil for what needs no permission.
  public var permissionState: PermissionState?

  /// Makes a capability.
  public init(supported: Bool, version: String? = nil, permissionState: PermissionState? = nil) {
    self.supported = supported
    self.version = version
    self.permissionState = permissionState
  }

  var value: JSONValue {
    var members: [String: JSONValue] = ["supported": .bool(supported)]
    if let version { members["version"] = .string(version) }
    if let permissionState { members["permissionState"] = .string(permissionState.rawValue) }
    return .object(members)
  }

  /// The capability that an action belongs to: the action itself, without its verb for the two cameras.
  static func id(of action: String) -> String {
    switch action {
    case "camera.document.capture": "camera.document"
    case "camera.selfie.capture": "camera.selfie"
    default: action
    }
  }
}

/// What a host says of itself for as long as it lives.
public struct BridgeConfiguration: Hashable, Sendable {
  /// The host's version, as pages see it.
  public var hostVersion: String
  /// Capabilities by their ids.
  public var capabilities: [String: Capability]

  /// Makes a configuration.
  public init(hostVersion: String, capabilities: [String: Capability] = [:]) {
    self.hostVersion = hostVersion
    self.capabilities = capabilities
  }
}
