import Foundation
import Testing

@testable import PlayerHost

struct PlayerConfigurationTests {
  @Test func defaultsAreTheVendors() {
    let configuration = PlayerConfiguration()
    #expect(configuration.customerId == "")
    #expect(configuration.fixtureId == "")
    #expect(configuration.playerWidth == "100vw")
    #expect(configuration.playerHeight == "100vh")
    #expect(configuration.controlsEnabled)
    #expect(configuration.audioEnabled)
    #expect(configuration.allowFullScreen)
    #expect(configuration.bufferLength == 2)
    #expect(configuration.autoplayEnabled)
    #expect(configuration.baseURL.absoluteString == "https://www.example.com")
  }

  @Test(arguments: ["100vw", "600px", "100%", "12.5em", "0px", "100dvh"])
  func lengthsAreSizes(size: String) throws {
    try PlayerConfiguration(playerWidth: size, playerHeight: size).check()
  }

  @Test(arguments: ["auto", "AUTO", " auto "])
  func automaticSizeIsRefused(size: String) {
    let width = #expect(throws: PlayerConfigurationError.self) {
      try PlayerConfiguration(playerWidth: size).check()
    }
    #expect(width?.code == .automaticSize)
    let height = #expect(throws: PlayerConfigurationError.self) {
      try PlayerConfiguration(playerHeight: size).check()
    }
    #expect(height?.code == .automaticSize)
  }

  @Test(arguments: ["", "600", "px", "-1px", "1px;color:red", "calc(1px)", "1 px"])
  func otherSizesAreRefused(size: String) {
    let error = #expect(throws: PlayerConfigurationError.self) {
      try PlayerConfiguration(playerWidth: size).check()
    }
    #expect(error?.code == .unusableSize)
  }

  @Test func otherProblemsHaveTheirOwnCodes() {
    let buffer = #expect(throws: PlayerConfigurationError.self) {
      try PlayerConfiguration(bufferLength: -1).check()
    }
    #expect(buffer?.code == .negativeBufferLength)
    let base = #expect(throws: PlayerConfigurationError.self) {
      try PlayerConfiguration(baseURL: URL(string: "/relative")!).check()
    }
    #expect(base?.code == .unusableBaseURL)
  }

  @Test func missingMembersOfJSONTakeTheDefaults() throws {
    let decoded = try JSONDecoder().decode(PlayerConfiguration.self, from: Data(#"{"fixtureId":"5"}"#.utf8))
    #expect(decoded == PlayerConfiguration(fixtureId: "5"))
  }

  @Test func updateReplacesWhatIsNamedOnly() throws {
    let old = PlayerConfiguration(customerId: "c", fixtureId: "1", bufferLength: 3)
    let new = try old.updated(
      with: Data(#"{"fixtureId":"2","autoplayEnabled":false,"baseURL":"https://b.example"}"#.utf8))
    #expect(
      new
        == PlayerConfiguration(
          customerId: "c", fixtureId: "2", bufferLength: 3, autoplayEnabled: false,
          baseURL: URL(string: "https://b.example")!))
  }

  @Test(arguments: [
    ("", "not JSON"), ("[]", "not a JSON object"), (#"{"fixture":"2"}"#, "no member 'fixture'"),
    (#"{"fixtureId":2}"#, "'fixtureId' is of the wrong type"), (#"{"bufferLength":"2"}"#, "'bufferLength'"),
    (#"{"playerWidth":"auto"}"#, "'auto'"), (#"{"autoplayEnabled":1}"#, "'autoplayEnabled'"),
  ])
  func updateWithUnusableTextIsRefused(json: String, words: String) {
    let error = #expect(throws: PlayerConfigurationError.self) {
      try PlayerConfiguration().updated(with: Data(json.utf8))
    }
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
  }
}
