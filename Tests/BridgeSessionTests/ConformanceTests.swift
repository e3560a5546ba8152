import BridgeProtocol
import BridgeSession
import Foundation
import Testing

/// The library's own page leads the conversations that every implementation of a page has to lead: Tests/Conformance.
@Suite struct ConformanceTests {
  @Test(arguments: try Conversation.cases())
  func pageLeadsTheConversation(_ conversation: Conversation) throws {
    var runner = Runner()
    for step in conversation.steps { try runner.take(step) }
    #expect(runner.said == [])
  }
}

/// One case of the file.
struct Conversation: Sendable, CustomTestStringConvertible {
  let name: String
  let steps: [WireValue]
  var testDescription: String { name }

  static func cases() throws -> [Conversation] {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Conformance/page.json")
    let cases = try WireValue(json: try Data(contentsOf: file))
    return (cases.array ?? []).map {
      Conversation(name: $0["name"]?.string ?? "", steps: $0["steps"]?.array ?? [])
    }
  }
}

/// Speaks for relay and host, and keeps what the page says.
private struct Runner {
  private var page = PageSession(PageSession.Hello(app: "test", document: "document"))
  private var attach = 0
  /// What the page said and nobody has looked at, without acknowledgements, in the words of the cases.
  private(set) var said: [WireValue] = []
  private var counters: WireValue = [:]
  private var got: [WireValue] = []

  mutating func take(_ step: WireValue) throws {
    guard let kind = step.object?.first else { throw Unknown(step: step) }
    let given = kind.value
    switch kind.name {
    case "attach": try attachPage()
    case "sync":
      let before = given["attachBefore"]?.number ?? 0
      let sync: WireValue = [
        "attach": .number(Double(attach) - before), "document": "document", "epoch": given["epoch"] ?? "",
        "base": given["base"] ?? 1, "received": given["received"] ?? 0, "carried": 0,
      ]
      try receive(["sync": sync])
    case "host": try receive(given)
    case "call":
      let number = Int(given.number ?? 0)
      try receive([
        "n": step["n"] ?? 0, "a": step["a"] ?? 0, "d": step["d"] ?? 0, "id": .string("c-\(number)"),
        "method": "evaluate", "params": ["source": .string("take(\(number))")],
      ])
    case "post":
      var writer = JSONWriter()
      try writer.value(given)
      try run(try page.post(handler: "echo", body: writer.bytes))
    case "page":
      #expect(said.first == given)
      if !said.isEmpty { said.removeFirst() }
    case "acknowledged":
      try run(page.acknowledge())
      #expect(counters == given)
    case "got": #expect(.array(got) == given)
    default: throw Unknown(step: step)
    }
  }

  private struct Unknown: Error {
    let step: WireValue
  }

  private mutating func attachPage() throws {
    attach += 1
    let number = WireValue.number(Double(attach))
    if attach == 1 {
      let detail: WireValue = [
        "session": "s", "key": "k", "document": "document", "host": "attached", "attach": number,
      ]
      try receive(["welcome", detail])
      // What an implementation knows at its start is its own affair.
      said = []
    } else {
      try receive(["host", "attached", ["attach": number]])
    }
  }

  private mutating func receive(_ value: WireValue) throws {
    var writer = JSONWriter()
    try writer.value(value)
    try run(try page.receive(writer.bytes))
  }

  private mutating func run(_ actions: [PageSession.Action]) throws {
    for action in actions {
      switch action {
      case .send(let text): try note(try WireValue(json: text))
      case .deliver(let envelope, let number):
        guard let id = envelope.id, let params = envelope.params,
          let source = try WireValue(json: params)["source"]?.string
        else { continue }
        let digits = String(source.filter(\.isNumber))
        got.append(.number(Double(digits) ?? -1))
        try run(try page.answer(id, result: Array(digits.utf8)))
        try run(page.done(number))
      case .acknowledgeLater, .welcomed, .waiting, .synced, .hostArrived, .hostAway, .hostEnded, .replaced,
        .alive,
        .failed:
        break
      }
    }
  }

  /// Puts what the page said into the words of the cases.
  private mutating func note(_ value: WireValue) throws {
    if let a = value["a"], let d = value["d"] { counters = ["a": a, "d": d] }
    if let sync = value["sync"] {
      said.append(["sync": ["base": sync["base"] ?? .null, "received": sync["received"] ?? .null]])
      return
    }
    guard let number = value["n"] else { return }
    var members = [WireValue.Member("n", number)]
    if value["method"] == "message" {
      members.append(.init("body", value["params"]?["body"] ?? .null))
    } else {
      members.append(.init("result", value["result"] ?? .null))
    }
    if let again = value["again"] { members.append(.init("again", again)) }
    said.append(.object(members))
  }
}
