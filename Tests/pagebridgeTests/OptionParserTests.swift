import Testing

@testable import pagebridge

@MainActor
struct OptionParserTests {
  private let listen = CommandLineOption("listen", "HOST:PORT", help: "")
  private let origin = CommandLineOption("allow-origin", "ORIGIN", help: "")
  private let dev = CommandLineOption("dev", help: "")

  private func parse(_ arguments: String...) throws -> ParsedOptions {
    try OptionParser.parse(arguments, options: [listen, origin, dev])
  }

  private func message(_ arguments: String...) -> String? {
    do throws(UsageError) {
      _ = try OptionParser.parse(arguments, options: [listen, origin, dev])
      return nil
    } catch {
      return error.message
    }
  }

  @Test func bothSpellingsOfAnArgumentAreRead() throws {
    #expect(try parse("--listen", "a:1").text(listen) == "a:1")
    #expect(try parse("--listen=a:1").text(listen) == "a:1")
    #expect(try parse("--listen=").text(listen) == "")
    #expect(try parse("--listen=a=b").text(listen) == "a=b")
  }

  @Test func switchIsFoundWithoutArgument() throws {
    #expect(try parse("--dev").has(dev))
    #expect(try !parse().has(dev))
  }

  @Test func lastOneWinsAndRepeatedOnesAreKeptInOrder() throws {
    let parsed = try parse("--allow-origin", "http://b", "--dev", "--allow-origin=http://a")
    #expect(parsed.texts(origin) == ["http://b", "http://a"])
    #expect(parsed.text(origin) == "http://a")
  }

  @Test func uniqueAbbreviationIsTaken() throws {
    #expect(try parse("--lis", "a:1").text(listen) == "a:1")
  }

  @Test func argumentMayBeginWithDash() throws {
    #expect(try parse("--listen", "-1").text(listen) == "-1")
  }

  @Test func wrongOptionsAreNamed() {
    #expect(message("--nope") == "unknown option '--nope'")
    #expect(message("--nope=3") == "unknown option '--nope'")
    #expect(message("-n") == "unknown option '-n'")
    #expect(message("--dev", "-n") == "unknown option '-n'")
    #expect(message("--listen") == "option '--listen' needs HOST:PORT")
    #expect(message("--dev=1") == "option '--dev' takes no argument")
  }

  @Test func operandIsRefused() {
    #expect(message("--dev", "extra") == "unexpected argument 'extra'")
    #expect(message("extra", "--dev") == "unexpected argument 'extra'")
    #expect(message("--", "--dev") == "unexpected argument '--dev'")
  }

  @Test func ambiguousAbbreviationListsWhatItCouldBe() {
    let options = [CommandLineOption("tls-cert", "F", help: ""), CommandLineOption("tls-key", "F", help: "")]
    #expect(throws: UsageError("option '--tls' is ambiguous: --tls-cert, --tls-key")) {
      try OptionParser.parse(["--tls", "x"], options: options)
    }
  }
}
