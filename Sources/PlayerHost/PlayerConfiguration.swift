import Foundation

/// What the player's page is built from: the nine parameters of the loader's address and the page's base address.
///
/// Source: the vendor's UIKit guide and its public samples. In JSON each member is optional and has the default below.
public struct PlayerConfiguration: Hashable, Sendable, Codable {
  /// The operator's number at the vendor; the loader needs one.
  public var customerId: String
  /// The match to show; the loader needs one.
  public var fixtureId: String
  /// A CSS length or percentage; `auto` is not allowed.
  public var playerWidth: String
  /// A CSS length or percentage; `auto` is not allowed.
  public var playerHeight: String
  /// Whether the player shows its controls.
  public var controlsEnabled: Bool
  /// Whether the video has sound.
  public var audioEnabled: Bool
  /// Whether the player offers its fullscreen button.
  public var allowFullScreen: Bool
  /// How much is loaded ahead, in segments of the stream; 0 or more.
  public var bufferLength: Int
  /// Whether the video starts without a gesture of the user.
  public var autoplayEnabled: Bool
  /// What `document.baseURI` names in the page.
  public var baseURL: URL

  /// The vendor's base address of the page that is loaded from text.
  public static let standardBaseURL = URL(string: "https://www.example.com")!  // a literal that parses

  /// Makes a configuration; each member that is left out has the default of the vendor's sample.
  ///
  /// Nothing is checked here: ``check()`` does that.
  public init(
    customerId: String = "", fixtureId: String = "", playerWidth: String = "100vw",
    playerHeight: String = "100vh", controlsEnabled: Bool = true, audioEnabled: Bool = true,
    allowFullScreen: Bool = true, bufferLength: Int = 2, autoplayEnabled: Bool = true,
    baseURL: URL = Self.standardBaseURL
  ) {
    self.customerId = customerId
    self.fixtureId = fixtureId
    self.playerWidth = playerWidth
    self.playerHeight = playerHeight
    self.controlsEnabled = controlsEnabled
    self.audioEnabled = audioEnabled
    self.allowFullScreen = allowFullScreen
    self.bufferLength = bufferLength
    self.autoplayEnabled = autoplayEnabled
    self.baseURL = baseURL
  }

  /// Decodes an object whose missing members take the defaults. Throws `DecodingError` for a member of another type.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    func read<Value: Decodable>(_ member: WritableKeyPath<Self, Value>, _ key: CodingKeys) throws {
      if let value = try members.decodeIfPresent(Value.self, forKey: key) { self[keyPath: member] = value }
    }
    try read(\.customerId, .customerId)
    try read(\.fixtureId, .fixtureId)
    try read(\.playerWidth, .playerWidth)
    try read(\.playerHeight, .playerHeight)
    try read(\.controlsEnabled, .controlsEnabled)
    try read(\.audioEnabled, .audioEnabled)
    try read(\.allowFullScreen, .allowFullScreen)
    try read(\.bufferLength, .bufferLength)
    try read(\.autoplayEnabled, .autoplayEnabled)
    try read(\.baseURL, .baseURL)
  }

  /// Gives this configuration with the fixture that follows its own in a list, or the first if its own is not in it.
  func withFixture(after fixtureIds: [String]) -> PlayerConfiguration {
    var next = self
    let index = fixtureIds.firstIndex(of: fixtureId).map { fixtureIds.index(after: $0) } ?? 0
    if !fixtureIds.isEmpty { next.fixtureId = fixtureIds[index % fixtureIds.count] }
    return next
  }

  /// Gives this configuration with the members of a JSON object in place of its own.
  ///
  /// Throws ``PlayerConfigurationError`` if the text is no object, has a member that does not exist or one of the wrong
  /// type, or if the outcome cannot be used.
  public func updated(with json: Data) throws(PlayerConfigurationError) -> PlayerConfiguration {
    let updated: PlayerConfiguration
    do {
      guard let changes = try JSONSerialization.jsonObject(with: json) as? [String: Any] else {
        throw PlayerConfigurationError(code: .unreadable, message: "the configuration is not a JSON object")
      }
      let encoded =
        try JSONSerialization.jsonObject(with: JSONEncoder().encode(self)) as? [String: Any] ?? [:]
      for name in changes.keys.sorted() where encoded[name] == nil {
        throw PlayerConfigurationError(
          code: .unreadable,
          message:
            "the configuration has no member '\(name)'; it has \(encoded.keys.sorted().joined(separator: ", "))"
        )
      }
      let merged = encoded.merging(changes) { _, new in new }
      updated = try JSONDecoder().decode(Self.self, from: JSONSerialization.data(withJSONObject: merged))
    } catch let error as PlayerConfigurationError {
      throw error
    } catch DecodingError.typeMismatch(_, let context) {
      let member = context.codingPath.map(\.stringValue).joined(separator: ".")
      throw PlayerConfigurationError(
        code: .unreadable, message: "the member '\(member)' is of the wrong type")
    } catch {
      throw PlayerConfigurationError(code: .unreadable, message: "the configuration is not JSON: \(error)")
    }
    try updated.check()
    return updated
  }

  /// Checks what the types cannot say. Throws the first problem found.
  public func check() throws(PlayerConfigurationError) {
    try Self.checkSize(playerWidth, member: "playerWidth")
    try Self.checkSize(playerHeight, member: "playerHeight")
    guard bufferLength >= 0 else {
      throw PlayerConfigurationError(
        code: .negativeBufferLength, message: "bufferLength is \(bufferLength); it must be 0 or more")
    }
    guard baseURL.scheme == "http" || baseURL.scheme == "https", baseURL.host() != nil else {
      throw PlayerConfigurationError(
        code: .unusableBaseURL, message: "baseURL must be an absolute http or https address")
    }
  }

  private static func checkSize(_ size: String, member: String) throws(PlayerConfigurationError) {
    let text = size.trimmingCharacters(in: .whitespaces).lowercased()
    guard text != "auto" else {
      throw PlayerConfigurationError(
        code: .automaticSize, message: "\(member) is 'auto', which is not allowed")
    }
    guard size.wholeMatch(of: /[0-9]+(\.[0-9]+)?([a-z]+|%)/) != nil else {
      throw PlayerConfigurationError(
        code: .unusableSize,
        message: "\(member) is '\(size)'; it must be a length such as 600px, 100vw or 100%")
    }
  }
}

/// Says why a player configuration cannot be used.
public struct PlayerConfigurationError: Error, Equatable, CustomStringConvertible {
  /// One documented cause.
  public struct Code: Hashable, Sendable {
    private let name: String

    /// A size is `auto`.
    public static let automaticSize = Code(name: "automaticSize")
    /// A size is no CSS length.
    public static let unusableSize = Code(name: "unusableSize")
    /// The buffer's length is below 0.
    public static let negativeBufferLength = Code(name: "negativeBufferLength")
    /// A text is not the JSON of a configuration.
    public static let unreadable = Code(name: "unreadable")
    /// The base address is relative or of another scheme than http and https.
    public static let unusableBaseURL = Code(name: "unusableBaseURL")
  }

  /// Why it cannot be used.
  public let code: Code
  /// One readable sentence that names the member.
  public let message: String

  public var description: String { message }
}
