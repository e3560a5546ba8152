import CLibwebsockets
import CUV
import Glibc

/// What one service thread owns: a libuv loop, the libwebsockets context on it, its sockets and its timers.
///
/// All members but `perform` are touched on that thread only, except while it starts.
package final class LoopCore: @unchecked Sendable {
  // Sendable because everything but the inbox belongs to the loop's thread.
  private let inbox = Locked(Inbox())
  /// Made and freed by `run`.
  private let loop: UnsafeMutablePointer<uv_loop_t>
  private let prepare: UnsafeMutablePointer<uv_prepare_t>
  private let check: UnsafeMutablePointer<uv_check_t>
  /// Cleared by the library when the context is gone.
  private let contextCell: UnsafeMutablePointer<OpaquePointer?>
  private(set) var thread = pthread_t()

  var pool = BlockPool()
  var masks = MaskSource()
  /// Counts the turns of the loop.
  package private(set) var turn: UInt64 = 1
  private var marked: Socket?
  private var released: [Unmanaged<HandlerBox>] = []
  /// Connections of this loop that are alive.
  package internal(set) var socketCount = 0
  /// Connections that are not read because of ``SocketState/waitingBytes``.
  package internal(set) var pausedCount = 0
  private var clientVhosts: [ClientTLS: OpaquePointer] = [:]
  private var clientTLSContexts: [ClientTLSContext] = []
  private var vhostCount = 0
  var timers: Set<LoopTimer> = []
  /// Clients that connect or are connected, to be told when the loop stops.
  var clients: Set<ClientConnection> = []
  private var endpoints: [ServerEndpoint] = []

  private struct Inbox {
    var work: [@Sendable () -> Void] = []
    /// The library's context while it may be woken.
    var context: OpaquePointer?
    var isWoken = false
    var isStopped = false
  }

  init() {
    loop = .allocate(capacity: 1)
    prepare = .allocate(capacity: 1)
    check = .allocate(capacity: 1)
    contextCell = .allocate(capacity: 1)
    contextCell.initialize(to: nil)
  }

  deinit {
    loop.deallocate()
    prepare.deallocate()
    check.deallocate()
    contextCell.deallocate()
  }

  // MARK: Any thread

  /// Runs the work on the loop's thread, in order; drops it once the loop has stopped.
  package func perform(_ work: @escaping @Sendable () -> Void) {
    inbox.withLock { inbox in
      guard !inbox.isStopped else { return }
      inbox.work.append(work)
      Self.wake(&inbox)
    }
  }

  private static func wake(_ inbox: inout Inbox) {
    guard !inbox.isWoken, let context = inbox.context else { return }
    inbox.isWoken = true
    // The one function of the library that another thread may call.
    lws_cancel_service(context)
  }

  /// Whether the caller runs on the loop's thread.
  package var isCurrent: Bool { pthread_equal(thread, pthread_self()) != 0 }

  // MARK: The thread

  /// Makes the loop and its context; on the loop's thread, before `run`.
  func open() -> Bool {
    thread = pthread_self()
    guard uv_loop_init(loop) == 0 else { return false }
    let pointer = Unmanaged.passUnretained(self).toOpaque()  // `run` keeps the core alive.
    uv_prepare_init(loop, prepare)
    prepare.pointee.data = pointer
    uv_prepare_start(prepare) { LoopCore.from($0.unsafelyUnwrapped.pointee.data).prepareToWait() }
    uv_check_init(loop, check)
    check.pointee.data = pointer
    uv_check_start(check) { LoopCore.from($0.unsafelyUnwrapped.pointee.data).endTurn() }

    guard let context = makeContext(user: pointer) else {
      closeLoop()
      return false
    }
    contextCell.pointee = context
    inbox.withLock { $0.context = context }
    return true
  }

  private static func from(_ pointer: UnsafeMutableRawPointer?) -> LoopCore {
    Unmanaged<LoopCore>.fromOpaque(pointer.unsafelyUnwrapped).takeUnretainedValue()
  }

  private func makeContext(user: UnsafeMutableRawPointer) -> OpaquePointer? {
    LibraryLog.start()
    DescriptorGuard.prepare()
    var info = lws_context_creation_info()
    // Without the library's "global TLS initialization": each one overwrites the index by which the connections of
    // all other contexts are found. OpenSSL needs none, and the index stays the same, 0.
    info.options = pagebridge_option_libuv | pagebridge_option_explicit_vhosts
    info.user = user
    info.port = pagebridge_port_client
    // One read is the smaller of this and the protocol's buffer.
    info.pt_serv_buf_size = UInt32(Self.receiveBytes + 16)
    info.max_http_header_data2 = UInt32(Self.headerBufferBytes)
    info.fd_limit_per_thread = 0
    info.pcontext = contextCell
    var foreign: UnsafeMutableRawPointer? = UnsafeMutableRawPointer(loop)
    return withUnsafeMutablePointer(to: &foreign) { foreign in
      info.foreign_loops = foreign
      return Self.creation.withLock { _ in lws_create_context(&info) }
    }
  }

  /// Bytes that one read takes at most.
  static let receiveBytes = 32_768
  /// Bytes of request headers that the library keeps; more ends the connection without an answer.
  static let headerBufferBytes = 32_768
  /// The library loads its libuv part and OpenSSL's state in there, which is not made for two threads at once.
  private static let creation = Locked(())

  /// Serves until `stop`, then ends every connection and frees everything.
  func run() {
    uv_run(loop, UV_RUN_DEFAULT)
    close()
  }

  /// Has `run` return.
  func stop() {
    uv_stop(loop)
  }

  private func close() {
    let rest = inbox.withLock { inbox in
      inbox.isStopped = true
      inbox.context = nil
      defer { inbox.work = [] }
      return inbox.work
    }
    for work in rest { work() }
    DescriptorGuard.destroy(loop: loop) { lws_context_destroy(contextCell.pointee) }
    for _ in 0..<1_000 where contextCell.pointee != nil && uv_run(loop, UV_RUN_NOWAIT) != 0 {}
    // The second call frees what had to wait for libuv's own closing.
    if contextCell.pointee != nil { lws_context_destroy(contextCell.pointee) }
    for client in clients { client.failed("The loop stopped.") }
    clients = []
    for timer in timers { timer.cancel() }
    closeLoop()
    // Handlers may still point to their endpoint and its TLS context.
    for box in released { box.release() }
    released = []
    endpoints = []
    clientTLSContexts = []
    pool.deallocate()
  }

  private func closeLoop() {
    uv_walk(loop, { handle, _ in if uv_is_closing(handle) == 0 { uv_close(handle, nil) } }, nil)
    uv_run(loop, UV_RUN_DEFAULT)
    uv_loop_close(loop)
  }

  // MARK: Turns

  /// Before the loop waits: what timers and the library's idle work have queued leaves.
  private func prepareToWait() {
    if marked != nil { finishMarked() }
  }

  /// After the loop has read: the inbox, then one write for each socket.
  private func endTurn() {
    drainInbox()
    finishMarked()
    turn &+= 1
    if !released.isEmpty {
      let boxes = released
      released.removeAll(keepingCapacity: true)
      for box in boxes { box.release() }
    }
  }

  private func drainInbox() {
    let work = inbox.withLock { inbox -> [@Sendable () -> Void] in
      inbox.isWoken = false
      guard !inbox.work.isEmpty else { return [] }
      defer { inbox.work = [] }
      return inbox.work
    }
    for item in work { item() }
  }

  private func finishMarked() {
    while let socket = marked {
      unmark(socket)
      if socket.pointee.hasReceived {
        socket.pointee.hasReceived = false
        socket.withHandler { $0.turnEnded(socket) }
        unmark(socket)
      }
      socket.finishTurn()
    }
  }

  /// Has the socket's queue written at the end of the turn.
  func mark(_ socket: Socket) {
    guard !socket.pointee.isMarked else { return }
    socket.pointee.isMarked = true
    socket.pointee.previousMarked = nil
    socket.pointee.nextMarked = marked
    marked?.pointee.previousMarked = socket
    marked = socket
  }

  func unmark(_ socket: Socket) {
    guard socket.pointee.isMarked else { return }
    socket.pointee.isMarked = false
    let next = socket.pointee.nextMarked
    let previous = socket.pointee.previousMarked
    next?.pointee.previousMarked = previous
    if let previous { previous.pointee.nextMarked = next } else { marked = next }
    socket.pointee.nextMarked = nil
    socket.pointee.previousMarked = nil
  }

  /// Releases the box when no callback of its handler can be on the stack.
  func releaseAtTurnEnd(_ box: Unmanaged<HandlerBox>) {
    released.append(box)
  }

  /// Lends a block to assemble a message in; it is handed on by `append` or given back.
  package func lendBlock() -> UnsafeMutablePointer<Block> { pool.lend() }

  /// Takes a block back that was lent and not handed on.
  package func giveBack(_ block: UnsafeMutablePointer<Block>) { pool.takeBack(block) }

  /// Blocks that are on loan: queued, or being assembled.
  package var lentBlocks: Int { pool.lentCount }

  // MARK: Parts

  /// A vhost of the library: protocols and certificates. It lives as long as the context.
  func makeVhost(isSecure: Bool, _ configure: (inout lws_context_creation_info) -> Void) -> OpaquePointer? {
    var info = lws_context_creation_info()
    info.options = pagebridge_option_explicit_vhosts | (isSecure ? pagebridge_option_tls_init : 0)
    info.retry_and_idle_policy = pagebridge_validity_policy()
    configure(&info)
    vhostCount += 1
    return "pagebridge-\(vhostCount)".withCString { name in
      info.vhost_name = name
      return lws_create_vhost(contextCell.pointee, &info)
    }
  }

  /// The vhost for connecting with the given trust, made at its first use.
  func clientVhost(for tls: ClientTLS) -> OpaquePointer? {
    if let vhost = clientVhosts[tls] { return vhost }
    var context: ClientTLSContext?
    if tls.isSecure {
      context = ClientTLSContext(caFile: tls.caFile)
      guard let context else { return nil }
      clientTLSContexts.append(context)
    }
    let vhost = makeVhost(isSecure: tls.isSecure) { info in
      info.port = pagebridge_port_client
      info.protocols = UnsafePointer(Protocols.client)
      info.provided_client_ssl_ctx = context?.pointer
    }
    clientVhosts[tls] = vhost
    return vhost
  }

  /// Keeps an endpoint as long as the context that points to it.
  func keep(_ endpoint: ServerEndpoint) {
    endpoints.append(endpoint)
  }

  var context: OpaquePointer? { contextCell.pointee }
  var loopPointer: UnsafeMutablePointer<uv_loop_t> { loop }
}

func withOptionalCString<Result>(_ text: String?, _ work: (UnsafePointer<CChar>?) -> Result) -> Result {
  guard let text else { return work(nil) }
  return text.withCString { work($0) }
}

extension LoopCore {
  /// Runs the work on the loop's thread and waits for it; not from that thread, and only while the loop runs.
  package func performAndWait<Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> Void
  ) throws(Failure) {
    let outcome = Locked<Result<Void, Failure>?>(nil)
    let gate = Gate()
    perform {
      do throws(Failure) {
        try work()
        outcome.withLock { $0 = .success(()) }
      } catch {
        outcome.withLock { $0 = .failure(error) }
      }
      gate.open()
    }
    gate.wait()
    try outcome.withLock { $0 }?.get()
  }
}
