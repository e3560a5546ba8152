import BridgeProtocol
import PageBridgeTesting
import Testing

@testable import PageBridgeWebKit

@MainActor
@Suite struct WebsiteDataTests {
  @Test func theStoreOfAVisitorIsTheDefaultOneInItsCodeAndInNobodyElses() async {
    let fixture = Fixture()
    var inClosure: [WKWebsiteDataStore] = []
    var inHandler: [WKWebsiteDataStore] = []
    fixture.configure = { _, _ in inClosure.append(.default()) }
    fixture.recorder.onMessage = { _ in inHandler.append(.default()) }
    await fixture.start()
    let first = await fixture.open()
    let second = await fixture.open()
    first.post(1, to: "log")
    await fixture.relay.settle()
    second.post(2, to: "log")
    await fixture.relay.settle()
    #expect(inClosure.count == 2 && inClosure[0] !== inClosure[1])
    #expect(inHandler.count == 2 && inHandler[0] === inClosure[0] && inHandler[1] === inClosure[1])
    #expect(fixture.views[0].configuration.websiteDataStore === inClosure[0])
    #expect(WKWebsiteDataStore.default() !== inClosure[0] && WKWebsiteDataStore.default() !== inClosure[1])
    #expect(WKWebsiteDataStore.default() === WKWebsiteDataStore.default())
  }

  @Test func aCompletionHandlerRunsLaterAndOnceWithoutAnyPage() async {
    let store = WKWebsiteDataStore.nonPersistent()
    #expect(!store.isPersistent && WKWebsiteDataStore.default().isPersistent)
    var runs = 0
    await withCheckedContinuation { continuation in
      store.httpCookieStore.setCookie(cookie("a", "1")) {
        runs += 1
        continuation.resume()
      }
      #expect(runs == 0)
    }
    #expect(runs == 1)
    #expect(await store.httpCookieStore.allCookies().map(\.value) == ["1"])
    await store.removeData(ofTypes: [WKWebsiteDataTypeCookies], modifiedSince: .distantPast)
    #expect(await store.httpCookieStore.allCookies().isEmpty)
    #expect(await store.dataRecords(ofTypes: WKWebsiteDataStore.allWebsiteDataTypes()).isEmpty)
  }

  @Test func aCookieGoesToThePagesOfItsHostOnly() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    let store = fixture.view.configuration.websiteDataStore.httpCookieStore
    var done = 0
    store.setCookie(cookie("here", "1")) { done += 1 }
    store.setCookie(cookie("there", "2", domain: ".example.com")) { done += 10 }
    await fixture.relay.settle()
    #expect(done == 10)
    let calls = page.received.filter { $0.method == "websiteData" }
    #expect(calls.map(\.params) == [["action": "change", "changes": [["cookie": "here=1; Path=/"]]]])
    page.answer(calls[0].id!, .null)
    await fixture.relay.settle()
    #expect(done == 11)
  }

  @Test func aChangeThatAReplacedPageMissedIsTheNextOnesOfThatPlace() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    var isDone = false
    fixture.view.configuration.websiteDataStore.removeData(
      ofTypes: [WKWebsiteDataTypeLocalStorage], modifiedSince: .distantPast
    ) { isDone = true }
    await fixture.relay.settle()
    #expect(!isDone)
    page.navigate(to: "http://127.0.0.1:8080/next")
    await fixture.relay.settle()
    #expect(isDone)
    let calls = page.received.filter { $0.method == "websiteData" }
    let change: WireValue = ["action": "change", "changes": [["remove": ["localStorage"]]]]
    #expect(calls.map(\.params) == [change, change])
    page.answer(calls[1].id!, .null)
    page.navigate(to: "http://127.0.0.1:8080/third")
    await fixture.relay.settle()
    #expect(page.received.filter { $0.method == "websiteData" }.count == 2)
    page.navigate(to: "http://127.0.0.2:8080/elsewhere")
    await fixture.relay.settle()
    #expect(page.received.filter { $0.method == "websiteData" }.count == 3)
  }

  @Test func aQuestionEndsWhenThePageIsAway() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    var found: [HTTPCookie]?
    fixture.view.configuration.websiteDataStore.httpCookieStore.getAllCookies { found = $0 }
    await fixture.relay.settle()
    #expect(found == nil)
    page.cut()
    await fixture.relay.settle()
    #expect(found?.isEmpty == true)
  }

  @Test func observersHearOfTheAppsChangesAndThePages() async {
    @MainActor final class Observer: WKHTTPCookieStoreObserver {
      var count = 0
      func cookiesDidChange(in cookieStore: WKHTTPCookieStore) { count += 1 }
    }
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    let observer = Observer()
    let store = fixture.view.configuration.websiteDataStore.httpCookieStore
    #expect(page.settings["watchesCookies"] == false)
    store.add(observer)
    store.setCookie(cookie("there", "2", domain: ".example.com"), completionHandler: nil)
    await fixture.relay.settle()
    #expect(page.settings["watchesCookies"] == true)
    #expect(observer.count == 1)
    page.send("websiteData", ["changed": "cookies"])
    await fixture.relay.settle()
    #expect(observer.count == 2)
    store.remove(observer)
    page.send("websiteData", ["changed": "cookies"])
    await fixture.relay.settle()
    #expect(observer.count == 2)
    #expect(page.settings["watchesCookies"] == false)
  }

  @Test(arguments: [
    ("example.com", "example.com", true), ("example.com", "a.example.com", false),
    (".example.com", "example.com", true), (".example.com", "a.example.com", true),
    (".example.com", "badexample.com", false), (".Example.com", "a.EXAMPLE.com", true),
  ])
  func aDomainMatchesAsInRFC6265(domain: String, host: String, matches: Bool) {
    #expect(WebCookie.matches(domain, host: host) == matches)
  }

  @Test func aRemovalMakesEarlierChangesNeedless() {
    var log = WebsiteLog()
    let place = WebsitePlace(address: "http://127.0.0.1:8080/page", session: "s")!
    func add(_ number: Int, _ action: WebsiteChange.Action) -> Bool {
      log.add(WebsiteChange(number: number, action: action))
    }
    func take(_ carrier: String) -> [Int] { log.take(for: place, carrier: carrier).map(\.number) }
    let old = WebCookie(cookie("a", "1"))
    #expect(!add(1, .set(old)))
    #expect(!add(2, .set(WebCookie(cookie("a", "2")))))
    #expect(take("x") == [2])
    let lost = log.lost("x").map(\.number)
    #expect(lost == [2])
    #expect(!add(3, .remove([.cookies], hosts: nil)))
    #expect(!add(4, .set(old)))
    #expect(take("x") == [3, 4])
    #expect(take("y") == [])
  }

  @Test func theLogGivesUpTheOldestChangeBeyondItsLimit() {
    var log = WebsiteLog()
    func add(_ number: Int) -> Bool {
      log.add(WebsiteChange(number: number, action: .set(WebCookie(cookie("a\(number)", "1")))))
    }
    for number in 1...WebsiteLog.limit { #expect(!add(number)) }
    #expect(add(9_999))
    let taken = log.take(for: WebsitePlace(address: "http://127.0.0.1/", session: "s")!, carrier: "x")
    #expect(taken.count == WebsiteLog.limit && taken[0].number == 2)
  }

  private func cookie(_ name: String, _ value: String, domain: String = "127.0.0.1") -> HTTPCookie {
    HTTPCookie(properties: [.name: name, .value: value, .domain: domain, .path: "/"])!
  }
}
