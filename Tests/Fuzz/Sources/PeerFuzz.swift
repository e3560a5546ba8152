import BridgeProtocol
import BridgeSession

/// An end of a conversation whose peer says anything, line after line: the first byte says which end.
///
/// Lines that begin with a control character are events of this end: a socket goes or comes, something is sent.
enum PeerFuzz {
  private static let document = "document"

  static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
    var input = FuzzInput(bytes)
    if input.number(below: 2) == 0 { host(&input) } else { page(&input) }
  }

  private static func host(_ input: inout FuzzInput) {
    var session = HostSession(session: String(repeating: "s", count: 33), epoch: "epoch--1")
    var last: [String: Int] = [:]
    var attach = 1
    var calls = Set<String>()
    var open = Set<String>()
    func perform(_ actions: [HostSession.Action]) {
      for action in actions {
        switch action {
        case .send(_, let text): expect(text.count <= Limits.maxWireBytes, "a message above the wire's limit")
        case .deliver(let document, _, let number):
          expect(number > last[document] ?? 0, "a number comes twice, or late")
          last[document] = number
          if number % 3 != 0 { perform(session.done(document: document, number: number)) }
        case .finish(let call, _): expect(open.remove(call) != nil, "a call without an end of its own")
        case .expectCarried(let document):
          if attach % 2 == 0 { perform(session.endCarrying(document: document)) }
        case .refused, .acknowledgeLater, .synced: break
        }
      }
    }
    perform(session.attached(document: document, attach: attach))
    while !input.isEmpty {
      let line = input.line()
      switch line.first {
      case 1:
        attach += 1
        perform(session.attached(document: document, attach: attach))
      case 2: session.away(document: document)
      case 3:
        let call = session.nextCallID()
        expect(calls.insert(call).inserted, "an id comes twice")
        open.insert(call)
        perform(session.call(call, method: "evaluate", params: Array("{}".utf8)))
      case 4: perform(session.notify(method: "stop", params: Array("{}".utf8)))
      case 5: perform(session.acknowledge())
      case 6: perform(session.attached(document: "document2", attach: attach + 1))
      default:
        do {
          perform(try session.receive(document: document, try Envelope(line)))
        } catch {
          // The peer broke a rule: its session ends, and with it every call.
          perform(session.end())
          expect(open.isEmpty, "a call has no end")
          return
        }
      }
    }
    perform(session.end())
    expect(open.isEmpty, "a call has no end")
  }

  private static func page(_ input: inout FuzzInput) {
    var channel = DocumentChannel(role: .page, document: document, epoch: "")
    var last = 0
    var epoch = ""
    var attach = 1
    func perform(_ actions: [DocumentChannel.Action]) {
      for action in actions {
        switch action {
        case .send(let text): expect(text.count <= Limits.maxWireBytes, "a message above the wire's limit")
        case .deliver(_, let number):
          // Each epoch of a host counts from the start.
          if channel.epoch != epoch { (epoch, last) = (channel.epoch, 0) }
          expect(number > last, "a number comes twice, or late")
          last = number
          if number % 3 != 0 { perform(channel.done(number)) }
        case .carry(_, _, let number): if number % 3 != 0 { perform(channel.done(number)) }
        case .acknowledgeLater, .synced: break
        }
      }
    }
    perform(channel.attach(attach))
    while !input.isEmpty {
      let line = input.line()
      switch line.first {
      case 1:
        attach += 1
        perform(channel.attach(attach))
      case 2: channel.detach()
      case 3, 4: perform((try? channel.send(Array(#""method":"message","params":{}}"#.utf8))) ?? [])
      case 5: perform(channel.acknowledge())
      default:
        do {
          perform(try channel.receive(try Envelope(line)))
        } catch {
          return
        }
      }
    }
  }
}
