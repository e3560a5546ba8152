import BridgeProtocol

/// What one end has received and handled of the other's numbered messages.
struct IncomingSequence: Sendable {
  enum Verdict {
    case next
    case double
    case gap
  }

  /// The parts of a long message that have come.
  struct Partial: Sendable {
    let count: Int
    let index: Int
    let text: [UInt8]
    let isAgain: Bool
  }

  /// What is kept of a sequence whose document is forgotten.
  struct Remnant: Sendable {
    let received: Int
    var partial: Partial?
    /// The highest number received, without the parts of a message that is not whole yet.
    var receivedWhole: Int { received - (partial?.index ?? 0) }
  }

  private(set) var received = 0
  private(set) var done = 0
  /// Wire messages and bytes received since the last acknowledgement went out.
  private(set) var unacknowledgedMessages = 0
  private(set) var unacknowledgedBytes = 0
  private var announced = (received: 0, done: 0)
  private var partial: Partial?
  /// Numbers of delivered messages that are not handled yet, in order, from `firstUnhandled` on.
  private var unhandled: [Int] = []
  private var firstUnhandled = 0
  /// Those among them that were handled before an older one.
  private var handledEarly: Set<Int> = []

  var remnant: Remnant { Remnant(received: received, partial: partial) }

  var isAnnounced: Bool { announced.received == received && announced.done == done }

  var wantsAcknowledgement: Bool {
    unacknowledgedMessages >= Limits.acknowledgeMessages || unacknowledgedBytes >= Limits.acknowledgeBytes
  }

  mutating func accept(_ number: Int, bytes: Int) -> Verdict {
    guard number > received else {
      // The peer did not get our acknowledgement: count it, so that another one goes out.
      unacknowledgedMessages += 1
      announced.received = -1
      return .double
    }
    guard number == received + 1 else { return .gap }
    received = number
    unacknowledgedMessages += 1
    unacknowledgedBytes += bytes
    return .next
  }

  /// Passes over messages that nobody has any more, up to that number.
  mutating func skip(through number: Int) {
    guard number > received else { return }
    received = number
    partial = nil
    if firstUnhandled == unhandled.count { done = number }
  }

  /// A whole message goes to its handler.
  mutating func deliver(_ number: Int) {
    unhandled.append(number)
  }

  /// A message was handled. The peer may forget it only when all older ones were handled too.
  mutating func finish(_ number: Int) {
    guard number > done, number <= received else { return }
    handledEarly.insert(number)
    while firstUnhandled < unhandled.count, handledEarly.remove(unhandled[firstUnhandled]) != nil {
      done = unhandled[firstUnhandled]
      firstUnhandled += 1
    }
    if firstUnhandled == unhandled.count {
      unhandled.removeAll(keepingCapacity: unhandled.count <= Limits.windowMessages)
      firstUnhandled = 0
    } else if firstUnhandled > Limits.windowMessages {
      unhandled.removeFirst(firstUnhandled)
      firstUnhandled = 0
    }
  }

  /// Notes that the counters go out with a message.
  mutating func announce() {
    announced = (received, done)
    unacknowledgedMessages = 0
    unacknowledgedBytes = 0
  }

  /// Notes that the peer has not heard the counters.
  mutating func noteUnheard() {
    announced = (-1, -1)
  }

  /// Starts behind that number, as if everything up to it had been handled.
  mutating func restart(after number: Int) {
    self = IncomingSequence()
    received = number
    done = number
    announced = (number, number)
  }

  /// Goes on where a forgotten one was left.
  mutating func resume(_ remnant: Remnant) {
    restart(after: remnant.receivedWhole)
    received = remnant.received
    partial = remnant.partial
  }

  /// Adds a part; answers the whole message with the last one.
  mutating func add(_ envelope: Envelope, _ part: Envelope.Part) throws -> Envelope? {
    let text = envelope.partText ?? []
    var joined: [UInt8]
    var isAgain = envelope.isAgain
    if part.index == 1 {
      joined = []
    } else {
      guard let open = partial, open.count == part.count, open.index + 1 == part.index else {
        partial = nil
        throw ChannelError(.malformedPart, "a part out of order", context: "\(part.index) of \(part.count)")
      }
      joined = open.text
      isAgain = isAgain || open.isAgain
      partial = nil
    }
    guard joined.count + text.count <= Limits.maxMessageBytes + 1 else {
      throw ChannelError(
        .malformedPart, "a message in parts is too large", context: "limit \(Limits.maxMessageBytes) bytes")
    }
    joined.append(contentsOf: text)
    guard part.index < part.count else { return try Envelope(joined, isAgain: isAgain) }
    partial = Partial(count: part.count, index: part.index, text: joined, isAgain: isAgain)
    return nil
  }
}
