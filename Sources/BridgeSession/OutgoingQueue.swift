import BridgeProtocol

/// The numbered wire messages of one end that the other may still need, oldest first.
struct OutgoingQueue: Sendable {
  /// One wire message without its counters, which are written anew each time that it is sent.
  struct Item: Sendable {
    let number: Int
    /// What follows the counters, for instance `"method":"stop","params":{}}`.
    let body: [UInt8]
    /// Where it comes from, if it is an earlier document's.
    var origin: Envelope.Origin?
    /// Whether its bridge message ends with it.
    var isLast = true
    /// The epoch that it was first sent to, by this document or another one; nil before that.
    var epoch: String?
    /// When it was queued, by the driver's clock.
    let queued: Duration
  }

  private var items: [Item?] = []
  private var head = 0
  private(set) var nextNumber = 1
  private(set) var bytes = 0

  /// The oldest number still held; the next one if none is.
  var base: Int { nextNumber - count }
  var count: Int { items.count - head }

  mutating func append(_ body: [UInt8], isLast: Bool, queued: Duration) {
    items.append(Item(number: nextNumber, body: body, isLast: isLast, queued: queued))
    nextNumber += 1
    bytes += body.count
  }

  mutating func append(_ message: CarriedMessage, queued: Duration) {
    items.append(
      Item(
        number: nextNumber, body: message.body, origin: message.origin, isLast: message.isLast,
        epoch: message.epoch, queued: queued))
    nextNumber += 1
    bytes += message.body.count
  }

  /// What is held, as the next document would send it on.
  func carried(of document: String) -> [CarriedMessage] {
    items[head...].compactMap { item in
      item.map {
        CarriedMessage(
          origin: $0.origin ?? Envelope.Origin(document: document, number: $0.number), epoch: $0.epoch,
          body: $0.body, isLast: $0.isLast)
      }
    }
  }

  subscript(number: Int) -> Item {
    get { items[head + number - base]! }
    set { items[head + number - base] = newValue }
  }

  /// Notes whom a message is sent to. The first one counts: whoever comes later may not be the first to handle it.
  mutating func noteSent(_ number: Int, epoch: String) {
    if self[number].epoch == nil { self[number].epoch = epoch }
  }

  /// Notes that another document may send on what is held.
  mutating func noteLeft(epoch: String) {
    for number in base..<nextNumber { noteSent(number, epoch: epoch) }
  }

  /// Forgets everything up to that number.
  mutating func forget(through number: Int) {
    while head < items.count, let item = items[head], item.number <= number {
      bytes -= item.body.count
      items[head] = nil
      head += 1
    }
    if head == items.count {
      items.removeAll(keepingCapacity: items.count <= Limits.windowMessages)
      head = 0
    } else if head > Limits.windowMessages, head * 2 > items.count {
      items.removeFirst(head)
      head = 0
    }
  }

  /// Cuts a message's text into bodies that fit the wire; one body if it fits whole.
  ///
  /// - Parameter message: the text after its opening brace, the closing one included.
  static func bodies(of message: [UInt8]) -> [[UInt8]] {
    guard message.count > maxBodyBytes else { return [message] }
    var ranges: [Range<Int>] = []
    var start = 0
    // The opening brace belongs to the first piece.
    var length = 1
    message.withUnsafeBufferPointer { bytes in
      var index = 0
      while index < bytes.count {
        // As long as there is room for any scalar, bytes that stand for themselves are taken together.
        let room = maxPartTextBytes - 6 - length
        let plain = room > 0 ? JSONWriter.plainLength(of: bytes, from: index, limit: room) : 0
        if plain > 0 {
          index += plain
          length += plain
          continue
        }
        let byte = bytes[index]
        let isScalarStart = byte & 0xC0 != 0x80
        // A scalar has at most four bytes, none of which is escaped unless it is alone.
        if isScalarStart, length + 6 > maxPartTextBytes {
          ranges.append(start..<index)
          start = index
          length = 0
        }
        length += JSONWriter.escapedLength(of: byte)
        index += 1
      }
    }
    ranges.append(start..<message.count)
    return ranges.enumerated().map { index, range in
      var writer = JSONWriter(capacity: range.count + range.count / 8 + 64)
      writer.raw(#""part":["#)
      writer.integer(index + 1)
      writer.raw(",")
      writer.integer(ranges.count)
      writer.raw(#"],"text":"#)
      if index == 0 {
        writer.string(utf8: [UInt8(ascii: "{")] + message[range])
      } else {
        writer.string(utf8: message[range])
      }
      writer.raw("}")
      return writer.bytes
    }
  }

  /// Room for the wrapper, for counters of sixteen digits and for the document that a carried message comes from.
  private static let maxBodyBytes = Limits.maxWireBytes - Wrapper.overhead - 160
  private static let maxPartTextBytes = maxBodyBytes - 64
}
