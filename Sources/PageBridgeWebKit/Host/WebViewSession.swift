/// The main actor's side of one session; it outlives its web view, so that each call ends once.
@MainActor
final class WebViewSession {
  /// Ends a call with its value, or with a ``WKError`` or ``EvaluationError``.
  typealias Completion = @MainActor (Result<(object: Any?, wire: WireValue), any Error>) -> Void

  let id: String
  let connection: HostConnection
  private(set) weak var host: WebViewHost?
  private(set) weak var webView: WKWebView?
  /// The visitor that the session belongs to, if any.
  weak var scene: WebViewScene?
  private(set) var isEnded = false
  /// Requests that handlers of the app's schemes answer.
  var schemeTasks: [Int: SchemeTask] = [:]
  private var calls: [String: Completion] = [:]
  private var callCount = 0
  /// Calls that end with the attachment, since a page that is away need not be waited for.
  private var questions: Set<String> = []
  private var isAnnounced = false
  /// Handlers of a session without a web view: a viewer's own.
  private let ownHandlers: [SessionConfiguration.Handler]
  private let scriptToken = RandomToken.bits128()
  /// Whether what comes waits until a question is answered, and what waits.
  var isHolding = false
  var held: [MainEvent] = []
  /// The document whose socket came last.
  var document: String?
  /// Whether that document's socket is up.
  var isAttached = false
  /// The session whose page has opened this one's, and hears of its end.
  weak var opener: WebViewSession?
  /// Dialogs of the page that were not answered when the last one came.
  private(set) var dialogs: [Int: PageDialog] = [:]

  init(id: String, host: WebViewHost, ownHandlers: [String] = []) {
    self.id = id
    self.host = host
    self.ownHandlers = ownHandlers.map { SessionConfiguration.Handler(name: $0) }
    connection = host.connection
  }

  func adopt(_ webView: WKWebView) {
    self.webView = webView
    webView.configuration.userContentController.observe(self)
  }

  // MARK: Configuration

  /// The relay and pages learn of the session from here on.
  func announce(screen: String? = nil, isHostFirst: Bool) {
    isAnnounced = true
    if isHostFirst {
      connection.submit(.create(session: id, configuration, screen: screen))
    } else {
      connection.submit(.opened(session: id, configuration))
    }
  }

  func configurationChanged() {
    guard isAnnounced, !isEnded else { return }
    connection.submit(.configure(session: id, configuration))
  }

  private var configuration: SessionConfiguration {
    let controller = webView?.configuration.userContentController
    return SessionConfiguration(
      handlers: controller?.handlers ?? ownHandlers,
      settings: webView?.settings ?? [],
      scripts: (controller?.userScripts ?? []).map { script in
        SessionConfiguration.Script(
          source: script.source, isAtEnd: script.injectionTime == .atDocumentEnd,
          isMainFrameOnly: script.isForMainFrameOnly, world: script.world.wireName)
      },
      scriptToken: scriptToken,
      schemes: webView?.configuration.schemes ?? [],
      version: GrowingNumber.next())
  }

  // MARK: Schemes

  /// A page wants a resource of one of the app's schemes.
  func start(_ request: SchemeRequest) {
    guard let webView, let scheme = request.urlRequest.url?.scheme,
      let handler = webView.configuration.urlSchemeHandler(forURLScheme: scheme)
    else {
      return connection.submit(.schemeEnd(id: request.id, failure: "the web view is gone"))
    }
    let task = SchemeTask(request, handler: handler, session: self)
    schemeTasks[request.id] = task
    handler.webView(webView, start: task)
  }

  /// A page does not want a resource any more.
  func stopTask(_ id: Int) {
    guard let task = schemeTasks.removeValue(forKey: id), let webView else { return }
    task.stop(webView)
  }

  // MARK: Calls

  /// Calls the page; the completion runs once, later, on the main actor.
  ///
  /// - Parameter timeout: how long it may take; nil for as long as the page lives.
  func call(
    _ method: String, _ params: WireValue, timeout: Duration? = nil, _ completion: @escaping Completion
  ) {
    callCount += 1
    let id = "\(connection.epoch)-\(callCount)"
    calls[id] = completion
    connection.submit(.call(session: self.id, id: id, method: method, params: params, timeout: timeout))
  }

  /// Asks the attached page; the completion gets nil when it gives no answer or goes away.
  func askPage(
    _ method: String, _ params: WireValue, _ completion: @escaping @MainActor (WireValue?) -> Void
  ) {
    call(method, params) { result in completion(try? result.get().wire) }
    questions.insert("\(connection.epoch)-\(callCount)")
  }

  /// The page is away: what was asked of it has no answer.
  func endQuestions() {
    for call in questions { finish(call, .failure(ScriptFailure(code: 1))) }
  }

  /// Has a change of website data carried out by the attached page, or by the next one.
  func change(_ change: WebsiteChange, _ completion: @escaping @MainActor () -> Void) {
    guard !isEnded else { return completion() }
    callCount += 1
    let call = "\(connection.epoch)-\(callCount)"
    calls[call] = { _ in completion() }
    connection.submit(.changeWebsite(session: id, call: call, change))
  }

  func notify(_ method: String, _ params: WireValue = [:]) {
    guard !isEnded else { return }
    connection.submit(.notify(session: id, method: method, params: params))
  }

  func finish(_ call: String, _ outcome: CallOutcome) {
    questions.remove(call)
    guard let completion = calls.removeValue(forKey: call) else { return }
    switch outcome {
    case .value(let value): completion(.success((value.value, value.wire)))
    case .failure(let failure): completion(.failure(failure.error(context: webView?.pageAddress ?? "")))
    }
  }

  /// Ends all calls that are pending, in the order they were made.
  func finishAll(_ code: WKError.Code) {
    let pending = calls.sorted { Self.count($0.key) < Self.count($1.key) }
    calls = [:]
    questions = []
    for (_, completion) in pending { completion(.failure(WKError(code))) }
  }

  /// Ends the session for relay and pages.
  func end(reason: String) {
    guard !isEnded else { return }
    markEnded()
    connection.submit(.end(session: id, reason: reason))
  }

  /// The session is over already.
  func markEnded() {
    guard !isEnded else { return }
    isEnded = true
    isAttached = false
    cancelDialogs()
    for id in schemeTasks.keys.sorted() { stopTask(id) }
    opener?.notify("windowClosed", ["window": .string(id)])
  }

  private static func count(_ call: String) -> Int {
    call.split(separator: "-").last.flatMap { Int($0) } ?? 0
  }

  /// The answer to a message of the page; dropped once the page or the session is another.
  func reply(to id: String, _ receipt: Receipt) -> ScriptReply {
    let connection = connection
    return ScriptReply(
      mistaken: mistaken,
      handler: { answer in
        connection.submit(.reply(session: receipt.session, document: receipt.document, id: id, answer))
      })
  }

  /// Reports a mistake of the app that WebKit would stop it for.
  var mistaken: @Sendable (String) -> Void {
    let events = host?.events
    return { [id] mistake in
      StandardError.write(mistake)
      events?.record("error", ["message": .string(mistake)], session: id)
    }
  }

  // MARK: Dialogs

  /// A page's script waits for an answer.
  func ask(_ request: DialogRequest) {
    let dialog = PageDialog(request, connection: connection)
    dialogs = dialogs.filter { !$0.value.isOver }
    dialogs[request.id] = dialog
    guard let webView else { return dialog.answer(nil) }
    webView.ask(dialog)
  }

  func cancelDialog(_ id: Int) {
    dialogs.removeValue(forKey: id)?.cancel()
  }

  /// Pages are gone, and with them what they asked for: those of one document, all but those of one, or all.
  func cancelDialogs(of document: String? = nil, except kept: String? = nil) {
    let gone = dialogs.filter { _, dialog in
      dialog.request.document != kept && (document == nil || dialog.request.document == document)
    }
    for (id, dialog) in gone.sorted(by: { $0.key < $1.key }) {
      dialogs[id] = nil
      dialog.cancel()
    }
  }

  // MARK: Addresses

  /// An address that opens the session once, within ``Limits/ticketLifetime``: the ticket stands last in the fragment.
  func ticketed(_ url: String) -> String {
    let ticket = "\(id).\(RandomToken.bits128())"
    connection.submit(.ticket(session: id, text: ticket))
    return url + (url.contains("#") ? "&" : "#") + "pagebridge=" + ticket
  }
}

/// Versions of configurations and numbers of loads: they grow with each one, and over restarts, since they begin with the time.
@MainActor
enum GrowingNumber {
  private static var last = Int(Date().timeIntervalSince1970 * 1_000)

  static func next() -> Int {
    last += 1
    return last
  }
}
