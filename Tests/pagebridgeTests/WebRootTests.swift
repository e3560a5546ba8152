import Foundation
import Testing

@testable import pagebridge

struct WebRootTests {
  private let scratch = ScratchFolder()
  private let nowhere = URL(filePath: "/nowhere/in/particular")

  /// Makes a folder of pages at a path below.
  private func pages(_ path: String) throws -> URL {
    try scratch.write("", to: path + "/bridge.js")
    return scratch.url.appending(path: path)
  }

  @Test func namedFolderWins() throws {
    let named = try pages("named")
    let other = try pages("other")
    let found = try WebRoot.find(
      named: named, environment: ["PAGEBRIDGE_WEB": other.path()], workingDirectory: nowhere,
      executable: nowhere)
    #expect(found.path() == named.path())
  }

  @Test func environmentComesBeforeTheWorkingDirectory() throws {
    let environment = try pages("environment")
    _ = try pages("work/web")
    let found = try WebRoot.find(
      named: nil, environment: ["PAGEBRIDGE_WEB": environment.path()],
      workingDirectory: scratch.url.appending(path: "work"), executable: nowhere)
    #expect(found.path() == environment.path())
  }

  @Test func checkoutOfTheExecutableIsFoundFromAnywhere() throws {
    let pages = try pages("checkout/web")
    let executable = scratch.url.appending(path: "checkout/.build/release/pagebridge")
    let found = try WebRoot.find(
      named: nil, environment: [:], workingDirectory: nowhere, executable: executable)
    #expect(found.path() == pages.path())
  }

  @Test func missingFolderIsSaid() {
    #expect(throws: CommandError.self) {
      try WebRoot.find(named: nil, environment: [:], workingDirectory: nowhere, executable: nowhere)
    }
    #expect(throws: CommandError.self) { try WebRoot.find(named: nowhere) }
  }
}
