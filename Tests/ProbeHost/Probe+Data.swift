import Foundation
import PageBridgeWebKit

/// Commands about cookies and other data that a page keeps in its browser.
extension Probe {
  /// nil: the answer comes later.
  func performDataCommand(_ command: JSONValue, on view: ProbedView) throws -> JSONValue? {
    let store = view.webView.configuration.websiteDataStore
    let cookies = store.httpCookieStore
    let answer: @MainActor @Sendable (JSONValue) -> Void = { [journal] result in
      journal.write("answer", ["id": command["id"] ?? .null, "result": result])
    }
    switch command["do"]?.string ?? "" {
    case "settings":
      apply(command.object ?? [:], to: view.webView)
      return true
    case "setCookie":
      cookies.setCookie(try cookie(command)) { answer(true) }
    case "deleteCookie":
      cookies.delete(try cookie(command)) { answer(true) }
    case "cookies":
      cookies.getAllCookies { answer(.array($0.map(Self.described))) }
    case "observeCookies":
      let observer = ProbedCookies(view: view)
      view.cookieObserver = observer
      cookies.add(observer)
      return true
    case "dataRecords":
      store.fetchDataRecords(ofTypes: types(command)) { records in
        answer(
          .object(
            Dictionary(
              uniqueKeysWithValues: records.map { record in
                (record.displayName, .array(record.dataTypes.sorted().map { .string($0) }))
              })))
      }
    case "removeData":
      let since = command["since"]?.number.map { Date(timeIntervalSince1970: $0) } ?? .distantPast
      store.removeData(ofTypes: types(command), modifiedSince: since) { answer(true) }
    case "removeDataOfRecords":
      store.fetchDataRecords(ofTypes: types(command)) { [self] records in
        let names = command["hosts"]?.array?.compactMap(\.string) ?? []
        store.removeData(
          ofTypes: types(command), for: records.filter { names.contains($0.displayName) }
        ) { answer(true) }
      }
    default:
      throw ProbeError.unknownCommand
    }
    return nil
  }

  /// What a view is made with.
  func apply(_ wishes: [String: JSONValue], to configuration: WKWebViewConfiguration) {
    if let kinds = wishes["media"]?.array?.compactMap(\.string) {
      var types: WKAudiovisualMediaTypes = []
      if kinds.contains("audio") { types.insert(.audio) }
      if kinds.contains("video") { types.insert(.video) }
      configuration.mediaTypesRequiringUserActionForPlayback = types
    }
    configuration.applicationNameForUserAgent = wishes["applicationNameForUserAgent"]?.string
    configuration.allowsInlineMediaPlayback = wishes["allowsInlineMediaPlayback"]?.bool ?? false
  }

  private func apply(_ wishes: [String: JSONValue], to view: WKWebView) {
    for (name, value) in wishes {
      switch name {
      case "isScrollEnabled": view.scrollView.isScrollEnabled = value.bool ?? true
      case "bounces": view.scrollView.bounces = value.bool ?? true
      case "backgroundColor": view.backgroundColor = value.string.map(WebColor.init(css:))
      case "isOpaque": view.isOpaque = value.bool ?? true
      case "allowsBackForwardNavigationGestures":
        view.allowsBackForwardNavigationGestures = value.bool ?? false
      case "customUserAgent": view.customUserAgent = value.string
      case "pageZoom": view.pageZoom = value.number ?? 1
      case "callTimeout": view.callTimeout = value.number.map { .milliseconds($0 * 1_000) }
      default: break
      }
    }
  }

  private func types(_ command: JSONValue) -> Set<String> {
    command["types"]?.array.map { Set($0.compactMap(\.string)) } ?? WKWebsiteDataStore.allWebsiteDataTypes()
  }

  private func cookie(_ command: JSONValue) throws -> HTTPCookie {
    var properties: [HTTPCookiePropertyKey: Any] = [
      .name: try text("name", of: command), .value: command["value"]?.string ?? "",
      .domain: try text("domain", of: command), .path: command["path"]?.string ?? "/",
    ]
    if command["secure"]?.bool == true { properties[.secure] = "TRUE" }
    if command["httpOnly"]?.bool == true { properties[HTTPCookiePropertyKey(rawValue: "HttpOnly")] = "TRUE" }
    if let seconds = command["lifetime"]?.number {
      properties[.expires] = Date(timeIntervalSinceNow: seconds)
    }
    guard let cookie = HTTPCookie(properties: properties) else { throw ProbeError.missingMember }
    return cookie
  }

  private static func described(_ cookie: HTTPCookie) -> JSONValue {
    [
      "name": .string(cookie.name), "value": .string(cookie.value), "domain": .string(cookie.domain),
      "path": .string(cookie.path), "secure": .bool(cookie.isSecure), "httpOnly": .bool(cookie.isHTTPOnly),
    ]
  }
}

/// Notes that cookies have changed.
@MainActor
final class ProbedCookies: WKHTTPCookieStoreObserver {
  private weak var view: ProbedView?

  init(view: ProbedView) {
    self.view = view
  }

  func cookiesDidChange(in cookieStore: WKHTTPCookieStore) {
    view?.note("cookiesChanged")
  }
}
