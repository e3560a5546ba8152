import Observation
import PageBridgeWebKit

/// What the app knows of one web view; each change is recorded and shown.
@MainActor
@Observable
final class SquadModel {
  /// What the app shows over its page besides the page's state.
  enum Panel: Hashable, Sendable {
    case log, tools
  }

  /// A load that waits to be tried again.
  struct WaitingRetry: Hashable, Sendable {
    var attempt: Int
    var of: Int
    var wait: Duration
  }

  private(set) var state = SquadState.loading
  private(set) var retry: WaitingRetry?
  private(set) var call: SquadCall?
  private(set) var route: String?
  private(set) var productError: SquadProductError?
  private(set) var refused = 0
  private(set) var ignored = 0
  private(set) var cachedPages = 0
  private(set) var isObserving = false
  private(set) var log = SquadLog()
  /// The newest load's time.
  private(set) var loadTime: Duration?
  /// Bytes of the process, once somebody has asked.
  private(set) var memory: Int?
  /// The names of the cookies that were read last.
  private(set) var cookies: [String]?
  var panel: Panel?
  /// What stands in the field for a message.
  var messageText = #"{"type":"state","data":{"score":"2:1"}}"#

  @ObservationIgnored private let record: SquadRecorder
  @ObservationIgnored private var told: [SquadRecord.StateKey: WireValue] = [:]

  init(record: SquadRecorder) {
    self.record = record
    tell()
  }

  /// Whether something is under way that the user should see.
  var showsIndicator: Bool { state == .loading }

  /// The error that is shown, with the view it belongs to.
  var failure: SquadFailure? {
    if case .error(let failure) = state { failure } else { nil }
  }

  // MARK: The page

  func loading() {
    state = .loading
    retry = nil
    tell()
  }

  func ready() {
    state = .ready
    retry = nil
    tell()
  }

  func failed(_ failure: SquadFailure) {
    state = .error(failure)
    retry = nil
    note(.app, "\(failure.kind.rawValue) error \(failure.code): \(failure.text)")
    tell()
  }

  func waits(for retry: WaitingRetry) {
    self.retry = retry
    tell()
  }

  func loaded(_ url: URL?, in time: Duration) {
    loadTime = time
    let seconds = time / .seconds(1)
    record(.loadTime, ["url": Self.value(url), "seconds": .number(seconds)])
    note(.app, "loaded in \((seconds * 1_000).rounded() / 1_000) s")
  }

  // MARK: Messages

  func received(_ message: SquadMessage, value: WireValue) {
    record(.received, ["kind": .string(message.kind.rawValue), "value": value])
    note(.fromPage, SquadLog.text(value))
  }

  func refused(_ value: WireValue, _ refusal: SquadRefusal) {
    refused += 1
    switch refusal.reason {
    case .notAnObject, .notTheMainFrame, .typeMissing, .typeNotText: ignored += 1
    case .unknownType, .dataMissing, .dataNotAnObject, .fieldMissing, .fieldNotText, .fieldEmpty,
      .fieldTooLong, .unknownAction, .addressNotAllowed:
      break
    }
    record(
      .refusal,
      [
        "reason": .string(refusal.reason.rawValue), "type": refusal.type.map { .string($0) } ?? .null,
        "field": refusal.field.map { .string($0) } ?? .null, "value": value,
      ])
    note(.fromPage, "refused, \(refusal.text)")
    tell()
  }

  func sent(_ value: WireValue, _ delivery: SquadBridge.Delivery) {
    var message: WireValue = .null
    if case .failed(let text) = delivery { message = .string(text) }
    record(.sent, ["value": value, "result": .string(delivery.name), "message": message])
    switch delivery {
    case .delivered: note(.toPage, SquadLog.text(value))
    case .queued: note(.toPage, "waits for a listener: " + SquadLog.text(value))
    case .failed(let text): bridgeError(text)
    case .unencodable: bridgeError("the message cannot be encoded")
    }
  }

  private func bridgeError(_ text: String) {
    record(.bridgeError, ["text": .string(text)])
    note(.toPage, "bridge error: \(text)")
  }

  func set(call: SquadCall?) {
    self.call = call
    tell()
  }

  func set(route: String) {
    self.route = route
    tell()
  }

  func set(productError: SquadProductError?) {
    self.productError = productError
    tell()
  }

  // MARK: What the app does

  func note(_ direction: SquadLog.Direction, _ text: String) {
    let entry = log.add(direction, text)
    record(.log, ["direction": .string(direction.rawValue), "text": .string(entry.text)])
  }

  func observes(_ isObserving: Bool) {
    self.isObserving = isObserving
    tell()
  }

  func keeps(pages: Int) {
    cachedPages = pages
    tell()
  }

  func measured(memory: Int?) {
    self.memory = memory
    record(.memory, ["resident": memory.map { .number(Double($0)) } ?? .null])
    note(.app, "memory: " + (memory.map(SquadMemory.text) ?? "not known"))
  }

  func read(cookies names: [String]) {
    cookies = names
    record(.cookies, ["names": .array(names.map { .string($0) })])
    note(.app, "cookies: " + (names.isEmpty ? "none" : names.joined(separator: ", ")))
  }

  func clearedData() {
    cookies = nil
    record(.dataCleared)
    note(.app, "the page’s data were removed")
  }

  /// What the web view was made with, for those who look at the records.
  func configured(_ configuration: WKWebViewConfiguration, hasOwnPool: Bool) {
    let media = configuration.mediaTypesRequiringUserActionForPlayback
    record(
      .allowsContentJavaScript, .bool(configuration.defaultWebpagePreferences.allowsContentJavaScript))
    record(
      .gestureMedia,
      .array((media.contains(.audio) ? ["audio"] : []) + (media.contains(.video) ? ["video"] : [])))
    record(.allowsInlineMediaPlayback, .bool(configuration.allowsInlineMediaPlayback))
    record(.ownProcessPool, .bool(hasOwnPool))
  }

  // MARK: Telling

  static func value(_ url: URL?) -> WireValue { url.map { .string($0.absoluteString) } ?? .null }

  private func tell() {
    tell(.state, .string(state.name))
    tell(
      .failure,
      failure.map {
        ["kind": .string($0.kind.rawValue), "code": .number(Double($0.code)), "text": .string($0.text)]
      } ?? .null)
    tell(.indicator, .bool(showsIndicator))
    tell(.offlineView, .bool(failure?.kind == .offline))
    tell(.errorView, failure.flatMap { $0.kind == .offline ? nil : .string($0.text) } ?? .null)
    tell(
      .retry,
      retry.map {
        [
          "attempt": .number(Double($0.attempt)), "of": .number(Double($0.of)),
          "seconds": .number($0.wait / .seconds(1)),
        ]
      } ?? .null)
    tell(
      .call,
      call.map {
        [
          "id": .string($0.id), "title": .string($0.title), "phase": .string($0.phase.rawValue),
          "emoji": .array($0.emoji.map { .string($0) }),
        ]
      } ?? .null)
    tell(.route, route.map { .string($0) } ?? .null)
    tell(
      .productError,
      productError.map { ["code": .string($0.code), "text": .string($0.text)] } ?? .null)
    tell(.refused, .number(Double(refused)))
    tell(.ignored, .number(Double(ignored)))
    tell(.cachedPages, .number(Double(cachedPages)))
    tell(.isObserving, .bool(isObserving))
  }

  private func tell(_ key: SquadRecord.StateKey, _ value: WireValue) {
    guard told[key] != value else { return }
    told[key] = value
    record(key, value)
  }
}
