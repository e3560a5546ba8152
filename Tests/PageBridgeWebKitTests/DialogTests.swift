import PageBridgeTesting
import PageBridgeWebKit
import Synchronization
import Testing

/// `alert`, `confirm` and `prompt`: what a delegate is asked, and what the page gets.
@MainActor
@Suite struct DialogTests {
  @Test(arguments: DialogSpelling.allCases)
  func eachSpellingIsCalledAndItsAnswerArrives(_ spelling: DialogSpelling) async {
    let delegate = spelling.delegate
    let (fixture, page) = await open(delegate)
    #expect(page.settings["uiDelegate"] == true)
    #expect(await fixture.relay.dialog("alert", "Hello", of: page) == .value(.null))
    #expect(await fixture.relay.dialog("confirm", "yes", of: page) == .value(true))
    #expect(await fixture.relay.dialog("confirm", "no", of: page) == .value(false))
    #expect(await fixture.relay.dialog("prompt", "Name?", defaultText: "x", of: page) == .value("x!"))
    #expect(await fixture.relay.dialog("prompt", "cancel", defaultText: "", of: page) == .value(.null))
    #expect(
      delegate.asked == ["alert Hello", "confirm yes", "confirm no", "prompt Name? [x]", "prompt cancel []"])
  }

  @Test func theFrameSaysWhoAsks() async throws {
    let delegate = PlainDialogs()
    let (fixture, page) = await open(delegate)
    _ = await fixture.relay.dialog("alert", "", of: page)
    let frame = try #require(delegate.frames.first)
    #expect(frame.isMainFrame && frame.request.url?.absoluteString == page.url)
    #expect(frame.webView === fixture.view)
  }

  @Test func withoutDelegateOrMethodsPagesGetWebKitsAnswers() async {
    let fixture = Fixture()
    await fixture.start()
    let page = await fixture.open()
    #expect(page.settings["uiDelegate"] == false)
    for kind in ["alert", "confirm", "prompt"] {
      #expect(await fixture.relay.dialog(kind, "", of: page) == .unanswered)
    }
    let silent = SilentDialogs()
    fixture.view.uiDelegate = silent
    await fixture.relay.settle()
    #expect(page.settings["uiDelegate"] == true)
    #expect(await fixture.relay.dialog("alert", "", of: page) == .value(.null))
    #expect(await fixture.relay.dialog("confirm", "", of: page) == .value(false))
    #expect(await fixture.relay.dialog("prompt", "", of: page) == .value(.null))
  }

  @Test func theViewDoesNotKeepItsDelegate() async {
    let fixture = Fixture()
    await fixture.start()
    _ = await fixture.open()
    do {
      let delegate = SilentDialogs()
      fixture.view.uiDelegate = delegate
      #expect(fixture.view.uiDelegate === delegate)
    }
    #expect(fixture.view.uiDelegate == nil)
  }

  @Test func aKindOfALaterVersionIsAnsweredToo() async {
    let delegate = PlainDialogs()
    let (fixture, page) = await open(delegate)
    #expect(await fixture.relay.dialog("shout", "", of: page) == .unanswered)
    #expect(delegate.asked == [])
  }

  // MARK: Order

  @Test func messagesThatCameBeforeAreHandledBefore() async {
    let delegate = PlainDialogs()
    let (fixture, page) = await open(delegate)
    fixture.recorder.onMessage = { delegate.asked.append("message \($0.wireValue.string ?? "")") }
    let after = page.sentMessages + 2
    let answer = fixture.relay.beginDialog("alert", "third", of: page, after: after)
    await fixture.relay.settle()
    #expect(delegate.asked == [])
    page.post("first", to: "log")
    await fixture.relay.settle()
    #expect(delegate.asked == ["message first"])
    page.post("second", to: "log")
    #expect(await answer.value == .value(.null))
    #expect(delegate.asked == ["message first", "message second", "alert third"])
  }

  @Test func aDialogDoesNotWaitForMessagesOfACutSocket() async {
    let delegate = PlainDialogs()
    let (fixture, page) = await open(delegate)
    let answer = fixture.relay.beginDialog("confirm", "yes", of: page, after: 1_000)
    await fixture.relay.settle()
    #expect(delegate.asked == [])
    page.cut()
    #expect(await answer.value == .value(true))
  }

  @Test func aDialogDoesNotWaitLongForMessagesThatDoNotCome() async {
    let delegate = PlainDialogs()
    let (fixture, page) = await open(delegate)
    let after = page.sentMessages + 3
    let answer = fixture.relay.beginDialog("confirm", "yes", of: page, after: after)
    await fixture.relay.settle()
    for index in 0..<2 {
      // As long as some come it waits.
      page.post(.number(Double(index)), to: "log")
      await fixture.relay.settle()
      fixture.relay.advance(by: Limits.dialogPatience)
      await fixture.relay.settle()
      #expect(delegate.asked == [])
    }
    fixture.relay.advance(by: Limits.dialogPatience - .milliseconds(1))
    await fixture.relay.settle()
    #expect(delegate.asked == [])
    fixture.relay.advance(by: .milliseconds(1))
    #expect(await answer.value == .value(true))
    #expect(fixture.recorder.bodies == [0, 1])
  }

  @Test func dialogsThatWaitTogetherKeepTheirOrder() async {
    let delegate = PlainDialogs()
    let (fixture, page) = await open(delegate)
    let after = page.sentMessages + 1
    let first = fixture.relay.beginDialog("confirm", "yes", of: page, after: after)
    await fixture.relay.settle()
    let second = fixture.relay.beginDialog("confirm", "no", of: page, after: after)
    await fixture.relay.settle()
    page.post(1, to: "log")
    #expect(await (first.value, second.value) == (.value(true), .value(false)))
    #expect(delegate.asked == ["confirm yes", "confirm no"])
  }

  @Test func severalMayBeOpenAndAreAnsweredInAnyOrder() async {
    let delegate = KeepingDialogs()
    let (fixture, page) = await open(delegate)
    let other = await fixture.open()
    fixture.view.uiDelegate = delegate
    let first = fixture.relay.beginDialog("confirm", "1", of: page)
    await fixture.relay.settle()
    let second = fixture.relay.beginDialog("confirm", "2", of: page)
    await fixture.relay.settle()
    let third = fixture.relay.beginDialog("confirm", "3", of: other)
    await fixture.relay.settle()
    #expect(delegate.kept.count == 3)
    for (index, isOK) in [(2, true), (0, false), (1, true)] { delegate.kept[index](isOK) }
    #expect(await (first.value, second.value, third.value) == (.value(false), .value(true), .value(true)))
  }

  // MARK: Mistakes

  @Test func aCompletionHandlerThatIsLetGoAnswersAsWithoutDelegateAndIsReported() async throws {
    let (fixture, page, errors) = await openRecording(ForgetfulDialogs())
    #expect(await fixture.relay.dialog("alert", "", of: page) == .value(.null))
    #expect(await fixture.relay.dialog("confirm", "", of: page) == .value(false))
    #expect(await fixture.relay.dialog("prompt", "", of: page) == .value(.null))
    let told = try await errors()
    #expect(told.count == 3)
    #expect(told[1].contains("runJavaScriptConfirmPanelWithMessage") && told[1].contains("without a call"))
  }

  @Test func aSecondAnswerIsReportedAndTheFirstStays() async throws {
    let delegate = KeepingDialogs()
    let (fixture, page, errors) = await openRecording(delegate)
    let answer = fixture.relay.beginDialog("confirm", "", of: page)
    await fixture.relay.settle()
    delegate.kept[0](true)
    delegate.kept[0](false)
    #expect(await answer.value == .value(true))
    let told = try await errors()
    #expect(told.count == 1 && told[0].contains("called twice"))
  }

  @Test(arguments: [-1, 0, 1])
  func anAnswerTooLongForTheWireIsReportedAndCancels(_ extra: Int) async throws {
    let delegate = PlainDialogs()
    let (fixture, page, errors) = await openRecording(delegate)
    // Around the text stand the number, the session and the names of the members.
    let around = #"{"dialogAnswer":{"id":1,"session":"\#(page.session!)","value":""}}"#.utf8.count
    delegate.text = String(repeating: "t", count: Limits.maxWireBytes - around + extra)
    let answer = await fixture.relay.dialog("prompt", "", defaultText: "", of: page)
    let told = try await errors()
    if extra > 0 {
      #expect(answer == .unanswered)
      #expect(told.count == 1 && told[0].contains("the limit is \(Limits.maxWireBytes) bytes"))
    } else {
      #expect(answer == .value(.string(delegate.text!)) && told.isEmpty)
    }
  }

  // MARK: Ends

  @Test func anAnswerForAPageThatIsGoneMeansNothing() async throws {
    let delegate = KeepingDialogs()
    let (fixture, page, errors) = await openRecording(delegate)
    let answer = fixture.relay.beginDialog("confirm", "", of: page)
    await fixture.relay.settle()
    fixture.relay.cancelDialogs(of: page)
    #expect(await answer.value == .unanswered)
    await fixture.relay.settle()
    delegate.kept[0](true)
    await fixture.relay.settle()
    #expect(try await errors().isEmpty)
    #expect(await fixture.relay.dialog("alert", "", of: page) == .value(.null))
  }

  @Test func anAnswerAfterTheViewIsReleasedMeansNothing() async throws {
    let delegate = KeepingDialogs()
    let (fixture, page) = await open(delegate)
    let answer = fixture.relay.beginDialog("confirm", "", of: page)
    await fixture.relay.settle()
    fixture.releaseViews()
    await fixture.host.stop()
    #expect(await answer.value == .unanswered)
    delegate.kept[0](true)
    await fixture.relay.settle()
  }

  @Test func aHostThatIsCutLetsThePageGoOnAndItsLateAnswerMeetsNoOtherDialog() async {
    let delegate = KeepingDialogs()
    let (fixture, page) = await open(delegate)
    let first = fixture.relay.beginDialog("confirm", "1", of: page)
    await fixture.relay.settle()
    fixture.relay.cutHosts()
    #expect(await first.value == .unanswered)
    fixture.relay.advance(by: .seconds(1))
    await fixture.relay.settle()
    let second = fixture.relay.beginDialog("confirm", "2", of: page)
    await fixture.relay.settle()
    delegate.kept[0](true)
    await fixture.relay.settle()
    delegate.kept[1](false)
    #expect(await second.value == .value(false))
  }

  // MARK: In the browser

  @Test func theBrowserMayShowTheDialogAndReports() async throws {
    let delegate = PresentingDialogs()
    let (fixture, page) = await open(delegate)
    for (kind, value, expected) in [
      ("alert", WireValue.null, "alert"), ("confirm", true, "confirm true"),
      ("confirm", false, "confirm false"), ("prompt", "text", "prompt text"), ("prompt", .null, "prompt nil"),
    ] {
      delegate.heard = []
      guard case .present(let id) = await fixture.relay.dialog(kind, "", of: page) else {
        Issue.record("the browser was not asked to show it")
        return
      }
      #expect(delegate.heard == [])
      page.send("dialog", ["id": .number(Double(id)), "value": value])
      await fixture.relay.settle()
      #expect(delegate.heard == [expected])
    }
  }

  @Test func theReadyMadeDelegateLetsTheBrowserShowEverything() async {
    let (fixture, page) = await open(WebBrowserDialogs.shared)
    for kind in ["alert", "confirm", "prompt"] {
      guard case .present(let id) = await fixture.relay.dialog(kind, "", of: page) else {
        Issue.record("the browser was not asked to show it")
        return
      }
      page.send("dialog", ["id": .number(Double(id)), "value": nil])
    }
    await fixture.relay.settle()
    #expect(page.state == .attached)
  }

  @Test(arguments: ["leave", "navigate", "release"])
  func whoWaitsForTheBrowserHearsThatThePageIsGone(_ end: String) async {
    let delegate = PresentingDialogs()
    let (fixture, page) = await open(delegate)
    guard case .present = await fixture.relay.dialog("confirm", "", of: page) else {
      Issue.record("the browser was not asked to show it")
      return
    }
    switch end {
    case "leave": page.leave()
    case "navigate": page.navigate(to: "http://127.0.0.1:8080/next")
    default: fixture.releaseViews()
    }
    await fixture.relay.settle()
    if end == "release" { await fixture.host.stop() }
    #expect(delegate.heard == ["confirm false"])
  }

  @Test func aReportOfNoDialogAndAPresentationWithoutQuestionMeanNothing() async throws {
    let delegate = PresentingDialogs()
    let (fixture, page) = await open(delegate)
    page.send("dialog", ["id": 77, "value": true])
    page.post(1, to: "log")
    await fixture.relay.settle()
    let frame = try #require(fixture.recorder.messages.first?.frameInfo)
    #expect(await frame.presentConfirm() == false)
    #expect(await frame.presentTextInput() == nil)
    await frame.presentAlert()
    page.send("dialog", ["id": "no number"])
    await fixture.relay.settle()
    #expect(page.state == .ended)
  }

  // MARK: Tools

  private func open(
    _ delegate: any WKUIDelegate, _ options: WebViewHost.Options = WebViewHost.Options()
  ) async -> (Fixture, SimulatedPage) {
    let fixture = Fixture(options: options)
    fixture.configure = { view, _ in view.uiDelegate = delegate }
    await fixture.start()
    return (fixture, await fixture.open())
  }

  /// Also gives the texts of the errors that the host has recorded.
  private func openRecording(
    _ delegate: any WKUIDelegate
  ) async -> (Fixture, SimulatedPage, () async throws -> [String]) {
    let file = TemporaryFile()
    var options = WebViewHost.Options()
    options.eventsFile = file.url
    let (fixture, page) = await open(delegate, options)
    return (
      fixture, page,
      {
        await fixture.host.events.flush()
        return try file.events().filter { $0["event"] == "error" }.compactMap { $0["message"]?.string }
      }
    )
  }
}

// MARK: - Delegates

enum DialogSpelling: CaseIterable, Sendable {
  case plain, mainActor, sendable, async

  @MainActor var delegate: any AskedDelegate {
    switch self {
    case .plain: PlainDialogs()
    case .mainActor: MainActorDialogs()
    case .sendable: SendableDialogs()
    case .async: AsyncDialogs()
    }
  }
}

@MainActor
protocol AskedDelegate: WKUIDelegate {
  var asked: [String] { get }
}

@MainActor
private final class PlainDialogs: NSObject, AskedDelegate {
  var asked: [String] = []
  var frames: [WKFrameInfo] = []
  var text: String?

  func webView(
    _ webView: WKWebView, runJavaScriptAlertPanelWithMessage message: String,
    initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping () -> Void
  ) {
    asked.append("alert \(message)")
    frames.append(frame)
    completionHandler()
  }

  func webView(
    _ webView: WKWebView, runJavaScriptConfirmPanelWithMessage message: String,
    initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping (Bool) -> Void
  ) {
    asked.append("confirm \(message)")
    completionHandler(message == "yes")
  }

  func webView(
    _ webView: WKWebView, runJavaScriptTextInputPanelWithPrompt prompt: String, defaultText: String?,
    initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping (String?) -> Void
  ) {
    asked.append("prompt \(prompt) [\(defaultText ?? "nil")]")
    completionHandler(prompt == "cancel" ? nil : text ?? "\(defaultText ?? "")!")
  }
}

@MainActor
private final class MainActorDialogs: NSObject, AskedDelegate {
  var asked: [String] = []

  func webView(
    _ webView: WKWebView, runJavaScriptAlertPanelWithMessage message: String,
    initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor () -> Void
  ) {
    asked.append("alert \(message)")
    completionHandler()
  }

  func webView(
    _ webView: WKWebView, runJavaScriptConfirmPanelWithMessage message: String,
    initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor (Bool) -> Void
  ) {
    asked.append("confirm \(message)")
    completionHandler(message == "yes")
  }

  func webView(
    _ webView: WKWebView, runJavaScriptTextInputPanelWithPrompt prompt: String, defaultText: String?,
    initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor (String?) -> Void
  ) {
    asked.append("prompt \(prompt) [\(defaultText ?? "nil")]")
    completionHandler(prompt == "cancel" ? nil : "\(defaultText ?? "")!")
  }
}

@MainActor
private final class SendableDialogs: NSObject, AskedDelegate {
  var asked: [String] = []

  func webView(
    _ webView: WKWebView, runJavaScriptAlertPanelWithMessage message: String,
    initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor @Sendable () -> Void
  ) {
    asked.append("alert \(message)")
    completionHandler()
  }

  func webView(
    _ webView: WKWebView, runJavaScriptConfirmPanelWithMessage message: String,
    initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor @Sendable (Bool) -> Void
  ) {
    asked.append("confirm \(message)")
    completionHandler(message == "yes")
  }

  func webView(
    _ webView: WKWebView, runJavaScriptTextInputPanelWithPrompt prompt: String, defaultText: String?,
    initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor @Sendable (String?) -> Void
  ) {
    asked.append("prompt \(prompt) [\(defaultText ?? "nil")]")
    completionHandler(prompt == "cancel" ? nil : "\(defaultText ?? "")!")
  }
}

@MainActor
private final class AsyncDialogs: NSObject, AskedDelegate {
  var asked: [String] = []

  func webView(
    _ webView: WKWebView, runJavaScriptAlertPanelWithMessage message: String,
    initiatedByFrame frame: WKFrameInfo
  ) async {
    await Task.yield()
    asked.append("alert \(message)")
  }

  func webView(
    _ webView: WKWebView, runJavaScriptConfirmPanelWithMessage message: String,
    initiatedByFrame frame: WKFrameInfo
  ) async -> Bool {
    await Task.yield()
    asked.append("confirm \(message)")
    return message == "yes"
  }

  func webView(
    _ webView: WKWebView, runJavaScriptTextInputPanelWithPrompt prompt: String, defaultText: String?,
    initiatedByFrame frame: WKFrameInfo
  ) async -> String? {
    await Task.yield()
    asked.append("prompt \(prompt) [\(defaultText ?? "nil")]")
    return prompt == "cancel" ? nil : "\(defaultText ?? "")!"
  }
}

@MainActor
private final class SilentDialogs: NSObject, WKUIDelegate {}

/// Calls nothing.
@MainActor
private final class ForgetfulDialogs: NSObject, WKUIDelegate {
  func webView(
    _ webView: WKWebView, runJavaScriptAlertPanelWithMessage message: String,
    initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor () -> Void
  ) {}

  func webView(
    _ webView: WKWebView, runJavaScriptConfirmPanelWithMessage message: String,
    initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor (Bool) -> Void
  ) {}

  func webView(
    _ webView: WKWebView, runJavaScriptTextInputPanelWithPrompt prompt: String, defaultText: String?,
    initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor (String?) -> Void
  ) {}
}

/// Keeps what it is to call.
@MainActor
private final class KeepingDialogs: NSObject, WKUIDelegate {
  var kept: [@MainActor (Bool) -> Void] = []

  func webView(
    _ webView: WKWebView, runJavaScriptConfirmPanelWithMessage message: String,
    initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor (Bool) -> Void
  ) {
    kept.append(completionHandler)
  }
}

/// Lets the browser show everything, and notes what the person answered.
@MainActor
private final class PresentingDialogs: NSObject, WKUIDelegate {
  var heard: [String] = []

  func webView(
    _ webView: WKWebView, runJavaScriptAlertPanelWithMessage message: String,
    initiatedByFrame frame: WKFrameInfo
  ) async {
    await frame.presentAlert()
    heard.append("alert")
  }

  func webView(
    _ webView: WKWebView, runJavaScriptConfirmPanelWithMessage message: String,
    initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor (Bool) -> Void
  ) {
    frame.presentConfirm { [self] isOK in
      heard.append("confirm \(isOK)")
      completionHandler(isOK)
    }
  }

  func webView(
    _ webView: WKWebView, runJavaScriptTextInputPanelWithPrompt prompt: String, defaultText: String?,
    initiatedByFrame frame: WKFrameInfo
  ) async -> String? {
    let text = await frame.presentTextInput()
    heard.append("prompt \(text ?? "nil")")
    return text
  }
}
