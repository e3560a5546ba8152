import Foundation
import JourneyHost

extension BridgeBench {
  /// The command's answer to a request: `status`, `data`, `reason`, `message`, `code`, `recoverable`.
  static func response(_ command: JSONValue) -> BridgeResponse {
    let message = command["message"]?.string ?? ""
    switch command["status"]?.string {
    case "cancelled": return .cancelled(reason: command["reason"]?.string ?? "")
    case "unsupported": return .unsupported(message: message)
    case "error":
      let code = command["code"]?.string.flatMap(BridgeErrorCode.init) ?? .internalError
      return .failure(BridgeError(code, message, recoverable: command["recoverable"]?.bool))
    default: return .success((command["data"]?.object ?? [:]).mapValues(converted))
    }
  }

  /// The command's picture: `document` or `selfie` with its members, else how the capture ended.
  static func result(_ command: JSONValue) -> CaptureResult {
    if let document = command["document"] {
      return .document(
        DocumentCaptureResult(
          imageData: document["imageData"]?.string ?? "", width: document["width"]?.int ?? 0,
          height: document["height"]?.int ?? 0, mimeType: document["mimeType"]?.string ?? ""))
    }
    if let selfie = command["selfie"] {
      return .selfie(
        SelfieCaptureResult(
          previewImageData: selfie["previewImageData"]?.string ?? "", width: selfie["width"]?.int ?? 0,
          height: selfie["height"]?.int ?? 0, mimeType: selfie["mimeType"]?.string ?? "",
          encryptedBlob: selfie["encryptedBlob"]?.string, unencryptedBlob: selfie["unencryptedBlob"]?.string))
    }
    if let code = command["code"]?.string.flatMap(BridgeErrorCode.init) {
      return .failed(BridgeError(code, command["message"]?.string ?? ""))
    }
    return .cancelled(reason: command["reason"]?.string ?? "")
  }

  static func capabilities(_ value: JSONValue?) -> [String: Capability] {
    (value?.object ?? [:]).mapValues { each in
      Capability(
        supported: each["supported"]?.bool ?? false, version: each["version"]?.string,
        permissionState: each["permissionState"]?.string.flatMap(PermissionState.init))
    }
  }

  /// The commands' values are of the probe's own type.
  static func converted(_ value: JSONValue) -> JourneyHost.JSONValue {
    switch value {
    case .null: .null
    case .bool(let flag): .bool(flag)
    case .number(let number): .number(number)
    case .string(let text): .string(text)
    case .array(let elements): .array(elements.map(converted))
    case .object(let members): .object(members.mapValues(converted))
    }
  }

  static func converted(_ value: JourneyHost.JSONValue) -> JSONValue {
    switch value {
    case .null: .null
    case .bool(let flag): .bool(flag)
    case .number(let number): .number(number)
    case .string(let text) where text.utf8.count > 1_000: ["bytes": JSONValue(text.utf8.count)]
    case .string(let text): .string(text)
    case .array(let elements): .array(elements.map(converted))
    case .object(let members): .object(members.mapValues(converted))
    }
  }
}

/// Writes down all that a bridge's delegate sees.
@MainActor
final class BridgeWatcher: BridgeHostDelegate {
  private let label: String
  private let journal: Journal

  init(label: String, journal: Journal) {
    self.label = label
    self.journal = journal
  }

  func bridgeHost(_ host: BridgeHost, didReceive message: BridgeMessage) {
    note("bridgeReceived", message)
  }

  func bridgeHost(_ host: BridgeHost, didSend message: BridgeMessage) {
    note("bridgeSent", message)
  }

  func bridgeHost(_ host: BridgeHost, didFail error: String) {
    journal.write(
      "bridgeError",
      ["host": .string(label), "message": .string(error), "isOnMainQueue": .bool(MainQueue.isCurrent)])
  }

  private func note(_ event: String, _ message: BridgeMessage) {
    journal.write(
      event,
      [
        "host": .string(label), "type": .string(message.type.rawValue),
        "correlationId": .string(message.correlationId), "action": .string(message.payload.action),
        "status": JSONValue(message.payload.status?.rawValue),
        "code": JSONValue(message.payload.error?.code.rawValue),
        "data": message.payload.data.map { BridgeBench.converted(.object($0)) } ?? .null,
        "isOnMainQueue": .bool(MainQueue.isCurrent),
      ])
  }
}

/// Answers its actions with what they were asked with.
@MainActor
final class EchoingHandler: BridgeRequestHandler {
  let actions: [String]

  init(actions: [String]) {
    self.actions = actions
  }

  func handle(_ request: BridgeMessage) async throws -> BridgeResponse {
    .success(["handledBy": "object", "action": .string(request.payload.action)])
  }
}
