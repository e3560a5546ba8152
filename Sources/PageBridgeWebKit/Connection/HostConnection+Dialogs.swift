import BridgeProtocol

extension HostConnection {
  /// A page's script stands still. The main actor hears of it behind the messages that the page has sent before.
  func asked(_ request: DialogRequest) {
    guard let record = sessions[request.session] else {
      put(HostControl.dialogAnswer(id: request.id, session: request.session, .value(nil)))
      return
    }
    events.record(
      "dialog", ["id": .number(Double(request.id)), "kind": .string(request.kind?.rawValue ?? "unknown")],
      session: request.session)
    record.dialogs.append(request)
    releaseDialogs(record)
    if !record.dialogs.isEmpty, record.dialogTimer == nil { beBriefAbout(record) }
  }

  /// Ends the wait for messages that do not come: a browser may keep some of many until the script goes on.
  private func beBriefAbout(_ record: SessionRecord) {
    let before = record.dialogs.map { record.channel.received(document: $0.document) }
    record.dialogTimer = transport.schedule(after: Limits.dialogPatience) { [self, weak record] in
      guard let record else { return }
      record.dialogTimer = nil
      guard !record.dialogs.isEmpty else { return }
      if before == record.dialogs.map({ record.channel.received(document: $0.document) }) {
        for request in record.dialogs { inbox.post(.dialog(request)) }
        record.dialogs = []
      } else {
        beBriefAbout(record)
      }
    }
  }

  /// Passes on the dialogs whose page's messages have come, or cannot come because its socket is gone.
  func releaseDialogs(_ record: SessionRecord) {
    guard !record.dialogs.isEmpty else { return }
    let waiting = record.dialogs
    record.dialogs = []
    for request in waiting {
      let isAttached = record.channel.isAttached && record.channel.currentDocument == request.document
      if isAttached, record.channel.received(document: request.document) < request.after {
        record.dialogs.append(request)
      } else {
        inbox.post(.dialog(request))
      }
    }
  }

  func dialogCancelled(_ id: Int, _ session: String) {
    sessions[session]?.dialogs.removeAll { $0.id == id }
    events.record("dialogCancel", ["id": .number(Double(id))], session: session)
    inbox.post(.dialogCancelled(session: session, id: id))
  }

  /// Answers a dialog; a text too long for the wire is reported and answered as if it had been cancelled.
  func answerDialog(_ id: Int, _ session: String, _ answer: DialogAnswer) {
    var text = HostControl.dialogAnswer(id: id, session: session, answer)
    if text.count > Limits.maxWireBytes {
      let message =
        "a dialog's answer has \(text.count) bytes on the wire; the limit is \(Limits.maxWireBytes) bytes"
      StandardError.write(message)
      events.record("error", ["message": .string(message)], session: session)
      text = HostControl.dialogAnswer(id: id, session: session, .value(nil))
    }
    put(text)
  }
}
