import BridgeProtocol
import Foundation
import PageBridgeWebKit
import WebSocketTransport

/// A relay in memory, for tests of hosts: no sockets, no threads to wait for, and a clock that the test moves.
///
/// It keeps the rules of the wire that hosts and well-behaved pages meet: hello and welcome, `open` and `opened`, attach
/// numbers, `away`, ends, takeover by the same session, and host-served content. It does not check keys.
///
/// ```swift
/// let relay = SimulatedRelay()
/// let host = relay.makeHost(app: "player")
/// host.start { scene in PlayerViewController(scene: scene) }
/// let page = relay.makePage(app: "player")
/// page.open()
/// await relay.settle()
/// ```
public final class SimulatedRelay: Sendable {
  /// The clock of the relay, its hosts and its pages.
  public let clock = ManualClock()
  /// The relay's address, as hosts and pages know it.
  public let url = URL(string: "http://127.0.0.1:8080")!

  let core: SimulatedRelayCore
  private let hosts = Locked<[WeakHost]>([])

  private struct WeakHost: Sendable {
    weak var host: WebViewHost?
    let life: SimulatedLife
  }

  /// Makes a relay that nobody knows yet.
  public init() {
    core = SimulatedRelayCore()
  }

  /// Makes a host of this relay.
  @MainActor
  public func makeHost(app: String, options: WebViewHost.Options = WebViewHost.Options()) -> WebViewHost {
    let transport = SimulatedTransport(app: app, core: core, clock: clock)
    let host = WebViewHost(app: app, relay: url, options: options, transport: transport)
    hosts.withLock { $0.append(WeakHost(host: host, life: transport.life)) }
    return host
  }

  /// Makes a page of this relay; it connects with ``SimulatedPage/open()``.
  public func makePage(app: String, options: SimulatedPage.Options = SimulatedPage.Options()) -> SimulatedPage
  {
    SimulatedPage(app: app, wire: SimulatedPageWire(core: core, clock: clock), options: options)
  }

  /// Moves the clock; what becomes due happens before ``settle()`` returns.
  public func advance(by duration: Duration) {
    clock.advance(by: duration)
  }

  /// Returns once nothing moves any more: everything sent has arrived, and the main actor has handled it.
  public func settle() async {
    var quietRounds = 0
    var last = -1
    while quietRounds < 6 {
      await withCheckedContinuation { continuation in
        core.queue.async { continuation.resume() }
      }
      let alive = hosts.withLock { $0 }
      let isIdle = await MainActor.run { alive.allSatisfy { $0.host?.isIdle ?? true } }
      await Task.yield()
      let activity = core.activity
      quietRounds = isIdle && activity == last ? quietRounds + 1 : 0
      last = activity
    }
  }

  /// Cuts every host's connection, as a network does; hosts come back by themselves.
  public func cutHosts() {
    core.perform { [core] in core.cutHosts(code: 1006, reason: "cut") }
  }

  /// Ends a host's process: its socket dies and it never says anything again.
  @MainActor
  public func crash(_ host: WebViewHost) {
    guard let life = hosts.withLock({ $0.first { $0.host === host }?.life }) else { return }
    life.end()
    core.perform { [core] in core.bury(life) }
  }

  /// Ends every host's connection with a close code.
  public func closeHosts(code: UInt16, reason: String = "") {
    core.perform { [core] in core.cutHosts(code: code, reason: reason) }
  }

  /// Lets new connections fail, or come through again.
  public func setReachable(_ isReachable: Bool) {
    core.perform { [core] in core.isReachable = isReachable }
  }

  /// Forgets everything but its addresses, as a relay does that was started anew: all sockets die.
  public func restart() {
    core.perform { [core] in core.restart() }
  }

  /// Tells an app's hosts that a socket was turned away.
  public func refuse(app: String, reason: String, origin: String?) {
    core.perform { [core] in core.refuse(app: app, reason: reason, origin: origin) }
  }

  /// Sends a text to an app's hosts as it is, to see what they make of it.
  public func sendRaw(_ text: String, toHostsOf app: String) {
    core.perform { [core] in core.sendRaw(text, app: app) }
  }

  /// Lets a page's script stand still until its host has answered, as `alert`, `confirm`, `prompt` and `window.open` do.
  ///
  /// - Parameters:
  ///   - kind: `alert`, `confirm`, `prompt` or `open`.
  ///   - text: what is asked; of a window the address.
  ///   - defaultText: what the field of a prompt holds at first.
  ///   - features: what is asked of a window.
  ///   - page: a page that has a session.
  ///   - after: the last numbered message that the host handles before; all that the page has sent, unless it is named.
  public func dialog(
    _ kind: String, _ text: String, defaultText: String? = nil, features: String? = nil,
    of page: SimulatedPage, after: Int? = nil
  ) async -> SimulatedDialogAnswer {
    await beginDialog(kind, text, defaultText: defaultText, features: features, of: page, after: after).value
  }

  /// As ``dialog(_:_:defaultText:features:of:after:)``, for tests that go on meanwhile: the page has asked when this returns, and
  /// the task's value is the answer.
  public func beginDialog(
    _ kind: String, _ text: String, defaultText: String? = nil, features: String? = nil,
    of page: SimulatedPage, after: Int? = nil
  ) -> Task<SimulatedDialogAnswer, Never> {
    let session = page.session ?? ""
    let document = page.documents.last ?? ""
    let frame: WireValue = ["main": true, "url": .string(page.url)]
    let (answers, continuation) = AsyncStream.makeStream(of: SimulatedDialogAnswer.self)
    core.perform { [core] in
      var members: [WireValue.Member] = [
        .init("session", .string(session)), .init("document", .string(document)),
        .init("kind", .string(kind)), .init("text", .string(text)), .init("frame", frame),
        .init("after", .number(Double(after ?? page.sentMessages))),
      ]
      if let features { members.append(.init("features", .string(features))) }
      if let defaultText { members.append(.init("default", .string(defaultText))) }
      core.ask(session, members) {
        continuation.yield($0)
        continuation.finish()
      }
    }
    return Task {
      for await answer in answers { return answer }
      return .unanswered
    }
  }

  /// The page of open dialogs is gone, as a browser's tab that is closed: its hosts are told.
  public func cancelDialogs(of page: SimulatedPage) {
    let session = page.session ?? ""
    core.perform { [core] in core.cancelDialogs(session) }
  }

  /// Asks for content of a host: a path below `/s/<session>/`, or a one-time script `/b/<once>.js`.
  public func get(_ path: String, headers: [(String, String)] = []) async -> SimulatedResponse {
    await withCheckedContinuation { continuation in
      core.perform { [core] in
        core.get(path, headers: headers) { continuation.resume(returning: $0) }
      }
    }
  }
}

/// What a page's script gets that stood still.
public enum SimulatedDialogAnswer: Hashable, Sendable {
  /// The host's answer.
  case value(WireValue)
  /// The browser is to show the dialog, and to report by the bridge message `dialog` with this number.
  case present(id: Int)
  /// Nobody has answered: the page goes on as without a delegate.
  case unanswered
}

/// What a simulated relay answers to a request for content.
public struct SimulatedResponse: Sendable {
  /// The status of HTTP.
  public var status: Int
  /// The headers in the host's order.
  public var headers: [(String, String)]
  /// The length that the host announced.
  public var length: Int?
  /// The content's bytes.
  public var body: [UInt8]
  /// Why the host broke the answer off, if it did.
  public var error: String?
  /// The most bytes that were under way without the relay's permission for more; at most the credit.
  public var mostUngranted: Int

  /// The body as text.
  public var text: String { String(decoding: body, as: UTF8.self) }

  /// The value of the first header of that name.
  public func header(_ name: String) -> String? {
    headers.first { $0.0.lowercased() == name.lowercased() }?.1
  }
}
