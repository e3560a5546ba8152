import Foundation
import LoadGenerator
import Synchronization

/// What a process that does a part of a run says on its standard output, one a line.
enum LoadPartLine {
  static let connected = "connected"
  static let drained = "drained"
  static let progress = "progress "
  static let report = "report "
  /// What it is told on its standard input.
  static let goOn = "go"
  static let stop = "stop"
}

/// Lines that come from a pipe, on a thread of their own, for reading waits.
enum PipeLines {
  static func of(_ file: FileHandle) -> AsyncStream<String> {
    let (stream, continuation) = AsyncStream<String>.makeStream()
    Thread.detachNewThread {
      var rest = Data()
      while case let data = file.availableData, !data.isEmpty {
        rest += data
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
          rest = Data(rest[(end + 1)...])
        }
      }
      continuation.finish()
    }
    return stream
  }
}

/// A part of a run: waits for the process that started it.
actor LoadPartGuide {
  private var waiting: CheckedContinuation<Void, Never>?
  private var steps = 0
  private var isOver = false

  /// Obeys what comes on standard input; its end means that the other process is gone.
  func obey(_ stop: LoadStop) async {
    for await line in PipeLines.of(.standardInput) {
      if line == LoadPartLine.stop { stop() } else { step() }
    }
    isOver = true
    stop()
    step()
  }

  /// Says where this process stands and waits to be told to go on.
  func wait(_ line: String) async {
    Console.line(line)
    guard steps == 0, !isOver else {
      steps = max(0, steps - 1)
      return
    }
    await withCheckedContinuation { waiting = $0 }
  }

  private func step() {
    if let waiting {
      self.waiting = nil
      waiting.resume()
    } else {
      steps += 1
    }
  }
}

/// The processes that do the parts of a run, from their start to the common report.
@MainActor
final class LoadParts {
  private var parts: [Part] = []
  private let live: LiveLine

  private struct Part {
    let process: Process
    let input: FileHandle
    var progress: LoadProgress?
    var report: LoadReport?
    var isDone = false
  }

  private enum Event: Sendable {
    case line(part: Int, String)
    case ended(part: Int)
  }

  init(live: LiveLine) {
    self.live = live
  }

  /// Ends the traffic of all before its time.
  func stop() {
    tell(LoadPartLine.stop)
  }

  func run(_ arguments: [[String]]) async throws -> LoadReport {
    let (stream, continuation) = AsyncStream<Event>.makeStream()
    defer { end() }
    for (index, words) in arguments.enumerated() {
      let (process, input, output) = (Process(), Pipe(), Pipe())
      process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      process.arguments = words
      process.standardInput = input
      process.standardOutput = output
      try process.run()
      parts.append(Part(process: process, input: input.fileHandleForWriting))
      let lines = PipeLines.of(output.fileHandleForReading)
      Task {
        for await line in lines { continuation.yield(.line(part: index, line)) }
        continuation.yield(.ended(part: index))
      }
    }
    var standing = 0
    for await event in stream {
      switch event {
      case .line(_, LoadPartLine.connected), .line(_, LoadPartLine.drained):
        // All do both steps, and none takes the second before all have taken the first.
        standing += 1
        if standing % parts.count == 0 { tell(LoadPartLine.goOn) }
      case .line(let index, let text):
        try take(text, from: index)
      case .ended(let index):
        parts[index].isDone = true
        guard parts[index].report != nil else {
          throw CommandError("a process of the run ended before its report")
        }
        if parts.allSatisfy(\.isDone) { continuation.finish() }
      }
    }
    guard let report = LoadReport.merged(parts.compactMap(\.report)) else {
      throw CommandError("no process of the run has reported")
    }
    return report
  }

  private func take(_ text: String, from index: Int) throws {
    if text.hasPrefix(LoadPartLine.progress) {
      let json = Data(text.dropFirst(LoadPartLine.progress.count).utf8)
      parts[index].progress = try JSONDecoder().decode(LoadProgress.self, from: json)
      if index == 0, let all = LoadProgress.merged(parts.compactMap(\.progress)) { live.show(all) }
    } else if text.hasPrefix(LoadPartLine.report) {
      parts[index].report = try LoadReport(json: String(text.dropFirst(LoadPartLine.report.count)))
    }
  }

  private func tell(_ line: String) {
    // One that is gone cannot be told; its end is noticed by itself.
    for part in parts where !part.isDone { try? part.input.write(contentsOf: Data((line + "\n").utf8)) }
  }

  /// Closes the inputs, whereupon those that still run end.
  private func end() {
    for part in parts { try? part.input.close() }
  }
}
