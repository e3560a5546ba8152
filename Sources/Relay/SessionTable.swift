import BridgeProtocol
import WebSocketTransport

/// What the data path knows of a session: a plain struct at a fixed address.
struct SessionSlot {
  /// The session's part behind the instance, 22 bytes: as three overlapping words.
  let key: SessionKey
  /// The document whose socket is attached, 8 bytes as they stand on the wire.
  var document: UInt64 = 0
  /// The socket of that document, while it is attached.
  var socket: Socket?

  init(key: SessionKey) {
    self.key = key
  }
}

/// The 22 characters of a session id behind its instance.
struct SessionKey: Equatable {
  /// Bytes 0 to 7, 8 to 15 and 14 to 21.
  let words: (UInt64, UInt64, UInt64)

  /// Reads the key of the session whose id lies there.
  @inline(__always)
  init(session: UnsafeRawPointer) {
    let start = session + Identifiers.instanceLength
    words = (
      start.loadUnaligned(as: UInt64.self), start.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
      start.loadUnaligned(fromByteOffset: 14, as: UInt64.self)
    )
  }

  init(_ session: String) {
    precondition(session.utf8.count == Identifiers.sessionLength)
    self = Array(session.utf8).withUnsafeBytes { SessionKey(session: $0.baseAddress.unsafelyUnwrapped) }
  }

  /// Random characters in the key make a good hash; a host that chooses them badly slows only itself down.
  @inline(__always)
  var hash: UInt64 { (words.0 ^ words.2) &* 0x9E37_79B9_7F4A_7C15 }

  @inline(__always)
  static func == (left: SessionKey, right: SessionKey) -> Bool {
    left.words.0 == right.words.0 && left.words.1 == right.words.1 && left.words.2 == right.words.2
  }
}

/// The sessions of one instance by the raw bytes of their id: open addressing, without a reference count on the way.
struct SessionTable: ~Copyable {
  private typealias Entry = UnsafeMutablePointer<SessionSlot>?

  private var entries: UnsafeMutablePointer<Entry>
  private var capacity = 16
  private(set) var count = 0

  init() {
    entries = .allocate(capacity: 16)
    entries.initialize(repeating: nil, count: 16)
  }

  deinit {
    for index in 0..<capacity { entries[index]?.deallocate() }
    entries.deallocate()
  }

  /// The slot of a session; the pointer is good until the session is removed.
  @inline(__always)
  func find(_ key: SessionKey) -> UnsafeMutablePointer<SessionSlot>? {
    var index = place(key)
    while let slot = entries[index] {
      if slot.pointee.key == key { return slot }
      index = (index &+ 1) & (capacity &- 1)
    }
    return nil
  }

  /// Makes the slot of a session that has none.
  mutating func insert(_ key: SessionKey) -> UnsafeMutablePointer<SessionSlot> {
    if (count + 1) * 2 > capacity { grow() }
    let slot = UnsafeMutablePointer<SessionSlot>.allocate(capacity: 1)
    slot.initialize(to: SessionSlot(key: key))
    put(slot)
    count += 1
    return slot
  }

  /// Frees the slot of a session.
  mutating func remove(_ key: SessionKey) {
    var index = place(key)
    while let slot = entries[index], slot.pointee.key != key { index = (index + 1) & (capacity - 1) }
    guard let slot = entries[index] else { return }
    slot.deallocate()
    entries[index] = nil
    count -= 1
    // What follows may have been pushed on by it: put in again.
    var next = (index + 1) & (capacity - 1)
    while let moved = entries[next] {
      entries[next] = nil
      put(moved)
      next = (next + 1) & (capacity - 1)
    }
  }

  @inline(__always)
  private func place(_ key: SessionKey) -> Int {
    Int(truncatingIfNeeded: key.hash >> 32) & (capacity &- 1)
  }

  private func put(_ slot: UnsafeMutablePointer<SessionSlot>) {
    var index = place(slot.pointee.key)
    while entries[index] != nil { index = (index + 1) & (capacity - 1) }
    entries[index] = slot
  }

  private mutating func grow() {
    let old = entries
    let oldCapacity = capacity
    capacity *= 2
    entries = .allocate(capacity: capacity)
    entries.initialize(repeating: nil, count: capacity)
    for index in 0..<oldCapacity {
      if let slot = old[index] { put(slot) }
    }
    old.deallocate()
  }
}
