import PageBridgeTesting
import Testing

@testable import PageBridgeWebKit

@MainActor
@Suite struct ValuesTests {
  @Test func theFirstValueIsThePresentOneAndChangesFollow() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    var titles = fixture.view.values(of: \.title).makeAsyncIterator()
    #expect(await titles.next() == "Simulated")
    page.send("state", ["title": "Second"])
    #expect(await titles.next() == "Second")
    page.send("state", ["title": "Third"])
    #expect(await titles.next() == "Third")
  }

  @Test func aSlowReaderGetsTheNewestValue() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    var titles = fixture.view.values(of: \.title).makeAsyncIterator()
    for number in 1...5 {
      page.send("state", ["title": .string("\(number)")])
      await fixture.relay.settle()
    }
    #expect(await titles.next() == "5")
  }

  @Test func theSequenceEndsWithTheView() async {
    let fixture = Fixture()
    await fixture.start()
    _ = await fixture.open()
    let values = fixture.view.values(of: \.isLoading)
    let reader = Task { @MainActor in
      var count = 0
      for await _ in values { count += 1 }
      return count
    }
    await Task.yield()
    fixture.releaseViews()
    fixture.scenes.last!.retained = nil
    #expect(await reader.value == 1)
  }

  @Test func aCancelledReaderLeavesNothingBehind() async {
    let fixture = Fixture()
    await fixture.start()
    _ = await fixture.open()
    let view = fixture.view
    let reader = Task { @MainActor in
      for await _ in view.values(of: \.url) {}
    }
    await Task.yield()
    #expect(view.sequences.count == 1)
    reader.cancel()
    await reader.value
    #expect(view.sequences.count == 0)
  }
}
