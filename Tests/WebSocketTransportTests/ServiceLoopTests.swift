import Testing

@testable import WebSocketTransport

@Suite(.timeLimit(.minutes(1)))
struct ServiceLoopTests {
  @Test func performsInOrder() async throws {
    let loop = try ServiceLoop(name: "a name of more than fifteen bytes")
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    for index in 0..<1_000 { loop.perform { continuation.yield(index) } }
    loop.perform { continuation.finish() }
    var expected = 0
    for await index in stream {
      #expect(index == expected)
      expected += 1
    }
    #expect(expected == 1_000)
    loop.stop()
  }

  @Test func schedulesByTimeAndCancels() async throws {
    let loop = try ServiceLoop(name: "timers")
    let (stream, continuation) = AsyncStream<String>.makeStream()
    loop.schedule(after: .milliseconds(40)) {
      continuation.yield("late")
      continuation.finish()
    }
    let token = loop.schedule(after: .milliseconds(20)) { continuation.yield("cancelled") }
    loop.schedule(after: .milliseconds(10)) { continuation.yield("early") }
    token.cancel()
    var order: [String] = []
    for await name in stream { order.append(name) }
    #expect(order == ["early", "late"])
    loop.stop()
  }

  @Test func dropsWorkAfterStopping() throws {
    let loop = try ServiceLoop(name: "stopped")
    loop.stop()
    loop.perform { Issue.record("ran after the end") }
    loop.schedule(after: .zero) { Issue.record("fired after the end") }.cancel()
  }

  @Test func stopsFromItsOwnThread() async throws {
    let loop = try ServiceLoop(name: "own")
    await withCheckedContinuation { done in
      loop.perform {
        loop.stop()
        done.resume()
      }
    }
    loop.stop()
  }

  @Test func endsWithItsLastReference() async throws {
    var loop: ServiceLoop? = try ServiceLoop(name: "forgotten")
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    loop?.perform { continuation.finish() }
    loop = nil
    for await _ in stream {}
  }

  @Test func raisesTheDescriptorLimitButNeverLowersIt() {
    let present = Descriptors.raiseLimit(to: 0)
    #expect(Descriptors.raiseLimit(to: present) == present)
    #expect(Descriptors.raiseLimit(to: 10) == present)
  }
}
