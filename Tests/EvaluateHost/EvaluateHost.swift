import Foundation
import PageBridgeWebKit
import WebSocketTransport

/// Measures what an evaluate costs a host that is built on the public library, and how long it takes.
///
/// It waits for so many pages of its app, evaluates a small script in all of them, one at a time in each, and prints one line of JSON.
/// Given the address of a browser's DevTools socket it does the same over that, in turns, on the same page.
@main
struct EvaluateHost {
  @MainActor
  static func main() async throws {
    guard let options = EvaluateOptions(Array(CommandLine.arguments.dropFirst())) else {
      let usage = "--relay URL --app NAME --pages N --count N [--script TEXT] [--devtools yes --rounds N]"
      FileHandle.standardError.write(Data("usage: EvaluateHost \(usage)\n".utf8))
      exit(64)
    }
    let views = try await views(options)
    FileHandle.standardOutput.write(Data("ready\n".utf8))
    if options.hasDevTools {
      guard let address = readLine() else { exit(1) }
      try await race(views[0], options, address: address)
    } else {
      _ = readLine()
      try await measure(views, options)
    }
    exit(0)
  }

  /// The views of the first pages that come.
  @MainActor
  private static func views(_ options: EvaluateOptions) async throws -> [WKWebView] {
    let (stream, continuation) = AsyncStream<WKWebView>.makeStream()
    let host = WebViewHost(app: options.app, relay: options.relay)
    Task {
      try await host.run { _ in
        let view = WKWebView(frame: .zero, configuration: WKWebViewConfiguration())
        continuation.yield(view)
        return view
      }
    }
    var views: [WKWebView] = []
    for await view in stream {
      views.append(view)
      if views.count == options.pages { break }
    }
    // Each has answered once before anything counts.
    for view in views { _ = try await view.evaluateJavaScript(options.script(1)) }
    return views
  }

  @MainActor
  private static func measure(_ views: [WKWebView], _ options: EvaluateOptions) async throws {
    let start = Moment()
    var times: [UInt64] = []
    times.reserveCapacity(views.count * options.count)
    let tasks = views.map { view in
      Task { @MainActor in
        var times: [UInt64] = []
        for number in 0..<options.count {
          let sent = DispatchTime.now().uptimeNanoseconds
          _ = try await view.evaluateJavaScript(options.script(number + 2))
          times.append(DispatchTime.now().uptimeNanoseconds - sent)
        }
        return times
      }
    }
    for task in tasks { times += try await task.value }
    let spent = start.spent
    print(
      """
      {"evaluates":\(times.count),"seconds":\(spent.seconds),"cpuPerEvaluate":\(spent.cpu * 1e6 / Double(times.count)),\
      "p50":\(quantile(times, 0.5)),"p99":\(quantile(times, 0.99))}
      """)
  }

  /// Both ways on one page, a batch of each in turn.
  @MainActor
  private static func race(_ view: WKWebView, _ options: EvaluateOptions, address: String) async throws {
    let tools = try DevTools(address)
    try await tools.connect()
    var bridge: [UInt64] = []
    var devTools: [UInt64] = []
    for _ in 0..<options.rounds {
      for number in 0..<options.count {
        let sent = DispatchTime.now().uptimeNanoseconds
        _ = try await view.evaluateJavaScript(options.script(number))
        bridge.append(DispatchTime.now().uptimeNanoseconds - sent)
      }
      for number in 0..<options.count {
        let sent = DispatchTime.now().uptimeNanoseconds
        _ = try await tools.evaluate(options.script(number))
        devTools.append(DispatchTime.now().uptimeNanoseconds - sent)
      }
    }
    print(
      """
      {"bridge":{"p50":\(quantile(bridge, 0.5)),"p99":\(quantile(bridge, 0.99))},\
      "devTools":{"p50":\(quantile(devTools, 0.5)),"p99":\(quantile(devTools, 0.99))}}
      """)
  }

  /// In microseconds.
  private static func quantile(_ times: [UInt64], _ share: Double) -> Double {
    let sorted = times.sorted()
    guard !sorted.isEmpty else { return 0 }
    return Double(sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]) / 1_000
  }

  /// A time, and the processor time that this process had used.
  private struct Moment {
    private let time = DispatchTime.now().uptimeNanoseconds
    private let cpu = Self.processorTime

    var spent: (seconds: Double, cpu: Double) {
      (
        Double(DispatchTime.now().uptimeNanoseconds - time) / 1e9,
        Double(Self.processorTime - cpu) / 1e9
      )
    }

    private static var processorTime: UInt64 {
      var time = timespec()
      clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
      return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
  }
}

/// The command line.
struct EvaluateOptions: Sendable {
  var relay: URL
  var app: String
  var pages: Int
  var count: Int
  var rounds: Int
  /// Whether the address of a DevTools socket comes as a line of input.
  var hasDevTools: Bool
  private var source: String?

  init?(_ arguments: [String]) {
    var values: [String: String] = [:]
    var rest = arguments[...]
    while let name = rest.popFirst() {
      guard name.hasPrefix("--"), let value = rest.popFirst() else { return nil }
      values[String(name.dropFirst(2))] = value
    }
    guard let relay = values["relay"].flatMap(URL.init(string:)), let app = values["app"],
      let pages = values["pages"].flatMap(Int.init), pages > 0,
      let count = values["count"].flatMap(Int.init), count > 0
    else { return nil }
    self.relay = relay
    self.app = app
    self.pages = pages
    self.count = count
    rounds = values["rounds"].flatMap(Int.init) ?? 1
    hasDevTools = values["devtools"] == "yes"
    source = values["script"]
  }

  /// Without a script of its own, what simulated pages understand: an object that is its own value.
  func script(_ number: Int) -> String {
    source ?? "({\"page\":0,\"number\":\(number)})"
  }
}
