import Foundation
import PageBridgeTesting
import PageBridgeWebKit
import Testing

@testable import SquadHost

/// The parts of the app that need no page.
struct SquadPartsTests {
  private struct Foreign: Error {}

  @Test func errorsAreSortedByWhatIsDoneAboutThem() {
    func kind(_ error: any Error) -> SquadFailure.Kind { SquadFailure(error).kind }
    #expect(kind(URLError(.notConnectedToInternet)) == .offline)
    #expect(kind(URLError(.dataNotAllowed)) == .offline)
    #expect(kind(URLError(.timedOut)) == .timedOut)
    #expect(kind(URLError(.cannotConnectToHost)) == .loading)
    #expect(kind(URLError(.networkConnectionLost)) == .loading)
    #expect(kind(WKError(.webContentProcessTerminated)) == .webView)
    #expect(kind(NSError(domain: "WebKitErrorDomain", code: 102)) == .webView)
    #expect(kind(NSError(domain: "elsewhere", code: 1)) == .generic)
    #expect(kind(Foreign()) == .generic)
    #expect(kind(SquadFailure.insecure(nil)) == .insecure)
  }

  @Test func waitsDoubleAndEnd() {
    let retry = SquadRetry(attempts: 3, firstWait: .seconds(1))
    #expect((0...4).map { retry.wait(before: $0) } == [nil, .seconds(1), .seconds(2), .seconds(4), nil])
    #expect(SquadRetry(attempts: 0).wait(before: 1) == nil)
  }

  // MARK: The cache

  private func page(_ name: String, _ bytes: Int = 1) -> SquadPage {
    SquadPage(
      url: URL(string: "http://127.0.0.1/\(name)")!, data: Data(repeating: 0, count: bytes),
      mimeType: "text/html", encoding: "utf-8")
  }

  @Test func leastRecentlyUsedPageGoesFirst() {
    var cache = SquadCache()
    func keep(_ page: SquadPage) -> Bool { cache.keep(page) }
    func kept(_ url: URL) -> SquadPage? { cache.page(url) }
    for number in 0..<SquadCache.maxPages { #expect(keep(page("\(number)"))) }
    #expect(cache.count == SquadCache.maxPages)
    #expect(kept(page("0").url) != nil)
    #expect(keep(page("one more")) == true)
    #expect(cache.count == SquadCache.maxPages)
    #expect(kept(page("0").url) != nil && kept(page("1").url) == nil)
  }

  @Test func bytesOfPagesAreBounded() {
    var cache = SquadCache()
    func keep(_ page: SquadPage) -> Bool { cache.keep(page) }
    func kept(_ url: URL) -> SquadPage? { cache.page(url) }
    #expect(keep(page("at", SquadCache.maxPageBytes)))
    #expect(!keep(page("above", SquadCache.maxPageBytes + 1)))
    for number in 0..<4 { #expect(keep(page("\(number)", SquadCache.maxPageBytes))) }
    #expect(cache.bytes == SquadCache.maxBytes && cache.count == 4)
    #expect(kept(page("at").url) == nil)
    cache.removeAll()
    #expect(cache.bytes == 0 && cache.count == 0)
  }

  @Test func pageIsFoundWhateverItsFragmentAndReplaced() {
    var cache = SquadCache()
    func keep(_ page: SquadPage) -> Bool { cache.keep(page) }
    func kept(_ url: URL) -> SquadPage? { cache.page(url) }
    #expect(keep(page("a", 2)))
    #expect(keep(page("a", 3)))
    #expect(kept(URL(string: "http://127.0.0.1/a#part")!)?.data.count == 3)
    #expect(cache.bytes == 3)
    #expect(kept(URL(string: "http://127.0.0.1/a?x")!) == nil)
  }

  // MARK: Calls

  @Test func callGoesFromStartToEnd() {
    var call: SquadCall?
    func say(_ action: SquadCallMessage.Action, _ id: String = "c", emoji: String? = nil) -> SquadCall.Outcome
    {
      SquadCall.take(SquadCallMessage(action: action, callId: id, title: nil, emoji: emoji), &call)
    }
    #expect(say(.accept) == .noSuchCall)
    #expect(say(.start) == .changed)
    #expect(call == SquadCall(id: "c", title: "Call", phase: .active))
    #expect(say(.emoji, emoji: "🔥") == .reacted("🔥"))
    #expect(say(.end, "other") == .noSuchCall)
    for _ in 0..<SquadCall.shownEmoji { _ = say(.emoji, emoji: "👏") }
    #expect(call?.emoji == Array(repeating: "👏", count: SquadCall.shownEmoji))
    #expect(say(.start, "d") == .changed)
    #expect(call?.id == "d")
    #expect(say(.decline, "d") == .changed)
    #expect(call == nil)
  }

  @Test func titleCannotTurnTheWritingDirection() {
    #expect(SquadCall.shown("\u{202E}txt.exe\u{2066} 👩‍🚀") == "txt.exe 👩‍🚀")
  }

  // MARK: Log and figures

  @Test func logKeepsTheNewestEntries() {
    var log = SquadLog()
    for number in 1...SquadLimits.logEntries { log.add(.app, "\(number)") }
    #expect(log.entries.count == SquadLimits.logEntries && log.entries.first?.text == "1")
    log.add(.fromPage, "last")
    #expect(log.entries.count == SquadLimits.logEntries && log.entries.first?.text == "2")
    #expect(log.entries.last?.line == "← last")
  }

  @Test func logShowsValuesAsPeopleReadThem() {
    #expect(
      SquadLog.text(["type": "state", "data": [1, 2.5, true, nil, "x"]])
        == #"{type: "state", data: [1, 2.5, true, null, "x"]}"#)
    #expect(SquadLog.text(.string(String(repeating: "x", count: 500))).count == SquadLimits.logTextLength + 1)
    var deep: WireValue = 1
    for _ in 0..<2_000 { deep = [deep] }
    #expect(SquadLog.text(deep).count < 40)
  }

  @Test func residentPagesAreReadAndShown() throws {
    #expect(SquadMemory.resident(statm: "100 25 7 1 0 9 0", pageSize: 4_096) == 102_400)
    #expect(SquadMemory.resident(statm: "", pageSize: 4_096) == nil)
    #expect(SquadMemory.text(102_400) == "0.1 MB")
    #expect(try #require(SquadMemory.resident()) > 1_048_576)
  }

  @Test func stopwatchMeasuresOnItsClock() {
    let clock = ManualClock()
    var watch = SquadStopwatch(SteppedClock(clock))
    func stop() -> Duration? { watch.stop() }
    #expect(stop() == nil)
    watch.start()
    clock.advance(by: .milliseconds(1_500))
    #expect(stop() == .milliseconds(1_500))
    #expect(stop() == nil)
  }

  // MARK: Layout

  @Test func partsHaveTheirPlaceOnAPhone() throws {
    let insets = WebEdgeInsets(top: 47, left: 0, bottom: 34, right: 0)
    let layout = SquadLayout(
      size: CGSize(width: 390, height: 844), insets: insets, isWindow: false, isTablet: false)
    #expect(layout.content == CGRect(x: 0, y: 91, width: 390, height: 659))
    let bar = try #require(layout.bar)
    #expect(Double(bar.origin.y) == 750 && Double(bar.size.height) == 60)
    let panel = try #require(layout.panel)
    #expect(Double(panel.origin.y + panel.size.height) == 750)
  }

  @Test(arguments: [(0.0, 0.0), (1, 1), (30, 200), (200, 30), (844, 390)])
  func noScreenIsTooSmall(width: Double, height: Double) {
    let layout = SquadLayout(
      size: CGSize(width: width, height: height), insets: .zero, isWindow: false, isTablet: false)
    for frame in [layout.content, layout.notice, layout.bar ?? .zero, layout.panel ?? .zero] {
      #expect(Double(frame.size.width) >= 0 && Double(frame.size.height) >= 0)
    }
  }
}
