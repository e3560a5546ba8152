import Foundation
import Testing

@testable import pagebridge

struct WebRootTests {
  /// A folder that is removed with the test.
  private final class Scratch {
    let url = FileManager.default.temporaryDirectory.appending(path: "pagebridge-\(UUID().uuidString)")

    /// Makes a folder of pages at a path below.
    func pages(_ path: String) throws -> URL {
      let folder = url.appending(path: path)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data().write(to: folder.appending(path: "bridge.js"))
      return folder
    }

    deinit { try? FileManager.default.removeItem(at: url) }
  }

  private let scratch = Scratch()
  private let nowhere = URL(filePath: "/nowhere/in/particular")

  @Test func namedFolderWins() throws {
    let named = try scratch.pages("named")
    let other = try scratch.pages("other")
    let found = try WebRoot.find(
      named: named, environment: ["PAGEBRIDGE_WEB": other.path()], workingDirectory: nowhere,
      executable: nowhere)
    #expect(found.path() == named.path())
  }

  @Test func environmentComesBeforeTheWorkingDirectory() throws {
    let environment = try scratch.pages("environment")
    _ = try scratch.pages("work/web")
    let found = try WebRoot.find(
      named: nil, environment: ["PAGEBRIDGE_WEB": environment.path()],
      workingDirectory: scratch.url.appending(path: "work"), executable: nowhere)
    #expect(found.path() == environment.path())
  }

  @Test func checkoutOfTheExecutableIsFoundFromAnywhere() throws {
    let pages = try scratch.pages("checkout/web")
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
