import Foundation
import Testing

@testable import BrowserHost

struct WebsiteTests {
  private let locations = WebsiteLocations(
    folder: URL(filePath: "/app/www"), publicURL: URL(string: "https://www.example.com/start")!)

  @Test func eachWebsiteHasItsAddress() {
    let other = URL(string: "http://other.example/")!
    #expect(locations.url(of: .local)?.path() == "/app/www/LocalWebsite.html")
    #expect(locations.url(of: .public)?.absoluteString == "https://www.example.com/start")
    #expect(locations.url(of: .address(other)) == other)
    #expect(WebsiteLocations(folder: nil, publicURL: other).url(of: .local) == nil)
  }

  @Test(arguments: [
    ("file:///app/www/LocalWebsite.html", "www/LocalWebsite.html"),
    ("file:///app/www/a/b.html", "www/a/b.html"),
    ("file:///app/www2/a.html", "file:///app/www2/a.html"),
    ("https://www.example.com/", "https://www.example.com/"),
  ])
  func filesOfTheAppAreShownByTheirPlace(address: String, text: String) {
    #expect(locations.text(of: URL(string: address)!) == text)
  }

  @Test func noAddressIsShownAsNothing() {
    #expect(locations.text(of: nil) == "")
  }

  @Test(arguments: [
    ("www.example.com", "https://www.example.com"), ("  example.com/a?b=c#d ", "https://example.com/a?b=c#d"),
    ("http://example.com", "http://example.com"), ("HTTPS://Example.com/", "HTTPS://Example.com/"),
    ("localhost:8080/x", "http://localhost:8080/x"), ("127.0.0.1", "http://127.0.0.1"),
    ("[::1]:80/", "http://[::1]:80/"), ("app.localhost", "http://app.localhost"),
    ("about:blank", "about:blank"),
  ])
  func typedTextBecomesAnAddress(text: String, address: String) {
    guard case .address(let url) = locations.website(typed: text) else {
      Issue.record("'\(text)' is no address")
      return
    }
    #expect(url.absoluteString == address)
  }

  @Test(arguments: [
    "", "   ", "javascript:alert(1)", "JavaScript://x", "data:text/html,x", "file:///etc/passwd", "http://",
    "://x",
    "mailto:a@b.c", "blob:x",
  ])
  func otherTextsDoNot(text: String) {
    #expect(locations.website(typed: text) == nil)
  }

  @Test func placesInTheFolderAreTyped() {
    #expect(locations.website(typed: "www/LocalWebsite.html") == .local)
    #expect(locations.website(typed: "www/second.html") == .address(URL(filePath: "/app/www/second.html")))
  }
}
