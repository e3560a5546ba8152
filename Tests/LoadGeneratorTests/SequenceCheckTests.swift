import Testing

@testable import LoadGenerator

@Suite struct SequenceCheckTests {
  private func check(_ numbers: [Int]) -> SequenceCheck {
    var check = SequenceCheck()
    for number in numbers { check.accept(number) }
    return check
  }

  @Test func numbersInOrderAreClean() {
    let check = check([1, 2, 3, 4])
    #expect(check.lost == 0 && check.doubled == 0 && check.reordered == 0)
  }

  @Test func aSkippedNumberIsLost() {
    #expect(check([1, 2, 4, 5]).lost == 1)
  }

  @Test func aRepeatedNumberIsDoubled() {
    #expect(check([1, 2, 2, 1]).doubled == 2)
  }

  @Test func aLateNumberIsReorderedAndNotLost() {
    let check = check([1, 3, 2, 4])
    #expect(check.reordered == 1 && check.lost == 0)
  }
}

@Suite struct HistogramTests {
  @Test func quantilesAreWithinTheirError() {
    var histogram = Histogram()
    for value in 1...10_000 { histogram.record(UInt64(value) * 1_000) }
    for quantile in [0.01, 0.5, 0.9, 0.99, 1.0] {
      let exact = quantile * 10_000_000
      #expect(abs(Double(histogram.value(at: quantile)) - exact) <= exact * 0.016 + 1_000)
    }
    #expect(histogram.maximum == 10_000_000)
  }

  @Test func emptyHistogramAnswersZero() {
    #expect(Histogram().value(at: 0.5) == 0)
  }

  @Test func extremesHaveABucket() {
    var histogram = Histogram()
    histogram.record(0)
    histogram.record(.max)
    #expect(histogram.value(at: 0.1) == 0)
    #expect(histogram.value(at: 1) == .max)
  }

  @Test func mergedHistogramsAddUp() {
    var first = Histogram()
    var second = Histogram()
    first.record(10)
    second.record(20)
    first.merge(second)
    #expect(first.count == 2)
    #expect(first.value(at: 1) == 20)
  }
}

@Suite struct EchoBodyTests {
  @Test func bodiesDifferByPageAndNumberAndNameTheirNumber() {
    let body = EchoBody(page: 3, number: 41, fillerBytes: 64).bytes
    #expect(body == EchoBody(page: 3, number: 41, fillerBytes: 64).bytes)
    #expect(body != EchoBody(page: 4, number: 41, fillerBytes: 64).bytes)
    #expect(EchoBody.number(in: body[...]) == 41)
  }
}
