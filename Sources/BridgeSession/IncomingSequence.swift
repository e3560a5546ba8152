import BridgeProtocol

/// What one end has received and handled of the other's numbered messages.
struct IncomingSequence: Sendable {
  enum Verdict {
    case next
    case double
    case gap
  }

  private(set) var received = 0
  private(set) var done = 0
  /// Wire messages and bytes received since the last acknowledgement went out.
  private(set) var unacknowledgedMessages = 0
  private(set) var unacknowledgedBytes = 0
  private var announced = (received: 0, done: 0)
  private var partial: (count: Int, index: Int, text: [UInt8])?
  /// Numbers of delivered messages that are not handled yet, in order, from `firstUnhandled` on.
  private var unhandled: [Int] = []
  private var firstUnhandled = 0
  /// Those among them that were handled before an older one.
  private var handledEarly: Set<Int> = []

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

  /// Adds a part; answers the joined text with the last one.
  mutating func add(_ part: Envelope.Part, _ text: [UInt8]) throws(ChannelError) -> [UInt8]? {
    var joined: [UInt8]
    if part.index == 1 {
      joined = []
    } else {
      guard let open = partial, open.count == part.count, open.index + 1 == part.index else {
        partial = nil
        throw ChannelError(.malformedPart, "a part out of order", context: "\(part.index) of \(part.count)")
      }
      joined = open.text
      partial = nil
    }
    guard joined.count + text.count <= Limits.maxMessageBytes + 1 else {
      throw ChannelError(
        .malformedPart, "a message in parts is too large", context: "limit \(Limits.maxMessageBytes) bytes")
    }
    joined.append(contentsOf: text)
    guard part.index < part.count else { return joined }
    partial = (part.count, part.index, joined)
    return nil
  }
}
