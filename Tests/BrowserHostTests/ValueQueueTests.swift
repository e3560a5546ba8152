import Testing

@testable import BrowserHost

struct ValueQueueTests {
  @Test func valuesWaitInOrderUntilThePageIsThere() {
    var queue = ValueQueue()
    #expect(queue.add("a") == .wait)
    #expect(queue.add("b") == .wait)
    #expect(queue.open() == ["a", "b"])
    #expect(queue.add("c") == .deliver("c"))
    #expect(queue.open() == [])
    queue.close()
    #expect(queue.add("d") == .wait)
    #expect(queue.waiting == ["d"])
  }

  @Test func limitIsExact() {
    var queue = ValueQueue()
    for number in 1..<ValueQueue.limit { #expect(queue.add("\(number)") == .wait) }
    #expect(queue.waiting.count == ValueQueue.limit - 1)
    #expect(queue.add("last") == .wait)
    #expect(queue.add("one too many") == .refuse)
    #expect(queue.waiting.last == "last")
    #expect(queue.open().count == ValueQueue.limit)
    #expect(queue.add("again") == .deliver("again"))
  }
}
