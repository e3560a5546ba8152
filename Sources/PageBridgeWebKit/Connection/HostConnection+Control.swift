import BridgeProtocol
import BridgeSession

extension HostConnection {
  /// Takes one control value of the relay.
  func receiveControl(_ text: UnsafeRawBufferPointer) {
    let control: RelayControl?
    do throws(WireError) {
      control = try RelayControl.read(text.assumingMemoryBound(to: UInt8.self))
    } catch {
      events.record("error", ["message": .string("control value: \(error.description)")])
      return
    }
    guard let control else {
      events.record("error", ["message": "the relay sent a control value of another version"])
      return
    }
    switch control {
    case .welcome(let identity): welcomed(identity)
    case .open(let request): open(request)
    case .attached(let session, let document, let attach): attached(session, document, attach)
    case .away(let session, let document, _, let isLeaving): away(session, document, isLeaving: isLeaving)
    case .closed(let session):
      if let record = sessions[session] { inbox.post(.abandoned(session: record.channel.session)) }
    case .refused(let reason, let code, let origin, let address): refused(reason, code, origin, address)
    case .dialog(let request): asked(request)
    case .dialogCancel(let id, let session): dialogCancelled(id, session)
    case .content(let request): serve(request)
    case .contentCredit(let id, let bytes): grant(id, bytes)
    case .contentBody(let id, let bytes, let isLast): receiveBody(id, bytes, isLast: isLast)
    case .contentCancel(let id): cancelStream(id)
    case .error(let code, let message, let session):
      events.record(
        "error", ["code": .number(Double(code)), "message": .string(message)], session: session)
    }
  }

  private func open(_ request: OpenRequest) {
    let session = request.session
    guard let record = sessions[session] else {
      guard request.ticket == nil else {
        refused("the ticket is of a session that is over", 0, request.origin, nil)
        return
      }
      let screen = restoredContents[session]
      let record = SessionRecord(session: session, epoch: epoch, isHostFirst: screen != nil)
      record.screen = screen
      record.remember(document: request.document, limit: Limits.rememberedDocuments)
      record.note(address: request.url, of: request.document)
      record.pendingDocuments = [request.document]
      sessions[session] = record
      awaitSuccessor(record, Self.firstSocketGrace)
      recordOpen(request)
      // What a viewer shows is no visitor: it waits until the viewer's own closure takes it over.
      inbox.post(screen == nil ? .open(request) : .restored(request))
      return
    }
    if let ticket = request.ticket, !record.knows(document: request.document) {
      // A ticket opens the door once; a question that the relay repeats for the same document is no second use.
      guard let timer = record.tickets.removeValue(forKey: ticket) else {
        refused("the ticket is unknown, used or too old", 0, request.origin, nil)
        return
      }
      timer.cancel()
    }
    record.remember(document: request.document, limit: Limits.rememberedDocuments)
    record.note(address: request.url, of: request.document)
    if !record.channel.isAttached { awaitSuccessor(record, Self.firstSocketGrace) }
    recordOpen(request)
    inbox.post(.reopened(request))
    if record.isReady {
      answerOpen(record, request.document)
    } else if !record.pendingDocuments.contains(request.document) {
      record.pendingDocuments.append(request.document)
    }
  }

  private func recordOpen(_ request: OpenRequest) {
    events.record(
      "open",
      [
        "document": .string(request.document), "kind": .string(request.kind.rawValue),
        "url": request.url.map { .string($0) } ?? .null, "resumed": .bool(request.isResumed),
      ], session: request.session)
  }

  private func answerOpen(_ record: SessionRecord, _ document: String) {
    guard let configuration = record.configuration else { return }
    put(HostControl.opened(session: record.channel.session, document: document, configuration))
  }

  private func attached(_ session: String, _ document: String, _ attach: Int) {
    guard let record = sessions[session] else {
      // The session ended while the relay was out of reach.
      put(HostControl.end(session: session, reason: "the session is over"))
      return
    }
    record.successorTimer?.cancel()
    record.successorTimer = nil
    record.remember(document: document, limit: Limits.rememberedDocuments)
    events.record("attached", ["document": .string(document)], session: session)
    record.syncedDocument = nil
    perform(record.channel.attached(document: document, attach: attach), record)
    if let configuration = record.configuration, record.versions[document] != configuration.version {
      sendConfiguration(record, configuration)
    }
    inbox.post(.attached(session: session, document: document))
    releaseDialogs(record)
  }

  private func away(_ session: String, _ document: String, isLeaving: Bool) {
    guard let record = sessions[session] else { return }
    record.channel.away(document: document)
    events.record("away", ["document": .string(document), "leaving": .bool(isLeaving)], session: session)
    if record.channel.currentDocument == document {
      awaitSuccessor(record, isLeaving ? Self.successorGrace : settings.sessionGrace)
    }
    inbox.post(.away(session: session, document: document, isLeaving: isLeaving))
    releaseDialogs(record)
  }

  private func refused(_ reason: String, _ code: Int, _ origin: String?, _ address: String?) {
    events.record(
      "refused",
      [
        "reason": .string(reason), "code": .number(Double(code)),
        "origin": origin.map { .string($0) } ?? .null, "address": address.map { .string($0) } ?? .null,
      ])
  }

  func sendConfiguration(_ record: SessionRecord, _ configuration: SessionConfiguration) {
    if let document = record.channel.currentDocument { record.versions[document] = configuration.version }
    notify(record, method: "configure", .object(configuration.members))
  }

  // MARK: Commands

  /// Carries out one command of the main actor.
  func run(_ command: HostCommand) {
    switch command {
    case .start: startConnecting()
    case .create(let session, let configuration, let screen):
      let record = sessions[session] ?? SessionRecord(session: session, epoch: epoch, isHostFirst: true)
      record.screen = screen
      sessions[session] = record
      restoredContents[session] = nil
      if screen != nil { isStateStale = true }
      put(HostControl.create(session: session))
      becomeReady(record, configuration)
    case .opened(let session, let configuration):
      if let record = sessions[session] { becomeReady(record, configuration) }
    case .abandonRestored(let session):
      restoredContents[session] = nil
      isStateStale = true
      if let record = sessions[session] {
        end(record, reason: "nobody shows it any more")
      } else {
        put(HostControl.end(session: session, reason: "nobody shows it any more"))
      }
    case .configure(let session, let configuration):
      guard let record = sessions[session] else { return }
      record.configuration = configuration
      // Without a document the next one's bootstrap says it all.
      if record.isReady, record.channel.isAttached { sendConfiguration(record, configuration) }
    case .call(let session, let id, let method, let params, let timeout):
      call(session, id, method, params, timeout)
    case .notify(let session, let method, let params):
      guard let record = sessions[session] else { return }
      notify(record, method: method, params)
    case .answer(let session, let document, let id, let result):
      guard let record = sessions[session] else { return }
      var writer = JSONWriter()
      writer.shallow(result)
      perform(record.channel.answer(document: document, id: id, result: writer.bytes), record)
    case .reply(let session, let document, let id, let answer):
      if let record = sessions[session] { reply(record, document, id, answer) }
    case .dialogAnswer(let id, let session, let answer): answerDialog(id, session, answer)
    case .delivery(let session, let tell):
      let counts = sessions[session]?.channel.delivery ?? DeliveryCounts()
      tell(DeliveryState(counts, now: DeliveryClock.now()))
    case .done(let receipts):
      for receipt in receipts {
        guard let record = sessions[receipt.session] else { continue }
        perform(record.channel.done(document: receipt.document, number: receipt.number), record)
      }
    case .expectDocument(let session):
      if let record = sessions[session] { awaitSuccessor(record, Self.successorGrace) }
    case .ticket(let session, let text):
      guard let record = sessions[session] else { return }
      record.tickets[text] = transport.schedule(after: Limits.ticketLifetime) { [weak record] in
        record?.tickets[text] = nil
      }
    case .serve(let session, let path, let content): sessions[session]?.library.serve(content, at: path)
    case .serveFolder(let session, let prefix, let folder):
      sessions[session]?.library.serveFolder(folder, below: prefix)
    case .schemeHead(let id, let head): schemeHead(id, head)
    case .schemeData(let id, let bytes): schemeData(id, bytes)
    case .schemeEnd(let id, let failure): schemeEnd(id, failure: failure)
    case .changeWebsite(let session, let call, let change): changeWebsite(session, call, change)
    case .trafficBody(let screen, let entry):
      guard let record = sessions[screen] else { return }
      notify(record, method: "screen", record.traffic.body(of: entry))
    case .trafficPause(let screen, let isPaused): sessions[screen]?.traffic.isPaused = isPaused
    case .retellTraffic(let screen):
      if let record = sessions[screen] { retellTraffic(record) }
    case .end(let session, let reason):
      if let record = sessions[session] { end(record, reason: reason) }
    case .stop: stopConnecting()
    }
  }

  /// Answers a message of a page that waits for a reply; what does not cross is told as an error.
  private func reply(_ record: SessionRecord, _ document: String, _ id: String, _ answer: ScriptAnswer) {
    var text = ScriptReply.unsupportedValue
    switch answer {
    case .value(let value):
      var writer = JSONWriter()
      do throws(WireError) {
        try writer.value(value)
        // Room for the id and the member names around it.
        if writer.bytes.count < Limits.maxMessageBytes - 256 {
          return perform(record.channel.answer(document: document, id: id, result: writer.bytes), record)
        }
      } catch {
        events.record("error", ["message": .string(error.description)], session: record.channel.session)
      }
    case .error(let message): text = message
    }
    var writer = JSONWriter()
    writer.raw(#"{"code":4,"message":"#)
    writer.string(text)
    writer.raw("}")
    perform(record.channel.answer(document: document, id: id, error: writer.bytes), record)
  }

  private func becomeReady(_ record: SessionRecord, _ configuration: SessionConfiguration) {
    record.configuration = configuration
    record.isReady = true
    for document in record.pendingDocuments { answerOpen(record, document) }
    record.pendingDocuments = []
  }

  private func call(
    _ session: String, _ id: String, _ method: String, _ params: WireValue, _ timeout: Duration?
  ) {
    guard let record = sessions[session] else {
      inbox.post(.callEnded(session: session, call: id, .failure(ScriptFailure(code: 2))))
      return
    }
    var writer = JSONWriter()
    do throws(WireError) {
      if let size = params["source"]?.string?.utf8.count, size > Limits.maxMessageBytes {
        // It is not even written.
        throw WireError(
          .messageTooBig, "a bridge message is too large",
          context: "limit \(Limits.maxMessageBytes) bytes, size \(size) bytes")
      }
      try writer.value(params, enclosing: 1)
    } catch {
      inbox.post(
        .callEnded(session: session, call: id, .failure(ScriptFailure(code: 1, detail: error.description))))
      return
    }
    note(.toPage, name: id, kind: method, body: writer.bytes, record)
    record.shelf.keep(call: id, params: params)
    if let timeout { record.deadlines[id] = deadline(record, id, timeout) }
    perform(record.channel.call(id, method: method, params: writer.bytes), record)
  }

  /// Ends a call that the page has not answered in time.
  private func deadline(_ record: SessionRecord, _ call: String, _ timeout: Duration) -> any HostTimer {
    let session = record.channel.session
    return transport.schedule(after: timeout) { [self, weak record] in
      guard let record, sessions[session] === record, record.deadlines.removeValue(forKey: call) != nil
      else { return }
      record.channel.forget(call: call)
      record.shelf.forget(call: call)
      let failure = ScriptFailure(
        code: EvaluationError.Code.timedOut.rawValue, detail: "the page has not answered within \(timeout)")
      inbox.post(.callEnded(session: session, call: call, .failure(failure)))
    }
  }
}
