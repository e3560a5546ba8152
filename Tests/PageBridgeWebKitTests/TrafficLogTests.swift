import Testing

@testable import PageBridgeWebKit

@Suite struct TrafficLogTests {
  @Test(arguments: [
    (TrafficLog.keptEntries - 1, 1), (TrafficLog.keptEntries, 1), (TrafficLog.keptEntries + 1, 2),
  ])
  func theOldestEntriesGoBeyondTheLimit(_ count: Int, _ first: Int) {
    var log = TrafficLog()
    for number in 1...count { note("\(number)", in: &log) }
    log.resend()
    let entries = log.takeUnsent()["entries"]?.array ?? []
    #expect(entries.count == min(count, TrafficLog.keptEntries))
    #expect(entries.first?["entry"] == .number(Double(first)))
    #expect(!log.hasUnsent)
  }

  @Test(arguments: [
    (TrafficLog.maxBodyBytes - 1, true), (TrafficLog.maxBodyBytes, true),
    (TrafficLog.maxBodyBytes + 1, false),
  ])
  func aBodyBeyondTheLimitIsCountedButNotKept(_ size: Int, _ isKept: Bool) {
    var log = TrafficLog()
    note(String(repeating: "x", count: size), in: &log)
    #expect(log.takeUnsent()["entries"]?.array?[0]["bytes"] == .number(Double(size)))
    #expect((log.body(of: 1)["body"]?.string?.utf8.count == size) == isKept)
  }

  @Test func theOldestBodiesGoBeyondTheLimitOfAll() {
    var log = TrafficLog()
    let body = String(repeating: "x", count: TrafficLog.maxBodyBytes)
    let kept = TrafficLog.keptBodyBytes / TrafficLog.maxBodyBytes
    for _ in 0..<kept { note(body, in: &log) }
    #expect(log.body(of: 1)["body"]?.string == body)
    note("y", in: &log)
    #expect(log.body(of: 1)["body"]?.string != body)
    #expect(log.body(of: 2)["body"]?.string == body)
    #expect(log.body(of: kept + 1)["body"]?.string == "y")
    #expect(log.body(of: 999)["body"]?.string == "(no longer kept)")
  }

  @Test func aPausedLogNotesNothing() {
    var log = TrafficLog()
    log.isPaused = true
    note("a", in: &log)
    #expect(!log.hasUnsent)
    log.isPaused = false
    note("b", in: &log)
    #expect(log.takeUnsent()["entries"]?.array?.count == 1)
  }

  private func note(_ body: String, in log: inout TrafficLog) {
    log.note(.toHost, name: "log", kind: "message", body: Array(body.utf8), time: 0)
  }
}

@Suite struct ContentLibraryTests {
  private let blank = ServedContent(bytes: [], contentType: "text/html")

  @Test(arguments: [
    (ContentLibrary.keptResources - 1, true), (ContentLibrary.keptResources, true),
    (ContentLibrary.keptResources + 1, false),
  ])
  func theOldestResourceGoesBeyondTheLimit(_ count: Int, _ isKept: Bool) {
    var library = ContentLibrary()
    for number in 1...count {
      library.serve(ServedContent(bytes: [UInt8(number)], contentType: "text/plain"), at: "/html/\(number)")
    }
    guard case .bytes(let last) = library.find("/html/\(count)?q#f", blank: blank) else {
      return #expect(Bool(false))
    }
    #expect(last.bytes == [UInt8(count)])
    if case .bytes = library.find("/html/1", blank: blank) { #expect(isKept) } else { #expect(!isKept) }
  }

  @Test func addressesOfTheAppAndOfTheBrowserBelongTogether() throws {
    var served = ServedAddresses()
    let base = try #require(URL(string: "https://www.example.com/a?b"))
    let path = served.add(base)
    #expect(served.url(of: path) == base)
    #expect(served.url(of: path + "#part")?.absoluteString == "https://www.example.com/a?b#part")
    #expect(served.url(of: "/")?.absoluteString == "about:blank")
    #expect(served.url(of: "/other") == nil)
    let folder = URL(fileURLWithPath: "/tmp/www", isDirectory: true)
    let prefix = served.add(folder: folder)
    #expect(served.add(folder: folder) == prefix)
    #expect(served.url(of: prefix + "a%20b/c.html?x#y")?.absoluteString == "file:///tmp/www/a%20b/c.html?x#y")
  }
}

@Suite struct HostEventsTests {
  @Test func linesOfManyThreadsAreWholeAndEachThreadsInOrder() async throws {
    let file = TemporaryFile()
    let events = HostEvents(file: file.url)
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<8 {
        group.addTask {
          for number in 0..<200 {
            events.record("state", ["thread": .number(Double(thread)), "number": .number(Double(number))])
          }
        }
      }
    }
    await events.flush()
    let lines = try file.events()
    #expect(lines.count == 1_600)
    for thread in 0..<8 {
      let numbers = lines.filter { $0["thread"] == .number(Double(thread)) }.compactMap {
        $0["number"]?.number
      }
      #expect(numbers == (0..<200).map(Double.init))
    }
  }

  @Test func anEventKeepsTheOrderOfItsMembers() async throws {
    let file = TemporaryFile()
    let events = HostEvents(file: file.url)
    events.record("frame", ["x": 1, "y": 2.5], session: "s")
    await events.flush()
    let names = try #require(try file.events()[0].object).map(\.name)
    #expect(names == ["time", "event", "session", "x", "y"])
  }

  @Test func withoutAFileNothingIsKept() async {
    let events = HostEvents(file: nil)
    #expect(!events.isRecording)
    events.record("state")
    await events.flush()
  }
}
