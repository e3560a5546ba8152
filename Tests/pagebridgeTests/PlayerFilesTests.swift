import Foundation
import PlayerHost
import Testing

@testable import pagebridge

@MainActor
struct PlayerFilesTests {
  private let scratch = ScratchFolder()

  private func files(configuration: String? = nil, userBets: String? = nil) throws -> PlayerFiles {
    guard
      case .demo(let demo) = try Invocation.parse([
        "demo", "--player-fixture-id", "1", "--player-width", "9px",
      ])
    else { throw UsageError("not a demo") }
    var options = demo.player
    options.configurationFile = try configuration.map { try scratch.write($0, to: "player.json") }
    options.userBetsFile = try userBets.map { try scratch.write($0, to: "bets.json") }
    return PlayerFiles(options: options)
  }

  @Test func fileGoesOverTheCommandLine() throws {
    let configuration = try files(configuration: #"{"fixtureId":"2"}"#).configuration()
    #expect(configuration.fixtureId == "2")
    #expect(configuration.playerWidth == "9px")
    #expect(try files().configuration().fixtureId == "1")
  }

  @Test(arguments: ["", "[]", #"{"fixtureId":2}"#, #"{"playerWidth":"auto"}"#, #"{"other":1}"#])
  func unusableConfigurationNamesItsFile(text: String) throws {
    let files = try files(configuration: text)
    let error = #expect(throws: CommandError.self) { try files.configuration() }
    #expect(error?.description.contains("player.json") == true)
  }

  @Test func missingFileIsNamed() throws {
    let files = try files(configuration: "{}")
    try FileManager.default.removeItem(at: scratch.url.appending(path: "player.json"))
    let error = #expect(throws: CommandError.self) { try files.configuration() }
    #expect(error?.description.contains("player.json cannot be read") == true)
  }

  @Test func betsAreReadOrTheSamplesAreShown() throws {
    #expect(try files(userBets: "[]").userBets() == [])
    #expect(try files().userBets() == CustomerMarket.samples)
    let json = String(decoding: try JSONEncoder().encode(CustomerMarket.samples), as: UTF8.self)
    #expect(try files(userBets: json).userBets() == CustomerMarket.samples)
    let files = try files(userBets: #"[{"id":"b","type":"Triple"}]"#)
    #expect(throws: CommandError.self) { try files.userBets() }
  }
}

struct FileWatchTests {
  private let scratch = ScratchFolder()

  @Test func writtenAndReplacedFilesAreTold() async throws {
    let file = try scratch.write("1", to: "watched.json")
    let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
    let watch = try FileWatch(file) { continuation.yield() }
    var iterator = changes.makeAsyncIterator()

    try scratch.write("2", to: "watched.json")
    await iterator.next()

    // As editors do: a new file takes the old one's place.
    let other = try scratch.write("3", to: "other.json")
    #expect(rename(other.path(), file.path()) == 0)
    await iterator.next()
    #expect(try String(contentsOf: file, encoding: .utf8) == "3")
    withExtendedLifetime(watch) {}
  }

  @Test func fileMayComeLater() async throws {
    let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
    let watch = try FileWatch(scratch.url.appending(path: "later.json")) { continuation.yield() }
    var iterator = changes.makeAsyncIterator()
    try scratch.write("1", to: "later.json")
    await iterator.next()
    withExtendedLifetime(watch) {}
  }

  @Test func missingFolderIsSaid() {
    #expect(throws: CommandError.self) { try FileWatch(URL(filePath: "/nowhere/in/particular/file")) {} }
  }
}
