import BridgeProtocol
import Foundation
import WebSocketTransport

/// A page's script that stands still, because it asked for a dialog, until the host has answered.
final class DialogExchange {
  let id: Int
  let document: String
  private let answer: JSONAnswer
  private unowned let session: Session

  /// Why a dialog has no answer of the host.
  enum Absence: String {
    case noHost = "no host"
    case noSession = "no session"
    case hostGone = "host gone"
    case sessionOver = "session over"
    case pageGone = "page gone"
    case relayStops = "relay stops"
  }

  /// Asks the host.
  init(id: Int, body: DialogBody, session: Session, host: HostSocket, answer: JSONAnswer) {
    self.id = id
    document = body.document
    self.session = session
    self.answer = answer
    session.dialogs[id] = self
    answer.exchange.onAbandoned = { [weak self] in self?.leave(.pageGone) }
    host.send(body.text(id: id, session: session.id))
  }

  /// Passes the host's answer on.
  func answer(_ control: HostControl.DialogAnswer) {
    settle()
    if control.present == true {
      answer.respond(200, JSONText().adding("present", true).adding("id", id).object)
    } else {
      let value = control.value.map { String(decoding: $0, as: UTF8.self) } ?? "null"
      answer.respond(200, JSONText().adding("value", raw: value).object)
    }
  }

  /// Lets the page go on without an answer, and tells the host, if it is there, that none is wanted any more.
  func leave(_ absence: Absence) {
    guard session.dialogs[id] === self else { return }
    settle()
    switch absence {
    case .pageGone, .sessionOver:
      session.instance.host?.send(
        JSONText().adding("id", id).adding("session", session.id).wrapped(in: "dialogCancel"))
    case .noHost, .noSession, .hostGone, .relayStops: break
    }
    answer.isUnanswered(absence)
  }

  private func settle() {
    session.dialogs[id] = nil
    answer.exchange.onAbandoned = nil
  }
}

extension Session {
  /// Ends dialogs that nobody will answer, of one document or of all.
  func leaveDialogs(_ absence: DialogExchange.Absence, of document: String? = nil) {
    for dialog in Array(dialogs.values) where document == nil || dialog.document == document {
      dialog.leave(absence)
    }
  }
}

extension JSONAnswer {
  /// The page answers for itself, as a web view without a delegate does.
  func isUnanswered(_ absence: DialogExchange.Absence) {
    respond(200, JSONText().adding("unanswered", absence.rawValue).object)
  }
}

/// The body of a dialog request: checked, and passed on as the page wrote it.
struct DialogBody: Decodable {
  var app: String
  var session: String
  var key: String
  var document: String
  var kind: Kind
  /// The last of the page's numbered messages that went out before.
  var after: Int
  private var raw: [UInt8] = []

  enum Kind: String, Decodable {
    case alert, confirm, prompt, open
  }

  enum CodingKeys: CodingKey { case app, session, key, document, kind, after }

  private struct Parts: Decodable {
    struct Frame: Decodable { var main: Bool }
    var text: String
    var `default`: String?
    var target: String?
    var features: String?
    var frame: Frame
  }

  /// Reads a body; nil if it is not JSON of the right shape.
  init?(_ text: [UInt8]) {
    let data = Data(text)
    let decoder = JSONDecoder()
    // Members are passed on as they are, and the host's reader is strict.
    guard JSONSlice.isStrict(text), var body = try? decoder.decode(DialogBody.self, from: data),
      (try? decoder.decode(Parts.self, from: data)) != nil, body.after >= 0
    else { return nil }
    body.raw = text
    self = body
  }

  /// What the host is told.
  func text(id: Int, session: String) -> String {
    func slice(_ name: String) -> String? {
      JSONSlice.member(name, of: raw).map { String(decoding: $0, as: UTF8.self) }
    }
    return JSONText().adding("id", id).adding("session", session).adding("document", document)
      .adding("kind", kind.rawValue).adding("text", raw: slice("text"))
      .adding("default", raw: slice("default")).adding("target", raw: slice("target"))
      .adding("features", raw: slice("features")).adding("frame", raw: slice("frame"))
      .adding("after", after).wrapped(in: "dialog")
  }
}
