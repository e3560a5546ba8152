import Foundation
import Testing

@testable import PlayerHost

struct PlayerTemplateTests {
  private let pages = URL(string: "http://127.0.0.1:8080/pages/player")!

  /// The query of the widget's address, as a browser reads it.
  private func query(_ configuration: PlayerConfiguration) throws -> [String: String] {
    let html = PlayerTemplate.html(for: configuration, pagesURL: pages)
    let source = try #require(html.firstMatch(of: /<script src="([^"]*widget\.js[^"]*)"/)).1
    let address = source.replacing("&amp;", with: "&")
    let items = try #require(URLComponents(string: String(address))?.queryItems)
    #expect(items.count == 10)
    return Dictionary(uniqueKeysWithValues: items.map { ($0.name, $0.value ?? "") })
  }

  @Test func nineValuesStandInTheLoadersAddress() throws {
    let configuration = PlayerConfiguration(
      customerId: "c1", fixtureId: "f1", playerWidth: "10px", playerHeight: "20px", controlsEnabled: false,
      audioEnabled: true, allowFullScreen: false, bufferLength: 7, autoplayEnabled: false)
    #expect(
      try query(configuration) == [
        "customerId": "c1", "fixtureId": "f1", "containerId": "geniusLive", "width": "10px", "height": "20px",
        "controlsEnabled": "false", "audioEnabled": "true", "allowFullScreen": "false", "bufferLength": "7",
        "autoplayEnabled": "false",
      ])
  }

  @Test func noPlaceholderIsLeft() {
    let html = PlayerTemplate.html(for: PlayerConfiguration(), pagesURL: pages)
    #expect(!html.contains("{{"))
    #expect(html.contains(#"<script src="http://127.0.0.1:8080/pages/player/template.js"></script>"#))
  }

  @Test(arguments: [#"a&b"<c"#, "a b+c", "%41", "{{fixtureId}}", "</script>", "ä€😀", "'\\", "x=y#z?", "\n"])
  func anyTextArrivesAsOneIntactValue(text: String) throws {
    let values = try query(PlayerConfiguration(customerId: text, fixtureId: text))
    #expect(values["fixtureId"] == text)
    #expect(values["customerId"] == text)
  }

  @Test func percentInASizeIsEncoded() {
    let html = PlayerTemplate.html(for: PlayerConfiguration(playerWidth: "50%"), pagesURL: pages)
    #expect(html.contains("&amp;width=50%25&amp;"))
  }

  @Test func pageHasItsContainersAndLook() {
    let html = PlayerTemplate.html(for: PlayerConfiguration(), pagesURL: pages)
    #expect(
      html.contains(
        #"<div id="container-video" class="container-video"><div id="geniusLive" class="video"></div>"#))
    #expect(html.contains("<title>Genius Video Player</title>"))
    #expect(html.contains("user-scalable=no, viewport-fit=cover"))
  }
}
