import BridgeProtocol
import WebSocketTransport

/// What happened on one thread, as numbers that only grow.
struct Counters {
  /// Bridge messages passed on from pages to hosts.
  var messagesToHosts = 0
  /// Bridge messages passed on from hosts to pages.
  var messagesToPages = 0
  /// Bytes of these, without their wrappers.
  var bytesToHosts = 0
  var bytesToPages = 0
  /// Messages for which the other side was not attached.
  var messagesDropped = 0
  /// Sockets and requests turned away.
  var refused = 0
  /// Sockets opened.
  var socketsOpened = 0
  /// How often connections had to wait because too many came at once.
  var acceptsHeldBack = 0
  /// Pages replaced by a newer socket.
  var pagesReplaced = 0
  /// HTTP requests.
  var requests = 0
  /// Dialogs that hosts were asked.
  var dialogs = 0

  static let names: [(name: StaticString, path: KeyPath<Counters, Int> & Sendable)] = [
    ("messagesToHosts", \.messagesToHosts), ("messagesToPages", \.messagesToPages),
    ("bytesToHosts", \.bytesToHosts), ("bytesToPages", \.bytesToPages),
    ("messagesDropped", \.messagesDropped), ("refused", \.refused), ("socketsOpened", \.socketsOpened),
    ("acceptsHeldBack", \.acceptsHeldBack), ("pagesReplaced", \.pagesReplaced), ("requests", \.requests),
    ("dialogs", \.dialogs),
  ]
}

/// What the data path of one thread needs at hand, at a fixed address.
struct DataPath {
  var counters = Counters()
  let maxWireBytes: Int
  let pageBacklogBytes: Int
  let pageOutboundBytes: Int
  let hostOutboundBytes: Int

  init(_ limits: RelayLimits) {
    maxWireBytes = limits.maxWireBytes
    pageBacklogBytes = limits.pageBacklogBytes
    pageOutboundBytes = limits.pageOutboundBytes
    hostOutboundBytes = limits.hostOutboundBytes
  }
}

/// What the data path knows of a page's socket.
struct PageLink {
  /// The host's socket, while the page's document is attached.
  var host: Socket?
  /// The wrapper in front of its messages, as long as a host is there; two spare bytes round it up to words.
  let prefix: UnsafeMutableRawPointer
  /// A message that comes in pieces, with room for frame header and wrapper in front.
  var block: UnsafeMutablePointer<Block>?
  /// Bytes of that message so far.
  var count = 0
  var utf8 = UTF8Validator()
  /// Whether something was heard since the last look.
  var isHeard = true
  let path: UnsafeMutablePointer<DataPath>

  static let prefixRoom = 48

  init(path: UnsafeMutablePointer<DataPath>) {
    self.path = path
    prefix = .allocate(byteCount: Self.prefixRoom, alignment: 8)
    prefix.initializeMemory(as: UInt8.self, repeating: 0, count: Self.prefixRoom)
  }
}

extension UnsafeMutablePointer where Pointee == PageLink {
  /// Connects the page's document to the host.
  func attach(to host: Socket, session: String, document: String) {
    let bytes = Wrapper.prefix(session: session, document: document)
    bytes.withUnsafeBytes {
      pointee.prefix.copyMemory(from: $0.baseAddress.unsafelyUnwrapped, byteCount: $0.count)
    }
    pointee.host = host
  }

  /// Passes a whole message on, wrapped while it is copied behind what waits for the host.
  @inline(__always)
  func forward(_ bytes: UnsafeMutableRawPointer, count: Int, from page: Socket, to host: Socket) {
    let payload = Wrapper.overhead + count
    let target = host.appendTextFrame(payload: payload)
    target.copyMemory(from: pointee.prefix, byteCount: Wrapper.prefixLength)
    (target + Wrapper.prefixLength).copyMemory(from: bytes, byteCount: count)
    target.storeBytes(of: UInt8(ascii: "]"), toByteOffset: Wrapper.prefixLength &+ count, as: UInt8.self)
    page.share(payload, in: host, limit: pointee.path.pointee.pageBacklogBytes)
    pointee.path.pointee.counters.messagesToHosts &+= 1
    pointee.path.pointee.counters.bytesToHosts &+= count
  }

  /// Passes a message on that was assembled in the link's block, which becomes the finished frame itself.
  func forwardBlock(_ block: UnsafeMutablePointer<Block>, count: Int, from page: Socket, to host: Socket) {
    let payload = Wrapper.overhead + count
    let wrapper = block.bytes + Block.frameHeaderRoom
    wrapper.copyMemory(from: pointee.prefix, byteCount: Wrapper.prefixLength)
    wrapper.storeBytes(of: UInt8(ascii: "]"), toByteOffset: Wrapper.prefixLength + count, as: UInt8.self)
    let header = FrameHeader.length(payload: payload)
    FrameHeader.write(.text, payload: payload, to: wrapper - header)
    block.pointee.start = Block.frameHeaderRoom - header
    block.pointee.end = Block.frameHeaderRoom + payload
    host.append(block)
    page.share(payload, in: host, limit: pointee.path.pointee.pageBacklogBytes)
    pointee.path.pointee.counters.messagesToHosts += 1
    pointee.path.pointee.counters.bytesToHosts += count
  }

  func free(core: LoopCore) {
    if let block = pointee.block { core.giveBack(block) }
    pointee.prefix.deallocate()
    deinitialize(count: 1)
    deallocate()
  }
}
