import Testing

@testable import PageBridgeWebKit

@Suite struct ScriptShelfTests {
  private func shelf(_ source: String, arguments: WireValue = [:]) -> ScriptShelf {
    var shelf = ScriptShelf()
    shelf.keep(call: "E-1", params: ["source": .string(source), "arguments": arguments])
    return shelf
  }

  private func text(_ shelf: inout ScriptShelf, _ path: String) -> String? {
    shelf.take(path).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func eachFormIsTheTextOfTheProtocol() {
    var shelf = shelf("a = 'é😀'; b();\n", arguments: ["x": 1, "": 2, "y": 3])
    #expect(
      text(&shelf, "E-1/expression.1.1.0.14.js")
        == "__pagebridge__.value(()=>(\na = 'é😀'; b()\n));0&&(()=>[\na = 'é😀'; b()\n])")
    #expect(
      text(&shelf, "E-1/last.2.1.9.14.js")
        == "__pagebridge__.began();\na = 'é😀';\n__pagebridge__.value(()=>( b()\n));0&&(()=>[\n b()\n])")
    #expect(
      text(&shelf, "E-1/statements.3.1.js")
        == "a = 'é😀'; b();\n\nconst __pagebridge_3=__pagebridge__.ended()")
    #expect(
      text(&shelf, "E-1/function.4.1.js")
        == "__pagebridge__.value(()=>(async function(,x,y){a = 'é😀'; b();\n\n}))")
    #expect(text(&shelf, "started.js") == "__pagebridge__.started()")
  }

  @Test func anAddressIsServedOnceAndUntilTheCallEnds() {
    var shelf = shelf("1")
    #expect(shelf.take("E-1/statements.1.1.js") != nil)
    #expect(shelf.take("E-1/statements.1.1.js") == nil)
    #expect(shelf.take("E-1/statements.1.2.js") != nil)
    shelf.forget(call: "E-1")
    #expect(shelf.take("E-1/statements.1.3.js") == nil)
  }

  @Test func addressesOfOneCallAreLimited() {
    var shelf = shelf("1")
    for number in 1...ScriptShelf.maxServings {
      #expect(shelf.take("E-1/statements.\(number).1.js") != nil)
    }
    #expect(shelf.take("E-1/statements.99.1.js") == nil)
  }

  @Test(arguments: [
    "", "/", "E-1", "E-1/", "E-2/statements.1.1.js", "E-1/statements.js", "E-1/statements.1.1",
    "E-1/what.1.1.js", "E-1/statements.0.1.js", "E-1/statements.x.1.js", "E-1/expression.1.1.0.6.js",
    "E-1/expression.1.1.1.2.js", "E-1/expression.1.1.js", "E-1/last.1.1.0.5.js", "E-1/last.1.1.3.3.js",
    "E-1/last.1.1.-1.3.js", "E-1/last.1.1.2.9.js", "E-1/expression.1.1.0.3.js", "user/D.1.js",
    "E-1/a/statements.1.1.js",
  ])
  func anAddressThatNoPageHasIsNotServed(_ path: String) {
    // The third and fourth unit are the halves of one scalar: nothing ends between them.
    var shelf = shelf("a;😀")
    #expect(shelf.take(path) == nil)
  }

  @Test func userScriptsBelongToTheirDocument() {
    var shelf = ScriptShelf()
    let script = SessionConfiguration.Script(source: "s", isAtEnd: false, isMainFrameOnly: true)
    shelf.keep([script], for: "D")
    for _ in 1...2 { #expect(text(&shelf, "user/D.1.js") == "s") }
    for path in ["user/D.0.js", "user/D.2.js", "user/E.1.js"] { #expect(shelf.take(path) == nil) }
    shelf.forget(document: "D")
    #expect(shelf.take("user/D.1.js") == nil)
  }
}
