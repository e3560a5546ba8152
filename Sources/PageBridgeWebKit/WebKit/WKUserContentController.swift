/// What a web view gives to its pages: message handlers and user scripts. See Apple's page "WKUserContentController".
///
/// One controller may serve several web views. Changes reach loaded pages at once; user scripts run in later documents.
@MainActor
public final class WKUserContentController: NSObject {
  private struct Entry {
    let name: String
    let handler: any WKScriptMessageHandler
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
    guard !name.isEmpty, handler(named: name) == nil else {
      let message =
        name.isEmpty
        ? "a script message handler needs a name"
        : "a script message handler named '\(name)' is there already; the first one stays"
      StandardError.write(message)
      for host in hosts { host.events.record("error", ["message": .string(message)]) }
      return
    }
    entries.append(Entry(name: name, handler: scriptMessageHandler))
    changed()
  }

  /// Takes a name away from pages; messages under way to it are dropped. Nothing happens if it has no handler.
  public func removeScriptMessageHandler(forName name: String) {
    guard handler(named: name) != nil else { return }
    entries.removeAll { $0.name == name }
    changed()
  }

  /// Takes all names away from pages.
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

  var handlerNames: [String] { entries.map(\.name) }

  func handler(named name: String) -> (any WKScriptMessageHandler)? {
    entries.first { $0.name == name }?.handler
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
