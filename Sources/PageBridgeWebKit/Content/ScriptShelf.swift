import BridgeProtocol

/// The scripts of a session that its pages may fetch, because their policy forbids `eval`: the sources of calls without an
/// end, and the user scripts that a document was started with.
///
/// A page knows an address only by the session's script token. A call's address is served once, so that whoever fetches it
/// again gets nothing; user scripts belong to their document and are served to its frames too.
struct ScriptShelf: Sendable {
  /// The folder of these scripts below a session's address; the token follows.
  static let folder = "/_pagebridge/script/"
  /// How many addresses of one call are served: its forms, and those that were lost on the way.
  static let maxServings = 24

  private struct Call {
    let source: String
    /// The names of the function's parameters, in the order of the call's arguments.
    let names: [String]
    var served: Set<String> = []
  }

  private var calls: [String: Call] = [:]
  private var documents: [String: [SessionConfiguration.Script]] = [:]

  /// Keeps the source of a call until ``forget(call:)``.
  mutating func keep(call: String, params: WireValue) {
    guard let source = params["source"]?.string else { return }
    calls[call] = Call(source: source, names: params["arguments"]?.object?.map(\.name) ?? [])
  }

  mutating func forget(call: String) {
    calls[call] = nil
  }

  /// Keeps the user scripts that a document was told of, until ``forget(document:)``.
  mutating func keep(_ scripts: [SessionConfiguration.Script], for document: String) {
    documents[document] = scripts.isEmpty ? nil : scripts
  }

  mutating func forget(document: String) {
    documents[document] = nil
  }

  /// The text of a script, by what follows the token in its address: `started.js`, `user/<document>.<number>.js` or
  /// `<call>/<form>.<number>.<try>[.<from>.<to>].js`.
  mutating func take(_ path: some StringProtocol) -> [UInt8]? {
    if path == "started.js" { return Array("__pagebridge__.started()".utf8) }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let words = parts[1].split(separator: ".", omittingEmptySubsequences: false)
    guard words.count > 2, words.last == "js" else { return nil }
    if parts[0] == "user" {
      guard words.count == 3, let number = Int(words[1]), number > 0,
        let scripts = documents[String(words[0])], number <= scripts.count
      else { return nil }
      return Array(scripts[number - 1].source.utf8)
    }
    let name = String(parts[1])
    guard var call = calls[String(parts[0])], call.served.count < Self.maxServings,
      !call.served.contains(name), let number = Int(words[1]), number > 0,
      let form = ScriptForm(words[0], number: number, places: words.dropFirst(3).dropLast())
    else { return nil }
    guard let text = form.text(of: call.source, parameters: call.names) else { return nil }
    call.served.insert(name)
    calls[String(parts[0])] = call
    return text
  }
}
