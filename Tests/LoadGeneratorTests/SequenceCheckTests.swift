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

@Suite struct MessageBodyTests {
  private func bodies(_ change: (inout LoadOptions) -> Void = { _ in }) -> MessageBodies {
    var options = LoadOptions()
    change(&options)
    return MessageBodies(options)
  }

  @Test func bodiesDifferByPageAndNumberAndNameTheirNumber() {
    let body = bodies().bytes(page: 3, number: 41)
    #expect(body == bodies().bytes(page: 3, number: 41))
    #expect(body != bodies().bytes(page: 4, number: 41))
    let mark = MessageMark(body[...])
    #expect(mark?.page == 3 && mark?.number == 41 && mark?.wantsScript == false)
  }

  @Test func sizesAreUsedInTurn() {
    let bodies = bodies { $0.bodyBytes = [0, 1_000] }
    #expect(bodies.bytes(page: 1, number: 2).count < 100)
    #expect(bodies.bytes(page: 1, number: 3).count > 1_000)
  }

  @Test func givenValuesArePostedAsTheyAre() {
    let bodies = bodies { $0.bodyValues = [#"{"type":"init"}"#, "[1]"] }
    #expect(
      String(decoding: bodies.bytes(page: 1, number: 3), as: UTF8.self)
        == #"{"page":1,"number":3,"value":[1]}"#)
  }

  @Test func aPlayersToggleIsAnsweredByAScript() {
    let bodies = bodies { $0.mode = .mix }
    #expect(MessageMark(bodies.bytes(page: 1, number: 5)[...])?.wantsScript == true)
    #expect(MessageMark(bodies.bytes(page: 1, number: 6)[...])?.wantsScript == false)
  }

  @Test(arguments: ["", "{}", #"{"page":1}"#, #"{"page":x,"number":1"#, #"{"page":1,"number":}"#])
  func otherBodiesHaveNoMark(text: String) {
    #expect(MessageMark(Array(text.utf8)[...]) == nil)
  }
}
