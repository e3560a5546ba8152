/// What a web view gives to its pages: message handlers and user scripts. See Apple's page "WKUserContentController".
///
/// One controller may serve several web views. Changes reach loaded pages at once; user scripts run in later documents.
@MainActor
public final class WKUserContentController: NSObject {
  private enum Receiver {
    case plain(any WKScriptMessageHandler)
    case replying(any WKScriptMessageHandlerWithReply)
  }

  private struct Entry {
    let name: String
    let world: WKContentWorld
    let receiver: Receiver
  }

  private struct Observer {
    weak var session: WebViewSession?
  }

  private var entries: [Entry] = []
  private var observers: [Observer] = []

  /// The user scripts in the order of their addition.
  public private(set) var userScripts: [WKUserScript] = []

  /// Makes a controller without handlers and scripts.
  public override init() {}

  /// Makes `window.webkit.messageHandlers.<name>` appear in pages, now and in later documents. The controller retains the
  /// handler.
  ///
  /// A name that has a handler already keeps it: WebKit stops the app at this mistake; a host carries other visitors'
  /// sessions too, so here the mistake is written to standard error and to the host's events (`error`) instead. The same
  /// holds for an empty name.
  public func add(_ scriptMessageHandler: any WKScriptMessageHandler, name: String) {
    add(.plain(scriptMessageHandler), .page, name)
  }

  /// Makes a handler appear in one world, as ``add(_:name:)`` does in the page's. Each world has its own names.
  public func add(
    _ scriptMessageHandler: any WKScriptMessageHandler, contentWorld world: WKContentWorld, name: String
  ) {
    add(.plain(scriptMessageHandler), world, name)
  }

  /// Makes a handler appear in one world whose `postMessage` gives the page a promise of the handler's reply.
  public func addScriptMessageHandler(
    _ scriptMessageHandlerWithReply: any WKScriptMessageHandlerWithReply,
    contentWorld: WKContentWorld, name: String
  ) {
    add(.replying(scriptMessageHandlerWithReply), contentWorld, name)
  }

  private func add(_ receiver: Receiver, _ world: WKContentWorld, _ name: String) {
    guard !name.isEmpty else { return report("a script message handler needs a name") }
    guard entry(name, world) == nil else {
      return report("a script message handler named '\(name)' is there already; the first one stays")
    }
    entries.append(Entry(name: name, world: world, receiver: receiver))
    changed()
  }

  /// Takes a name away from the page's world; messages under way to it are dropped. Nothing happens if it has no handler.
  public func removeScriptMessageHandler(forName name: String) {
    removeScriptMessageHandler(forName: name, contentWorld: .page)
  }

  /// Takes a name away from one world.
  public func removeScriptMessageHandler(forName name: String, contentWorld: WKContentWorld) {
    guard entry(name, contentWorld) != nil else { return }
    entries.removeAll { $0.name == name && $0.world === contentWorld }
    changed()
  }

  /// Takes all names away from one world.
  public func removeAllScriptMessageHandlers(from contentWorld: WKContentWorld) {
    guard entries.contains(where: { $0.world === contentWorld }) else { return }
    entries.removeAll { $0.world === contentWorld }
    changed()
  }

  /// Takes all names away from all worlds.
  public func removeAllScriptMessageHandlers() {
    guard !entries.isEmpty else { return }
    entries = []
    changed()
  }

  /// Adds a script to all later documents.
  public func addUserScript(_ userScript: WKUserScript) {
    userScripts.append(userScript)
    changed()
  }

  /// Removes all scripts from later documents.
  public func removeAllUserScripts() {
    userScripts = []
    changed()
  }

  var handlers: [SessionConfiguration.Handler] {
    entries.map { entry in
      let replies = if case .replying = entry.receiver { true } else { false }
      return SessionConfiguration.Handler(name: entry.name, world: entry.world.wireName, replies: replies)
    }
  }

  private func entry(_ name: String, _ world: WKContentWorld) -> Entry? {
    entries.first { $0.name == name && $0.world === world }
  }

  /// Gives a message to its handler. Without one, because it was removed meanwhile, the message is dropped; whoever waits
  /// for a reply is told.
  func deliver(_ scriptMessage: ScriptMessage, to webView: WKWebView) {
    let message = WKScriptMessage(scriptMessage, webView: webView)
    let reply = scriptMessage.id.map { webView.session.reply(to: $0, scriptMessage.receipt) }
    switch entry(message.name, message.world)?.receiver {
    case .plain(let handler):
      handler.userContentController(self, didReceive: message)
      reply?.give(nil, nil)
    case .replying(let handler):
      guard let reply else { return }
      let give: @MainActor (Any?, String?) -> Void = { reply.give($0, $1) }
      handler.userContentController(self, didReceive: message, replyHandler: give)
    case nil: break
    }
  }

  private func report(_ mistake: String) {
    StandardError.write(mistake)
    for host in hosts { host.events.record("error", ["message": .string(mistake)]) }
  }

  func observe(_ session: WebViewSession) {
    observers.removeAll { $0.session == nil }
    observers.append(Observer(session: session))
  }

  /// The hosts that a mistake concerns.
  private var hosts: [WebViewHost] {
    let own = observers.compactMap { $0.session?.host }
    if !own.isEmpty { return own }
    return WebViewHost.current.map { [$0] } ?? WebViewHost.all
  }

  private func changed() {
    for observer in observers { observer.session?.configurationChanged() }
  }
}
