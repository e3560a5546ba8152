import PageBridgeTesting
import PageBridgeWebKit
import Testing

@MainActor
@Suite struct HistoryTests {
  private static let base = "http://127.0.0.1:8080/"

  private func load(_ name: String, _ fixture: Fixture) async {
    fixture.view.load(URLRequest(url: URL(string: Self.base + name)!))
    await fixture.relay.settle()
  }

  @Test func theListFollowsThePages() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    let list = fixture.view.backForwardList
    #expect(list.currentItem?.url.absoluteString == page.url)
    #expect(list.currentItem?.title == "Simulated")
    #expect(
      list.backItem == nil && list.forwardItem == nil && list.backList.isEmpty && list.forwardList.isEmpty)
    await load("two", fixture)
    await load("three", fixture)
    #expect(list.backList.map(\.url.path) == ["/page", "/two"])
    #expect(list.currentItem?.url.path == "/three")
    #expect(list.item(at: -2)?.url.path == "/page")
    #expect(list.item(at: 1) == nil && list.item(at: -3) == nil)
    #expect(fixture.view.canGoBack && !fixture.view.canGoForward)
  }

  @Test func goingToAnItemAsksThePageForSoManySteps() async throws {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    let first = page.documents[0]
    await load("two", fixture)
    await load("three", fixture)
    let list = fixture.view.backForwardList
    let item = try #require(list.item(at: -2))
    let step = fixture.view.go(to: item)
    #expect(step != nil)
    await fixture.relay.settle()
    #expect(page.received.last { $0.method == "go" }?.params == ["delta": -2])
    page.restore(document: first)
    await fixture.relay.settle()
    #expect(list.currentItem === item)
    #expect(list.forwardList.map(\.url.path) == ["/two", "/three"])
    #expect(fixture.view.canGoForward && !fixture.view.canGoBack)
    #expect(fixture.view.go(to: item) == nil)
    await load("four", fixture)
    #expect(list.forwardList.isEmpty)
    #expect(list.backList.map(\.url.path) == ["/page"])
    #expect(fixture.view.go(to: item) != nil)
  }

  @Test func reloadAndReplaceStateKeepTheItem() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    let item = fixture.view.backForwardList.currentItem
    fixture.view.reload()
    await fixture.relay.settle()
    #expect(fixture.view.backForwardList.currentItem === item)
    let entry = page.documents[0]
    page.send(
      "state",
      [
        "url": "http://127.0.0.1:8080/rep",
        "history": ["back": false, "forward": false, "key": .string(entry)],
      ])
    await fixture.relay.settle()
    #expect(fixture.view.backForwardList.currentItem === item)
    #expect(item?.url.path == "/rep")
    #expect(item?.initialURL.path == "/page")
    #expect(!fixture.view.canGoBack)
    page.send("state", ["url": "http://127.0.0.1:8080/pushed", "history": ["back": true, "key": "another"]])
    await fixture.relay.settle()
    #expect(fixture.view.backForwardList.backItem === item)
    #expect(fixture.view.canGoBack)
  }

  @Test func aDocumentThatReplacesAnotherTakesItsPlace() async {
    let fixture = Fixture()
    fixture.configure = { view, _ in view.load(URLRequest(url: URL(string: "http://127.0.0.1:8080/app")!)) }
    await fixture.start()
    var options = SimulatedPage.Options()
    options.isPlaceholder = true
    _ = await fixture.open(options)
    #expect(fixture.view.backForwardList.backList.isEmpty)
    #expect(fixture.view.backForwardList.currentItem?.url.path == "/app")
    #expect(!fixture.view.canGoBack)
  }
}
