import PageBridgeWebKit

extension BridgeHost {
  /// The action that every host answers itself.
  static let queryAction = "capability.query"

  /// Takes what a page posted to the handler.
  func receive(_ message: WKScriptMessage) {
    guard let webView, message.webView === webView else {
      return fail("Message of a view that is not attached")
    }
    let origin = message.frameInfo.securityOrigin.serialized
    guard message.frameInfo.isMainFrame else { return fail("Origin not allowed: a frame of \(origin)") }
    if let allowedOrigins,
      !allowedOrigins.contains(where: { $0.caseInsensitiveCompare(origin) == .orderedSame })
    {
      return fail("Origin not allowed: \(origin)")
    }
    receive(message.wireValue)
  }

  private func receive(_ body: WireValue) {
    let message: BridgeMessage
    do throws(BridgeDecodingError) {
      message = try BridgeMessage(body: body)
    } catch {
      return refuse(error)
    }
    log.add(message)
    receivedCount += 1
    delegate?.bridgeHost(self, didReceive: message)
    switch message.type {
    case .event: break
    case .response: fail("Unexpected response: the host asked nothing")
    case .request: route(message)
    }
  }

  private func refuse(_ error: BridgeDecodingError) {
    fail("Decode failed: \(error.reason)")
    guard let id = error.correlationId, !openRequests.contains(id) else { return }
    let response = BridgeResponse.failure(BridgeError(error.code, error.reason))
    send(
      BridgeMessage(
        type: .response, correlationId: id, payload: response.payload(for: error.action ?? "")))
  }

  private func route(_ request: BridgeMessage) {
    switch openRequests.add(request) {
    case .accept: break
    case .refuseDouble: return fail("Decode failed: correlationId is that of another request")
    case .refuseBusy:
      fail("Too many requests wait for an answer")
      let error = BridgeError(.busy, "Too many requests wait for an answer")
      return send(Self.envelope(.failure(error), to: request))
    }
    if request.payload.action == Self.queryAction {
      respond(to: request, with: .success(queryAnswer))
    } else if !offer(request) {
      if answersUnsupportedRequests {
        respond(
          to: request, with: .unsupported(message: "The host does not offer \(request.payload.action)"))
      } else {
        park(request)
      }
    }
  }

  private func park(_ request: BridgeMessage) {
    pendingRequests.append(request)
    if pendingRequests.count > BridgeLimits.pendingWarning {
      fail("\(pendingRequests.count) pending requests")
    }
  }

  /// Gives the parked requests to what can answer them by now.
  func offerPendingRequests() {
    for request in pendingRequests where isAnswerable(request.payload.action) {
      pendingRequests.removeAll { $0.correlationId == request.correlationId }
      _ = offer(request)
    }
  }

  private func isAnswerable(_ action: String) -> Bool {
    slot(for: action) != nil || requestHandlers[action] != nil
      || customCapabilities[Capability.id(of: action)] != nil || customCapabilities[action] != nil
  }

  /// The slot that answers an action; nil if none does.
  private func slot(for action: String) -> CaptureSlot? {
    [documentCapture, selfieCapture].first { $0.action == action && $0.isSupported }
  }

  /// Gives a request to what answers it: a slot before a registered handler before a custom capability.
  private func offer(_ request: BridgeMessage) -> Bool {
    let action = request.payload.action
    if let slot = slot(for: action) {
      run(slot, request)
    } else if let handler = requestHandlers[action] {
      answer(request) { try await handler.handle(request) }
    } else if let custom = customCapabilities[Capability.id(of: action)] ?? customCapabilities[action] {
      custom.handler(request, BridgeResponder(request, host: self))
    } else {
      return false
    }
    return true
  }

  private func run(_ slot: CaptureSlot, _ request: BridgeMessage) {
    guard let handler = slot.handler, let run = slot.begin(request) else {
      respond(to: request, with: .failure(BridgeError(.busy, "A capture is running already")))
      return
    }
    answer(request, isWanted: { slot.end(run) }, by: { slot.response(try await handler(request)) })
  }

  /// Answers with what the work gives. The host is not retained meanwhile: work may take as long as a user does.
  private func answer(
    _ request: BridgeMessage, isWanted: @escaping @MainActor () -> Bool = { true },
    by work: @escaping @MainActor () async throws -> BridgeResponse
  ) {
    Task { @MainActor [weak self] in
      var response: BridgeResponse
      var failure: String?
      do {
        response = try await work()
      } catch let error as BridgeError {
        response = .failure(error)
      } catch {
        response = .failure(BridgeError(.internalError, "The host's handler failed"))
        failure = "Handler failed: \(error.localizedDescription)"
      }
      guard isWanted(), let self else { return }
      if let failure { fail(failure) }
      respond(to: request, with: response)
    }
  }

  // MARK: The query

  /// What the page is told of the host: a slot with a handler goes before what the app declared, and that before custom
  /// capabilities. The two cameras are always named.
  var queryAnswer: [String: JSONValue] {
    var answer: [String: Capability] = [:]
    for slot in [documentCapture, selfieCapture] {
      answer[slot.capability] = Capability(supported: false, permissionState: slot.permissionState)
    }
    for (id, custom) in customCapabilities {
      answer[id] = Capability(supported: true, version: custom.version)
    }
    answer.merge(fixedCapabilities ?? capabilities) { _, declared in declared }
    for slot in [documentCapture, selfieCapture] where slot.handler != nil {
      answer[slot.capability] = Capability(
        supported: slot.isSupported, version: BridgeMessage.currentVersion,
        permissionState: slot.permissionState)
    }
    return [
      "hostVersion": .string(hostVersion), "capabilities": .object(answer.mapValues(\.value)),
    ]
  }
}

extension WKSecurityOrigin {
  /// The origin as a URL begins with it; `null` for an opaque one.
  var serialized: String {
    guard !host.isEmpty else { return "null" }
    return port == 0 ? "\(self.protocol)://\(host)" : "\(self.protocol)://\(host):\(port)"
  }
}
