import BridgeProtocol
import BridgeSession

extension HostConnection {
  /// Notes a change for the session's pages and has the attached one carry it out, if it can.
  ///
  /// - Parameter call: ends when that is done, or at once when it waits for a page.
  func changeWebsite(_ session: String, _ call: String, _ change: WebsiteChange) {
    guard let record = sessions[session] else {
      inbox.post(.callEnded(session: session, call: call, .failure(ScriptFailure(code: 2))))
      return
    }
    if record.website.add(change) {
      events.record(
        "error", ["message": "too many changes of website data wait; the oldest is given up"],
        session: session)
    }
    record.websiteCalls[change.number] = call
    changeWebsite(record)
    if !record.website.isFlying(change.number) { finishWebsite(record, [change]) }
  }

  /// Has the attached page carry out what waits for its place.
  func changeWebsite(_ record: SessionRecord) {
    // Until its sync has come, a document may still be given changes with its start.
    guard !record.website.isEmpty, record.channel.isAttached, let document = record.channel.currentDocument,
      document == record.syncedDocument,
      let place = record.places[document]
    else { return }
    let session = record.channel.session
    websiteFlights += 1
    let id = "\(epoch)-website-\(websiteFlights)"
    let changes = record.website.take(for: place, carrier: id)
    guard !changes.isEmpty else { return }
    record.websiteFlights.insert(id)
    var writer = JSONWriter()
    writer.shallow([
      "action": "change", "changes": .array(changes.map { $0.value(session: session) }),
    ])
    perform(record.channel.call(id, method: "websiteData", params: writer.bytes), record)
  }

  /// The changes that a starting document is to carry out before its page's first script.
  func websiteChanges(for document: String, _ record: SessionRecord) -> [WireValue] {
    guard !record.website.isEmpty, let place = record.places[document] else { return [] }
    // A document that was started and never came has carried out nothing.
    if let earlier = record.startingDocument, earlier != document { _ = record.website.lost(earlier) }
    // What a document that is being left was told a moment ago, it may not have done: the new one does it.
    for flight in record.websiteFlights { _ = record.website.lost(flight) }
    record.websiteFlights = []
    record.startingDocument = document
    return record.website.take(for: place, carrier: document).map {
      $0.value(session: record.channel.session)
    }
  }

  /// The document has begun to talk: what its start carried is done, and what came meanwhile follows.
  func websiteSynced(_ document: String, _ record: SessionRecord) {
    let changes = record.website.arrived(document)
    tellCarriedOut(record, changes)
    finishWebsite(record, changes)
    record.syncedDocument = document
    if record.startingDocument == document { record.startingDocument = nil }
    changeWebsite(record)
  }

  /// Takes the end of a call that carried changes; answers whether it was one.
  func websiteFinished(_ call: String, _ end: HostSession.CallEnd, _ record: SessionRecord) -> Bool {
    guard record.websiteFlights.remove(call) != nil else { return false }
    switch end {
    case .result, .error:
      let changes = record.website.arrived(call)
      tellCarriedOut(record, changes)
      finishWebsite(record, changes)
    case .pageReplaced:
      finishWebsite(record, record.website.lost(call))
      changeWebsite(record)
    case .pageGone, .refused:
      finishWebsite(record, record.website.lost(call))
    }
    return true
  }

  private func tellCarriedOut(_ record: SessionRecord, _ changes: [WebsiteChange]) {
    guard !changes.isEmpty else { return }
    inbox.post(.websiteChanged(session: record.channel.session, changes: changes.map(\.number)))
  }

  private func finishWebsite(_ record: SessionRecord, _ changes: [WebsiteChange]) {
    for change in changes {
      guard let call = record.websiteCalls.removeValue(forKey: change.number) else { continue }
      inbox.post(
        .callEnded(session: record.channel.session, call: call, .value(ForeignValue(.undefined))))
    }
  }

  /// The answer to a page that fetches a cookie which its scripts may not see.
  func serveCookie(_ request: ContentRequest, _ record: SessionRecord) {
    let number = Int(request.path.dropFirst(WebsiteChange.visitPrefix.count)) ?? 0
    guard let header = record.website.takeHeader(number) else {
      return refuse(request, status: 404, "Not found.\n")
    }
    put(
      HostControl.contentHead(
        id: request.id, status: 204, headers: [("Set-Cookie", header), ("Cache-Control", "no-store")],
        length: 0))
    put(HostControl.contentEnd(id: request.id, error: nil))
  }
}
