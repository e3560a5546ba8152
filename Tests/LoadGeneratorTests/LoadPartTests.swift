import Foundation
import Testing

@testable import LoadGenerator

@Suite struct LoadPartTests {
  private func options(_ change: (inout LoadOptions) -> Void) -> LoadOptions {
    var options = LoadOptions()
    change(&options)
    return options
  }

  @Test func oneProcessDoesWhatItsFilesAllow() throws {
    let options = options { $0.pages = 743 }
    // With the host and what else is open: exactly the limit, then one less.
    #expect(try SystemLimits.processes(for: options, ownsRelay: false, limit: 1_000) == 1)
    #expect(try SystemLimits.processes(for: options, ownsRelay: false, limit: 999) == 2)
  }

  @Test func aRelayOfItsOwnMovesTheLoadOut() throws {
    let options = options { $0.pages = 743 }
    #expect(try SystemLimits.processes(for: options, ownsRelay: true, limit: 1_744) == 1)
    #expect(try SystemLimits.processes(for: options, ownsRelay: true, limit: 1_743) == 2)
    #expect(try SystemLimits.processes(for: options, ownsRelay: true, limit: 1_000) == 2)
    let error = #expect(throws: LoadError.self) {
      try SystemLimits.processes(for: options, ownsRelay: true, limit: 999)
    }
    #expect(error?.code == .systemLimit && error?.context.contains("ulimit -Hn") == true)
  }

  @Test func moreProcessesThanThereAreAddressesAreRefused() throws {
    let options = options { $0.pages = 23_999 }
    #expect(try SystemLimits.processes(for: options, ownsRelay: false, limit: 1_006) == 32)
    #expect(throws: LoadError.self) {
      try SystemLimits.processes(for: options, ownsRelay: false, limit: 1_005)
    }
  }

  @Test func sessionsOfAForeignRelayTakeTwoFiles() throws {
    let options = options {
      $0.pages = 500
      $0.foreign = ForeignRelay(pageURL: "ws://h/p", hostURL: "ws://h/h")
    }
    #expect(try SystemLimits.processes(for: options, ownsRelay: false, limit: 1_256) == 1)
    #expect(try SystemLimits.processes(for: options, ownsRelay: false, limit: 1_255) == 2)
  }

  @Test func partsHaveNumbersAndAddressesOfTheirOwn() {
    #expect(LoadPart().loopbackAddress(0) == nil && LoadPart().loopbackAddress(1) == "127.0.0.2")
    let last = LoadPart(index: LoadPart.countRange.upperBound - 1)
    #expect(last.loopbackAddress(1) == "127.0.0.250" && last.loopbackAddress(2) == "127.0.1.1")
    #expect(last.firstPage > LoadOptions.pagesRange.upperBound && last.firstPage < 1 << 32)
  }

  @Test func reportsOfPartsAddUp() throws {
    var histograms = [Histogram(), Histogram()]
    for value in 1...1_000 { histograms[value % 3 == 0 ? 0 : 1].record(UInt64(value) * 1_000) }
    var all = Histogram()
    for histogram in histograms { all.merge(histogram) }
    var parts: [LoadReport] = []
    for (index, histogram) in histograms.enumerated() {
      let options = options {
        $0.pages = 10 + index
        $0.hosts = 1 - index
      }
      var recorder = LoadRecorder(options: options)
      recorder.trafficBegins()
      recorder.trafficEnds()
      var tally = LoadTally(roundTrips: histogram)
      tally.messages = 100
      tally.lost = UInt64(index)
      recorder.finish(tally, Histogram(), 5)
      parts.append(try LoadReport(json: recorder.report(isInterrupted: false).json))
    }
    let report = try #require(LoadReport.merged(parts))
    #expect(report.pages == 21 && report.hosts == 1 && report.messages == 200 && report.lost == 1)
    #expect(!report.isClean)
    #expect(report.roundTrip.count == 1_000 && report.roundTrip.max == 1_000)
    #expect(report.roundTrip.p50 == LoadReport.Latency(all).p50)
    #expect(report.roundTrip.p99 == LoadReport.Latency(all).p99)
    #expect(report.samples.first?.pages == 10)
    #expect(LoadReport.merged([]) == nil)
  }
}
