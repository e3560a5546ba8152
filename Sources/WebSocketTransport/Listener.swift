import CUV
import Glibc

/// A listening TCP socket on a loop: accepts and hands over descriptors.
///
/// It is not libwebsockets' own, because connections must be able to go to another loop's context.
package final class Listener {
  private static let backlog: CInt = 4_096
  /// How long accepting rests when the process has no descriptor left.
  private static let rest = Duration.milliseconds(50)

  private let descriptor: CInt
  private unowned let core: LoopCore
  private var budget: AcceptBudget?
  private let accepted: (CInt) -> Void
  private let heldBack: () -> Void
  /// Freed in the close callback of libuv, not before.
  private let poll: UnsafeMutablePointer<uv_poll_t>
  private var isClosed = false

  /// Binds and listens; any thread.
  ///
  /// - Returns: The listening descriptor and its port.
  /// - Throws: ``TransportError`` `addressInUse` or `addressUnavailable`.
  package static func bind(host: String, port: Int) throws(TransportError) -> (descriptor: CInt, port: Int) {
    let context = ["host": host, "port": String(port)]
    var hints = addrinfo()
    hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_PASSIVE
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, String(port), &hints, &list) == 0, let address = list else {
      throw TransportError(
        code: .addressUnavailable, message: "The address to listen on is not known.", context: context)
    }
    defer { freeaddrinfo(list) }
    let kind = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.pointee.ai_family, kind, 0)
    var on: CInt = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<CInt>.size))
    guard descriptor >= 0, Glibc.bind(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0,
      listen(descriptor, backlog) == 0
    else {
      let isTaken = errno == EADDRINUSE
      if descriptor >= 0 { close(descriptor) }
      throw TransportError(
        code: isTaken ? .addressInUse : .addressUnavailable,
        message: isTaken ? "Another program listens on the address." : "The address cannot be listened on.",
        context: context)
    }
    return (descriptor, boundPort(descriptor))
  }

  private static func boundPort(_ descriptor: CInt) -> Int {
    var storage = sockaddr_storage()
    var count = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutableBytes(of: &storage) { bytes in
      getsockname(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &count)
      // The port lies at the same place for both address families.
      return Int(UInt16(bigEndian: bytes.load(fromByteOffset: 2, as: UInt16.self)))
    }
  }

  /// Starts accepting; on the loop's thread.
  ///
  /// - Parameters:
  ///   - budget: How many connections it takes in a time; nil for any number.
  ///   - accepted: Takes over a connection.
  ///   - heldBack: Called when connections wait because the budget is used up.
  package init(
    core: LoopCore, descriptor: CInt, budget: AcceptBudget? = nil, accepted: @escaping (CInt) -> Void,
    heldBack: @escaping () -> Void = {}
  ) {
    self.core = core
    self.descriptor = descriptor
    self.budget = budget
    self.accepted = accepted
    self.heldBack = heldBack
    poll = .allocate(capacity: 1)
    uv_poll_init(core.loopPointer, poll, descriptor)
    // Retained by the handle until `stop` takes it back.
    poll.pointee.data = Unmanaged.passRetained(self).toOpaque()
    start()
  }

  private func start() {
    guard !isClosed else { return }
    uv_poll_start(poll, CInt(UV_READABLE.rawValue)) { handle, _, _ in
      Unmanaged<Listener>.fromOpaque(handle.unsafelyUnwrapped.pointee.data).takeUnretainedValue().accept()
    }
  }

  private func accept() {
    // Called because at least one waits.
    if let rest = budget?.rest(at: .now) {
      heldBack()
      pause(rest)
      return
    }
    // Some at a time, so that a storm of newcomers does not starve the others.
    for _ in 0..<64 where budget?.rest(at: .now) == nil {
      let connection = accept4(descriptor, nil, nil, CInt(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue))
      guard connection >= 0 else {
        if errno == EMFILE || errno == ENFILE { pause(Self.rest) }
        return
      }
      budget?.take(at: .now)
      accepted(connection)
    }
  }

  private func pause(_ time: Duration) {
    uv_poll_stop(poll)
    _ = LoopTimer(core: core, after: time) { [self] in start() }
  }

  /// Stops listening; on the loop's thread.
  package func stop() {
    guard !isClosed else { return }
    isClosed = true
    uv_poll_stop(poll)
    let retained = Unmanaged<Listener>.fromOpaque(poll.pointee.data)
    UnsafeMutableRawPointer(poll).withMemoryRebound(to: uv_handle_t.self, capacity: 1) {
      uv_close($0) {
        UnsafeMutableRawPointer($0.unsafelyUnwrapped).assumingMemoryBound(to: uv_poll_t.self).deallocate()
      }
    }
    close(descriptor)
    retained.release()
  }
}
