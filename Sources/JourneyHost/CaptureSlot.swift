import Observation

/// The typed place for one camera capability: the app puts a handler into it, whose user interface may complete the request
/// later.
///
/// One request at a time: a second one is answered with `BUSY` while ``activeRequest`` is there.
@MainActor
@Observable
public final class CaptureSlot {
  /// Answers a request. What it throws becomes `INTERNAL_ERROR`, unless it is a ``BridgeError``.
  public typealias Handler = @MainActor (BridgeMessage) async throws -> CaptureResult

  /// Which picture the slot is for.
  public enum Kind: String, Hashable, Sendable {
    /// A document, for `camera.document.capture`.
    case document
    /// The user's face, for `camera.selfie.capture`.
    case selfie
  }

  /// Which picture the slot is for.
  public let kind: Kind

  /// What answers requests; requests that were parked for want of one are offered to it when it is set.
  public var handler: Handler? {
    didSet { supportChanged() }
  }

  /// Whether the capability is offered.
  public var isEnabled = true {
    didSet { supportChanged() }
  }

  /// Whether the camera may be used, as the query tells the page.
  public var permissionState = PermissionState.notDetermined

  /// The request that is being answered.
  public private(set) var activeRequest: BridgeMessage?

  /// Whether requests are answered: there is a handler, and the slot is enabled.
  public var isSupported: Bool { handler != nil && isEnabled }

  /// The capability's id in the query's answer.
  var capability: String { "camera.\(kind.rawValue)" }
  /// The action of its requests.
  var action: String { "camera.\(kind.rawValue).capture" }

  @ObservationIgnored var onSupportChange: @MainActor () -> Void = {}
  @ObservationIgnored private var waiting: [CheckedContinuation<CaptureResult, Never>] = []
  /// How the active request was completed, for a handler that has yet to ask.
  @ObservationIgnored private var result: CaptureResult?
  @ObservationIgnored private var run = 0

  init(_ kind: Kind) {
    self.kind = kind
  }

  /// Waits, inside the handler, until ``complete(_:)`` is called. Without an active request it is cancelled at once.
  public func awaitCompletion() async -> CaptureResult {
    if let result { return result }
    guard activeRequest != nil else { return .cancelled(reason: "No request is active") }
    return await withCheckedContinuation { waiting.append($0) }
  }

  /// Gives the active request its result; says whether this is the one that counts. Only the first one does, and none
  /// without an active request.
  @discardableResult
  public func complete(_ result: CaptureResult) -> Bool {
    guard activeRequest != nil, self.result == nil else { return false }
    self.result = result
    resumeWaiting(result)
    return true
  }

  // MARK: For the host

  /// Takes a request; nil if another one is active.
  func begin(_ request: BridgeMessage) -> Int? {
    guard activeRequest == nil else { return nil }
    activeRequest = request
    result = nil
    run += 1
    return run
  }

  /// The handler has returned; false if its request was given up meanwhile.
  func end(_ run: Int) -> Bool {
    guard run == self.run, activeRequest != nil else { return false }
    activeRequest = nil
    resumeWaiting(.cancelled(reason: "The request has ended"))
    return true
  }

  /// Gives the active request up: whoever waits is told, and what the handler returns goes nowhere.
  func abandon(reason: String) {
    guard activeRequest != nil else { return }
    activeRequest = nil
    resumeWaiting(result ?? .cancelled(reason: reason))
  }

  /// What the page is answered; a picture of the other kind is a mistake of the app.
  func response(_ result: CaptureResult) -> BridgeResponse {
    switch (kind, result) {
    case (.document, .document(let document)): .success(document.data)
    case (.selfie, .selfie(let selfie)): .success(selfie.data)
    case (_, .cancelled(let reason)): .cancelled(reason: reason)
    case (_, .failed(let error)): .failure(error)
    case (.document, .selfie), (.selfie, .document):
      .failure(BridgeError(.internalError, "The host captured something else"))
    }
  }

  private func resumeWaiting(_ result: CaptureResult) {
    let resumed = waiting
    waiting = []
    for continuation in resumed { continuation.resume(returning: result) }
  }

  private func supportChanged() {
    if isSupported { onSupportChange() }
  }
}
