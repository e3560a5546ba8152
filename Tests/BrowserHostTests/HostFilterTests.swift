import Foundation
import Testing

@testable import BrowserHost

struct HostFilterTests {
  private let filter = HostFilter(["restricted.com"])

  @Test(arguments: [
    "http://restricted.com", "https://restricted.com/", "https://RESTRICTED.com/a?b#c",
    "http://restricted.com./",
    "http://www.restricted.com/", "http://WWW.Restricted.COM./", "http://a.b.c.restricted.com:8080/",
    "http://user@restricted.com/", "ftp://restricted.com/",
  ])
  func hostAndItsSubdomainsAreRefused(address: String) {
    #expect(filter.refuses(URL(string: address)!))
  }

  @Test(arguments: [
    "http://notrestricted.com/", "http://restricted.com.example/", "http://restricted/", "http://com/",
    "http://example.com/restricted.com", "http://example.com/?u=http://restricted.com/", "about:blank",
    "data:text/html,restricted.com", "file:///restricted.com", "mailto:a@restricted.com", "http://127.0.0.1/",
  ])
  func otherAddressesAreNot(address: String) {
    #expect(!filter.refuses(URL(string: address)!))
  }

  @Test func namesOfTheFilterAreNormalizedToo() {
    let filter = HostFilter(["Example.ORG."])
    #expect(filter.refuses(URL(string: "http://www.example.org/")!))
    #expect(!HostFilter([]).refuses(URL(string: "http://www.example.org/")!))
  }
}
