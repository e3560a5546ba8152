import Foundation
import LoadGenerator

/// The options of `pagebridge load`.
struct LoadCommandOptions: Equatable, Sendable {
  var pages: Int
  var hosts: Int
  var mode: LoadMode
  var seconds: Double
  var ramp: Double
  var drain: Double
  var sizes: [Int]
  var messages: URL?
  var depth: Int?
  var rate: Double?
  var churn: Double
  var cuts: Double
  var handler: String
  var processID: Int?
  var printsJSON: Bool
  var jsonFile: URL?
  var reportFile: URL?
  /// Nil for a relay in this process.
  var relay: URL?
  var app: String
  var foreign: ForeignRelay?
  /// Nil for as many as the system's limits ask for.
  var processes: Int?
  /// Set in a process that does a part of a run for another one.
  var part: Int?

  static let pagesOption = CommandLineOption(
    "pages", "N", help: "simulated pages (default: 100); 0 for hosts alone, against real pages")
  static let hostsOption = CommandLineOption(
    "hosts", "M", help: "simulated hosts (default: 1); 0 for pages alone, against a real host")
  static let modeOption = CommandLineOption(
    "mode", "MODE",
    help:
      "echo: each page posts when its answer has come; rate: at a fixed rate, times count from when a message was "
      + "due; flood: without answers, as much as the window takes; idle: now and then; evaluate: hosts evaluate "
      + "scripts; mix: a video player's traffic (default: echo)")
  static let secondsOption = CommandLineOption("seconds", "S", help: "how long traffic flows (default: 10)")
  static let rampOption = CommandLineOption(
    "ramp", "S", help: "connect the pages over so many seconds (default: as fast as they can)")
  static let drainOption = CommandLineOption(
    "drain", "S", help: "how long what is under way may take after the traffic (default: 10)")
  static let sizeOption = CommandLineOption(
    "size", "BYTES",
    help: "bytes of text in each message; several sizes with commas are used in turn (default: 64)")
  static let messagesOption = CommandLineOption(
    "messages", "FILE", help: "post the JSON values of this file in turn, one a line, in place of text")
  static let depthOption = CommandLineOption(
    "depth", "N",
    help: "messages or scripts that each page has under way at once (default: 1, in a flood 512)")
  static let rateOption = CommandLineOption(
    "rate", "R",
    help:
      "messages a second of all pages together, for rate and idle (default: one a page and second; idle: a tenth)"
  )
  static let churnOption = CommandLineOption(
    "churn", "R", help: "so many pages a second leave and are replaced (default: 0)")
  static let cutsOption = CommandLineOption(
    "cuts", "R", help: "so many sockets a second are cut without a word; nothing may be lost (default: 0)")
  static let handlerOption = CommandLineOption(
    "handler", "NAME", help: "the handler that pages post to (default: echo)")
  static let pidOption = CommandLineOption(
    "pid", "PID", help: "report processor time and memory of this process, for example the relay's")
  static let jsonOption = CommandLineOption(
    "json", "FILE",
    help: "write the figures as one JSON object to a file; - prints them in place of the report")
  static let reportOption = CommandLineOption(
    "report", "FILE", help: "write a page with the figures and charts (HTML) to a file")
  static let relayOption = CommandLineOption(
    "relay", "URL", help: "the relay, for example ws://127.0.0.1:8080 (default: one in this process)")
  static let appOption = CommandLineOption("app", "NAME", help: "the app of pages and hosts (default: load)")

  static let processesOption = CommandLineOption(
    "processes", "N",
    help: "share the pages between so many processes (default: as many as the limit of open files asks for)")
  static let partOption = CommandLineOption(
    "part", "N",
    help: "do a part of another process's run: wait for it on standard input (what --processes starts)")

  static let pageURLOption = CommandLineOption(
    "foreign-page-url", "URL",
    help:
      "put the load on a relay of another make: where a session's page connects, with {index} for its number")
  static let hostURLOption = CommandLineOption(
    "foreign-host-url", "URL", help: "where the host's side of such a session connects")
  static let subprotocolOption = CommandLineOption(
    "foreign-subprotocol", "NAME", help: "the subprotocol that both ask for (default: none)")
  static let pageHelloOption = CommandLineOption(
    "foreign-page-hello", "TEXT",
    help: "what such a page says first, with {index} for its number (default: nothing)")
  static let hostHelloOption = CommandLineOption(
    "foreign-host-hello", "TEXT", help: "what such a host says first (default: nothing)")

  static let all = [
    pagesOption, hostsOption, modeOption, secondsOption, rampOption, drainOption, sizeOption, messagesOption,
    depthOption,
    rateOption, churnOption, cutsOption, handlerOption, pidOption, jsonOption, reportOption,
    relayOption, appOption, processesOption, partOption, pageURLOption, hostURLOption, subprotocolOption,
    pageHelloOption, hostHelloOption,
  ]

  init(_ parsed: ParsedOptions) throws(UsageError) {
    pages = try parsed.count(Self.pagesOption, in: LoadOptions.pagesRange, default: 100)
    hosts = try parsed.count(Self.hostsOption, in: LoadOptions.hostsRange, default: 1)
    mode = try parsed.choice(Self.modeOption, default: .echo)
    seconds = try parsed.seconds(Self.secondsOption, in: LoadOptions.secondsRange, default: 10)
    ramp = try parsed.seconds(Self.rampOption, in: LoadOptions.rampRange, default: 0)
    drain = try parsed.seconds(Self.drainOption, in: LoadOptions.secondsRange, default: 10)
    sizes = try parsed.counts(Self.sizeOption, in: LoadOptions.bodyBytesRange, default: [64])
    messages = try parsed.file(Self.messagesOption)
    if parsed.has(Self.depthOption) {
      depth = try parsed.count(Self.depthOption, in: LoadOptions.depthRange, default: 1)
    }
    if parsed.has(Self.rateOption) {
      rate = try parsed.number(Self.rateOption, in: LoadOptions.rateRange, default: 1)
    }
    churn = try parsed.number(Self.churnOption, in: LoadOptions.churnRange, default: 0)
    cuts = try parsed.number(Self.cutsOption, in: LoadOptions.cutsRange, default: 0)
    handler = parsed.text(Self.handlerOption) ?? "echo"
    guard !handler.isEmpty, handler.utf8.count <= 255 else {
      throw UsageError("--handler needs a name of at most 255 bytes")
    }
    if parsed.has(Self.pidOption) {
      processID = try parsed.count(Self.pidOption, in: 1...Int(Int32.max), default: 1)
    }
    printsJSON = parsed.text(Self.jsonOption) == "-"
    jsonFile = printsJSON ? nil : try parsed.file(Self.jsonOption)
    reportFile = try parsed.file(Self.reportOption)
    if let text = parsed.text(Self.relayOption) { relay = try RelayAddress.url(text) }
    app = try AppName.checked(parsed.text(Self.appOption) ?? "load")
    if parsed.has(Self.processesOption) {
      processes = try parsed.count(Self.processesOption, in: LoadPart.countRange, default: 1)
    }
    if parsed.has(Self.partOption) {
      part = try parsed.count(Self.partOption, in: 0...LoadPart.countRange.upperBound - 1, default: 0)
    }
    switch (parsed.text(Self.pageURLOption), parsed.text(Self.hostURLOption)) {
    case (let page?, let host?):
      foreign = ForeignRelay(pageURL: page, hostURL: host)
      foreign?.subprotocol = parsed.text(Self.subprotocolOption)
      foreign?.pageHello = parsed.text(Self.pageHelloOption)
      foreign?.hostHello = parsed.text(Self.hostHelloOption)
    case (nil, nil): break
    case (_?, nil), (nil, _?):
      throw UsageError("--foreign-page-url and --foreign-host-url belong together")
    }
  }
}
