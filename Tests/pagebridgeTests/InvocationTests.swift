import BrowserHost
import Foundation
import JourneyHost
import PlayerHost
import Testing

@testable import pagebridge

@MainActor
struct InvocationTests {
  private func message(_ line: String) -> String? {
    do throws(CommandLineError) {
      _ = try Invocation.parse(line.split(separator: " ").map(String.init))
      return nil
    } catch {
      return error.message
    }
  }

  private func demo(_ arguments: String...) throws -> DemoOptions {
    guard case .demo(let options) = try Invocation.parse(["demo"] + arguments) else {
      throw UsageError("not a demo")
    }
    return options
  }

  private func serve(_ arguments: String...) throws -> ServeOptions {
    guard case .serve(let options) = try Invocation.parse(["serve"] + arguments) else {
      throw UsageError("not a relay")
    }
    return options
  }

  @Test(arguments: [
    ("", "a command is missing"),
    ("nope", "unknown command 'nope'"),
    ("--nope", "unknown option '--nope'"),
    ("serve --nope", "unknown option '--nope'"),
  ])
  func wrongCommandIsNamed(line: String, expected: String) {
    #expect(message(line) == expected)
  }

  @Test func helpOfEachCommandNamesEachOption() throws {
    for command in Subcommand.allCases {
      guard case .show(let text) = try Invocation.parse([command.rawValue, "--help"]) else {
        Issue.record("no help for \(command)")
        continue
      }
      for option in command.options { #expect(text.contains("--\(option.name)")) }
      #expect(text.contains("Exit codes: 0"))
      #expect(text.split(separator: "\n").allSatisfy { $0.count <= 110 })
    }
  }

  @Test func helpWinsOverOtherwiseMissingOptions() throws {
    guard case .show = try Invocation.parse(["serve", "--help"]) else {
      Issue.record("serve --help does not show help")
      return
    }
  }

  @Test func versionIsShown() throws {
    #expect(try Invocation.parse(["--version"]) == .show(HelpText.version + "\n"))
    #expect(try Invocation.parse(["load", "--version"]) == .show(HelpText.version + "\n"))
  }

  // MARK: serve

  @Test func serveWithoutDevRefusesAndSaysThatTokensDoNotExistYet() throws {
    let text = try #require(message("serve"))
    #expect(text.contains("tokens do not exist yet"))
  }

  @Test func serveListensOnLoopbackOnly() throws {
    #expect(message("serve --dev --listen 0.0.0.0:80")?.contains("loopback") == true)
    #expect(try serve("--dev", "--listen", "[::1]:0").relay.listen == ListenAddress(host: "::1", port: 0))
  }

  @Test func serveReadsEachOption() throws {
    let relay = try serve(
      "--dev", "--listen=127.0.0.1:9", "--web", "w", "--threads", "2", "--allow-origin", "http://a:1",
      "--allow-origin=https://b", "--secret-file", "s", "--hello-timeout=0.5", "--host-grace", "3",
      "--log-level", "warning", "--tls-cert", "c", "--tls-key", "k"
    ).relay
    #expect(relay.listen == ListenAddress(host: "127.0.0.1", port: 9))
    #expect(relay.web?.lastPathComponent == "w")
    #expect(relay.threads == 2)
    #expect(relay.allowedOrigins == ["http://a:1", "https://b"])
    #expect(relay.secretFile?.lastPathComponent == "s")
    #expect(relay.helloTimeout == .milliseconds(500))
    #expect(relay.hostGrace == .seconds(3))
    #expect(relay.logLevel == .warning)
    #expect(relay.tlsCertificate?.lastPathComponent == "c")
    #expect(relay.tlsKey?.lastPathComponent == "k")
  }

  @Test(arguments: [
    "--threads 0", "--threads 65", "--threads x", "--hello-timeout 0", "--hello-timeout x", "--host-grace -1",
    "--log-level loud", "--tls-cert c", "--tls-key k", "--allow-origin http://a/", "--allow-origin a",
    "--allow-origin HTTP://a", "--listen x", "--listen 127.0.0.1:70000", "--listen ::1:80", "--listen :80",
    "--web=",
  ])
  func serveRefuses(options: String) {
    #expect(message("serve --dev " + options) != nil)
  }

  // MARK: demo

  @Test func demoHasItsOwnRelayAndDefaults() throws {
    let options = try demo()
    #expect(options.place == .own(RelayOptions()))
    #expect(options.app == "player")
    #expect(options.player.configuration == PlayerConfiguration(customerId: "demo", fixtureId: "9889284"))
    #expect(options.player.fixtureIds == ["9889284", "live-9889285"])
  }

  @Test func demoWithRelayStartsHostsOnly() throws {
    let options = try demo("--relay", "ws://127.0.0.1:9/", "--app=a.b", "--events", "e", "--state", "s")
    #expect(options.place == .other(URL(string: "ws://127.0.0.1:9/")!))
    #expect(options.app == "a.b")
    #expect(options.eventsFile?.lastPathComponent == "e")
    #expect(options.stateFile?.lastPathComponent == "s")
  }

  @Test(arguments: [
    "--relay ftp://a", "--relay nonsense", "--relay ws://a/path", "--relay ws://a --listen 1",
    "--app -a", "--app a/b", "--listen 0.0.0.0:80", "--player-width auto", "--player-height 3",
    "--player-buffer-length -1", "--player-audio-enabled yes", "--player-ready-timeout 0",
    "--player-base-url file:///tmp",
  ])
  func demoRefuses(options: String) {
    #expect(message("demo " + options) != nil)
  }

  @Test func demoReadsThePlayersConfiguration() throws {
    let player = try demo(
      "--player-customer-id", "c", "--player-fixture-id", "1", "--player-fixture-id=2", "--player-width",
      "100%", "--player-height=300px", "--player-controls-enabled=false", "--player-audio-enabled", "false",
      "--player-allow-full-screen=false", "--player-buffer-length", "5", "--player-autoplay-enabled=false",
      "--player-base-url", "https://b.example", "--player-config", "f", "--player-bets", "b",
      "--player-ready-timeout", "0.5"
    ).player
    #expect(
      player.configuration
        == PlayerConfiguration(
          customerId: "c", fixtureId: "1", playerWidth: "100%", playerHeight: "300px", controlsEnabled: false,
          audioEnabled: false, allowFullScreen: false, bufferLength: 5, autoplayEnabled: false,
          baseURL: URL(string: "https://b.example")!))
    #expect(player.fixtureIds == ["1", "2"])
    #expect(player.configurationFile?.lastPathComponent == "f")
    #expect(player.userBetsFile?.lastPathComponent == "b")
    #expect(player.readyTimeout == .milliseconds(500))
  }

  @Test func demoReadsTheBrowsersOptions() throws {
    let standard = try demo()
    #expect(standard.parts == Set(DemoOptions.Part.allCases))
    #expect(standard.browser.app == "browser")
    #expect(standard.browser.publicURL == nil)
    #expect(standard.browser.firstWebsite == .local)
    #expect(standard.browser.restrictedHosts == ["restricted.com"])
    #expect(standard.browser.allowsJavaScript)
    #expect(standard.browser.loadTimeout == .seconds(60))
    let options = try demo(
      "--only", "browser", "--browser-app=b", "--browser-www", "w", "--browser-public-url",
      "https://a.example/x", "--browser-start=public", "--browser-restricted-host", "a",
      "--browser-restricted-host", "b", "--browser-javascript=false", "--browser-load-timeout", "2")
    #expect(options.parts == [.browser])
    #expect(options.browser.app == "b")
    #expect(options.browser.websiteFolder?.lastPathComponent == "w")
    #expect(options.browser.publicURL == URL(string: "https://a.example/x"))
    #expect(options.browser.firstWebsite == .public)
    #expect(options.browser.restrictedHosts == ["a", "b"])
    #expect(!options.browser.allowsJavaScript)
    #expect(options.browser.loadTimeout == .seconds(2))
  }

  @Test func demoReadsTheJourneysOptions() throws {
    let standard = try demo().journey
    #expect(standard.app == "journey" && standard.url == nil && standard.origins == nil)
    #expect(standard.hostVersion == "1.0.0" && standard.mode == .production)
    let options = try demo(
      "--only", "journey", "--journey-app=j", "--journey-url", "https://a.example/x",
      "--journey-host-version", "2.0", "--journey-mode=development", "--journey-origin", "https://a.example")
    #expect(options.parts == [.journey])
    #expect(options.journey.app == "j" && options.journey.url == URL(string: "https://a.example/x"))
    #expect(options.journey.hostVersion == "2.0" && options.journey.mode == .development)
    #expect(options.journey.origins == ["https://a.example"])
    #expect(options.journey.settings.journeyURL == options.journey.url)
  }

  @Test(arguments: [
    "--journey-app a/b", "--journey-app player", "--journey-url ftp://a", "--journey-mode safe",
    "--journey-host-version=", "--browser-app journey",
    "--only nobody", "--browser-app a/b", "--browser-app player", "--app browser", "--browser-public-url x",
    "--browser-public-url ftp://a", "--browser-start elsewhere", "--browser-javascript maybe",
    "--browser-load-timeout 0",
  ])
  func demoRefusesForTheBrowser(options: String) {
    #expect(message("demo " + options) != nil)
  }

  @Test func namedFolderWithoutALocalPageIsRefused() throws {
    let options = try demo("--browser-www", "/nonexistent").browser
    #expect(throws: CommandError.self) { try options.settings(web: nil) }
    #expect(try demo().browser.settings(web: URL(filePath: "/nonexistent")).websiteFolder == nil)
  }

  // MARK: load

  @Test func loadReadsEachOption() throws {
    let invocation = try Invocation.parse([
      "load", "--pages=7", "--hosts=2", "--mode=flood", "--seconds=1.5", "--json=-", "--relay=wss://h:1",
      "--app=x", "--ramp=2", "--drain=3", "--size=16,4096", "--depth=8", "--rate=0.5", "--churn=3",
      "--cuts=4",
      "--handler=h",
      "--pid=1", "--report=r.html", "--messages=m.jsonl",
    ])
    guard case .load(let options) = invocation else {
      Issue.record("not a load")
      return
    }
    #expect(options.pages == 7)
    #expect(options.hosts == 2)
    #expect(options.mode == .flood)
    #expect(options.seconds == 1.5)
    #expect(options.printsJSON && options.jsonFile == nil)
    #expect(
      options.ramp == 2 && options.drain == 3 && options.sizes == [16, 4_096] && options.depth == 8
        && options.rate == 0.5)
    #expect(options.churn == 3 && options.cuts == 4 && options.handler == "h" && options.processID == 1)
    #expect(
      options.reportFile?.lastPathComponent == "r.html" && options.messages?.lastPathComponent == "m.jsonl")
    #expect(options.relay == URL(string: "wss://h:1"))
    #expect(options.app == "x")
  }

  @Test func loadWritesItsFiguresToAFile() throws {
    guard case .load(let options) = try Invocation.parse(["load", "--json", "figures.json"]) else {
      Issue.record("not a load")
      return
    }
    #expect(!options.printsJSON && options.jsonFile?.lastPathComponent == "figures.json")
    #expect(options.depth == nil && options.rate == nil && options.processID == nil)
  }

  @Test(arguments: [
    "--size=1,x", "--size=", "--rate=0", "--depth=0", "--mode=fast", "--handler=", "--pid=0", "--churn=-1",
    "--processes=0", "--processes=33", "--part=32",
  ])
  func loadRefusesWhatItCannotDo(option: String) {
    #expect(throws: CommandLineError.self) { try Invocation.parse(["load", option]) }
  }

  @Test func processesShareARunAndLoseNothingOfIt() throws {
    let options = try load(
      "--pages=7", "--hosts=2", "--rate=14", "--churn=7", "--cuts=3.5", "--size=1,2", "--depth=4", "--pid=1",
      "--mode=rate",
      "--messages=m.jsonl")
    let parts = try options.partArguments(count: 3, relay: "ws://h:1").map { try load($0) }
    #expect(parts.map(\.pages) == [3, 2, 2] && parts.map(\.hosts) == [2, 0, 0])
    #expect(parts.compactMap(\.rate) == [6, 4, 4] && parts.map(\.churn) == [3, 2, 2])
    #expect(parts.map(\.cuts) == [1.5, 1, 1])
    #expect(parts.map(\.part) == [0, 1, 2] && parts.map(\.processID) == [1, nil, nil])
    for part in parts {
      #expect(
        part.relay == URL(string: "ws://h:1") && part.sizes == [1, 2] && part.depth == 4 && part.mode == .rate
      )
      #expect(part.messages?.lastPathComponent == "m.jsonl")
    }
  }

  @Test func processesShareAForeignRelay() throws {
    let options = try load("--foreign-page-url=ws://h/{index}/p", "--foreign-host-url=ws://h/{index}/h")
    for part in try options.partArguments(count: 2, relay: "").map({ try load($0) }) {
      #expect(part.pages == 50 && part.foreign == options.foreign && part.relay == nil)
    }
  }

  private func load(_ words: String...) throws -> LoadCommandOptions {
    try load(["load"] + words)
  }

  private func load(_ words: [String]) throws -> LoadCommandOptions {
    guard case .load(let options) = try Invocation.parse(words) else { throw CommandError("not a load") }
    return options
  }
}
