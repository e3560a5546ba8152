import Testing

@testable import WebSocketTransport

@Suite struct AcceptBudgetTests {
  private let start = ContinuousClock.now

  @Test(arguments: [(2, false), (3, true), (4, true)])
  func oneMoreThanTheCountHasToWait(taken: Int, rests: Bool) {
    var budget = AcceptBudget(count: 3, interval: .seconds(1))
    for _ in 0..<taken { budget.take(at: start) }
    #expect((budget.rest(at: start) != nil) == rests)
  }

  @Test func theRestEndsWithTheInterval() {
    var budget = AcceptBudget(count: 1, interval: .seconds(1))
    budget.take(at: start)
    #expect(budget.rest(at: start) == .seconds(1))
    #expect(budget.rest(at: start + .milliseconds(400)) == .milliseconds(600))
    #expect(budget.rest(at: start + .seconds(1)) == nil)
    budget.take(at: start + .seconds(1))
    #expect(budget.rest(at: start + .seconds(1)) == .seconds(1))
  }

  @Test func aQuietTimeSavesNothingUp() {
    var budget = AcceptBudget(count: 2, interval: .seconds(1))
    budget.take(at: start)
    let later = start + .seconds(9)
    budget.take(at: later)
    #expect(budget.rest(at: later) == nil)
    budget.take(at: later)
    #expect(budget.rest(at: later) == .seconds(1))
  }
}
