import Testing

@testable import BrowserHost

@MainActor
struct ChannelTests {
  @Test func eachListenerHearsWhatIsSentWhileItListens() async {
    let channel = Channel<Int>()
    #expect(channel.send(0) == 0)
    var first = channel.values().makeAsyncIterator()
    #expect(channel.send(1) == 1)
    var second = channel.values().makeAsyncIterator()
    #expect(channel.send(2) == 2)
    #expect(await first.next() == 1)
    #expect(await first.next() == 2)
    #expect(await second.next() == 2)
  }

  @Test func cancelledListenerIsForgotten() async {
    let channel = Channel<Int>()
    let stream = channel.values()
    let task = Task { for await _ in stream {} }
    task.cancel()
    await task.value
    #expect(channel.send(1) == 0)
  }

  @Test func limitIsExact() {
    let channel = Channel<Int>()
    let stream = channel.values()
    for number in 1...Channel<Int>.limit { #expect(channel.send(number) == 1) }
    #expect(channel.send(0) == 0)
    withExtendedLifetime(stream) {}
  }
}
