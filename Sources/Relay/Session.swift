import BridgeProtocol
import WebSocketTransport

/// One web view: which page has it, and which of its documents the host knows.
final class Session {
  let id: String
  unowned let instance: Instance
  let slot: UnsafeMutablePointer<SessionSlot>
  /// The socket that has the session; its document may still wait to be opened.
  var page: PageSocket?
  /// The document that came last, by attach or hello.
  var document: String?
  /// A document that may take the session over without more ado, since its attach was granted.
  var heir: String?
  /// Documents that the host's process has answered `opened` for, the newest last.
  private(set) var opened: [String] = []
  /// Questions to the host that have no answer yet, by document.
  var opens: [String: PendingOpen] = [:]
  /// Dialogs of its pages that the host has not answered, by their number.
  var dialogs: [Int: DialogExchange] = [:]
  /// A page that left while the host was away.
  var missedAway: (document: String, code: UInt16)?
  var isForgotten = false
  /// Whether its host has spoken of it, so that it is more than what a visitor says.
  private(set) var isVouchedFor = false
  private var claim: PendingClaim?

  init(id: String, instance: Instance, slot: UnsafeMutablePointer<SessionSlot>) {
    self.id = id
    self.instance = instance
    self.slot = slot
  }

  /// Takes a question out that is settled; a dictionary that was emptied would keep its memory.
  func takeOpen(_ document: String) -> PendingOpen? {
    let open = opens.removeValue(forKey: document)
    if opens.isEmpty { opens = [:] }
    return open
  }

  func isOpened(_ document: String) -> Bool { opened.contains(document) }

  /// The host has made the session itself, or knows it.
  func vouch() {
    isVouchedFor = true
  }

  func noteOpened(_ document: String) {
    isVouchedFor = true
    opened.removeAll { $0 == document }
    opened.append(document)
    if opened.count > Limits.rememberedDocuments { opened.removeFirst() }
  }

  /// Another process is the host now: it knows no document.
  func forgetOpened() {
    opened = []
  }

  /// Lets the host's messages for the document through to the socket.
  func connect(document: String, to socket: Socket) {
    slot.pointee.document = Array(document.utf8).withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
    slot.pointee.socket = socket
  }

  /// Holds the host's messages back.
  func disconnect() {
    guard !isForgotten else { return }
    slot.pointee.socket = nil
  }

  // MARK: Claims

  /// Pings the page that has the session; tells whether it lives, within the time.
  func askWhetherPageLives(core: LoopCore, timeout: Duration, _ answer: @escaping (Bool) -> Void) {
    guard let socket = page?.socket, !socket.pointee.isClosing else {
      answer(false)
      return
    }
    if let claim {
      claim.answers.append(answer)
      return
    }
    let claim = PendingClaim()
    claim.answers = [answer]
    claim.timer = LoopTimer(core: core, after: timeout) { [weak self] in self?.settleClaim(false) }
    self.claim = claim
    // Only a pong with a payload is told.
    socket.sendPing(payload: "claim")
  }

  func claimWasAnswered() {
    settleClaim(true)
  }

  /// The page that was asked is gone.
  func claimedPageWent() {
    settleClaim(false)
  }

  private func settleClaim(_ isAlive: Bool) {
    guard let claim else { return }
    self.claim = nil
    claim.timer?.cancel()
    for answer in claim.answers { answer(isAlive) }
  }
}

/// A ping that must be answered, and who waits for it.
private final class PendingClaim {
  var answers: [(Bool) -> Void] = []
  var timer: LoopTimer?
}

/// What a host says to `open`.
enum OpenOutcome {
  case opened(config: [UInt8]?)
  /// The host has ended the session.
  case ended
  /// No answer in time, or no host to give it.
  case silent
}

/// An `open` that the host has not answered.
final class PendingOpen {
  /// The question, to be asked again when the host comes back.
  let text: String
  private var waiters: [(OpenOutcome) -> Void] = []
  private var timer: LoopTimer?

  init(text: String, core: LoopCore, timeout: Duration, expired: @escaping () -> Void) {
    self.text = text
    timer = LoopTimer(core: core, after: timeout, expired)
  }

  func wait(_ waiter: @escaping (OpenOutcome) -> Void) {
    waiters.append(waiter)
  }

  func settle(_ outcome: OpenOutcome) {
    timer?.cancel()
    timer = nil
    let waiters = waiters
    self.waiters = []
    for waiter in waiters { waiter(outcome) }
  }
}
