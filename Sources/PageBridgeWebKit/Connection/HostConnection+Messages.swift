import BridgeProtocol
import BridgeSession

extension HostConnection {
  /// Takes one bridge message with its wrapper.
  func receiveWrapped(_ text: UnsafeRawBufferPointer) {
    guard Wrapper.matches(text) else {
      events.record("error", ["message": "the relay sent a malformed wrapper"])
      return
    }
    let session = String(
      decoding: text[Wrapper.sessionOffset..<Wrapper.documentOffset - 1], as: UTF8.self)
    let document = String(decoding: text[Wrapper.documentOffset..<Wrapper.prefixLength - 2], as: UTF8.self)
    guard let record = sessions[session] else {
      strayMessages += 1
      return
    }
    let message = Array(text[Wrapper.prefixLength..<text.count - Wrapper.suffixLength])
    do {
      perform(try record.channel.receive(document: document, try Envelope(message)), record)
      releaseDialogs(record)
    } catch {
      fail(record, "\(error)")
    }
  }

  /// Carries out what a session's conversation decided.
  func perform(_ actions: [HostSession.Action], _ record: SessionRecord) {
    let session = record.channel.session
    var synced: String?
    for action in actions {
      switch action {
      case .send(let document, let text):
        var wrapped = Wrapper.prefix(session: session, document: document)
        wrapped.reserveCapacity(wrapped.count + text.count + Wrapper.suffixLength)
        wrapped.append(contentsOf: text)
        wrapped.append(UInt8(ascii: "]"))
        put(wrapped)
      case .deliver(let document, let envelope, let number):
        guard deliver(envelope, Receipt(session: session, document: document, number: number), record)
        else { return }
      case .finish(let call, let end):
        guard finish(call, end, record) else { return }
      case .refused(let error):
        events.record("error", ["message": .string(error.description)], session: session)
      case .acknowledgeLater:
        acknowledgeLater(record)
      case .expectCarried(let document): expectCarried(document, record)
      case .synced(let document): synced = document
      }
    }
    // Behind what is sent again, whose numbers are lower.
    if let synced { websiteSynced(synced, record) }
  }

  /// Answers whether the session goes on.
  private func deliver(_ envelope: Envelope, _ receipt: Receipt, _ record: SessionRecord) -> Bool {
    let report: PageReport
    do throws(WireError) {
      report = try PageReport(envelope, receipt: receipt)
    } catch {
      fail(record, error.description)
      return false
    }
    switch report {
    case .message(let message):
      events.record(
        "message",
        ["name": .string(message.handler), "bytes": .number(Double(envelope.params?.count ?? 0))],
        session: receipt.session)
      note(.toHost, name: message.handler, kind: "message", body: envelope.params ?? [], record)
      inbox.post(.message(message))
    case .navigation(let navigation):
      note(.toHost, name: navigation.phase.rawValue, kind: "navigation", body: envelope.params ?? [], record)
      inbox.post(.navigation(navigation))
    case .state(let state):
      note(.toHost, name: "state", kind: "state", body: envelope.params ?? [], record)
      if let count = state.lost { noteLost(count, record) }
      inbox.post(.state(state))
    case .websiteData:
      inbox.post(.cookiesChanged(receipt))
    case .dialog(let report): inbox.post(.dialogReport(report))
    case .windowRequest(let request): inbox.post(.windowRequest(request))
    case .windowWish(let wish): inbox.post(.windowWish(wish))
    case .unknown(_, let id):
      if let id {
        let error = Array(#"{"code":-32601,"message":"unknown method"}"#.utf8)
        perform(record.channel.answer(document: receipt.document, id: id, error: error), record)
      }
      perform(record.channel.done(document: receipt.document, number: receipt.number), record)
    }
    return true
  }

  private func finish(_ call: String, _ end: HostSession.CallEnd, _ record: SessionRecord) -> Bool {
    if websiteFinished(call, end, record) { return true }
    let session = record.channel.session
    record.shelf.forget(call: call)
    record.deadlines.removeValue(forKey: call)?.cancel()
    do throws(WireError) {
      let outcome = try CallOutcome(end)
      if record.screen != nil {
        switch end {
        case .result(let bytes): note(.toHost, name: call, kind: "result", body: bytes, record)
        case .error(let bytes): note(.toHost, name: call, kind: "error", body: bytes, record)
        case .pageReplaced, .pageGone, .refused: break
        }
      }
      inbox.post(.callEnded(session: session, call: call, outcome))
      return true
    } catch {
      inbox.post(.callEnded(session: session, call: call, .failure(ScriptFailure(code: 1))))
      fail(record, error.description)
      return false
    }
  }

  /// What a document carries may be cut off with it: calls of earlier documents do not wait for it for ever.
  private func expectCarried(_ document: String, _ record: SessionRecord) {
    let session = record.channel.session
    record.carryTimer?.cancel()
    record.carryTimer = transport.schedule(after: Limits.carriedTimeout) { [self, weak record] in
      guard let record, sessions[session] === record else { return }
      record.carryTimer = nil
      perform(record.channel.endCarrying(document: document), record)
      flush()
    }
  }

  private func noteLost(_ count: Int, _ record: SessionRecord) {
    let message =
      "\(count) messages of a document that was left are lost: more than \(Limits.carriedCharacters) characters, or than "
      + "its storage takes, were not handled yet"
    events.record("error", ["message": .string(message)], session: record.channel.session)
  }

  private func acknowledgeLater(_ record: SessionRecord) {
    record.wantsAcknowledgement = true
    guard acknowledgeTimer == nil else { return }
    acknowledgeTimer = transport.schedule(after: Limits.acknowledgeDelay) { [self] in
      acknowledgeTimer = nil
      for record in sessions.values where record.wantsAcknowledgement {
        record.wantsAcknowledgement = false
        perform(record.channel.acknowledge(), record)
      }
      flush()
    }
  }

  /// Tells a session's page something that wants no answer.
  func notify(_ record: SessionRecord, method: String, _ params: WireValue) {
    var writer = JSONWriter()
    do throws(WireError) {
      try writer.value(params)
    } catch {
      events.record("error", ["message": .string(error.description)], session: record.channel.session)
      return
    }
    perform(record.channel.notify(method: method, params: writer.bytes), record)
  }
}
