import BridgeProtocol

/// Which of several service threads serves what.
///
/// An app and everything of it live on one thread, so that the data path crosses none.
struct ThreadChoice: Sendable {
  let threads: Int

  /// The thread of an app: FNV-1a of its name.
  func thread(ofApp app: some StringProtocol) -> Int {
    thread(ofHash: Self.hash(app))
  }

  /// The thread of an instance whose id this relay has minted.
  func thread(ofInstance instance: some StringProtocol) -> Int {
    thread(ofHash: Self.hash(instance))
  }

  /// The thread of a one-time script: its first character's place in the alphabet.
  func thread(ofScript script: some StringProtocol) -> Int? {
    guard let first = script.utf8.first, let index = Self.alphabet.firstIndex(of: first) else { return nil }
    return index % threads
  }

  /// An id for an instance on the thread, so that `/s/<session>` leads to it.
  func mintInstance(thread: Int) -> String {
    while true {
      let id = Keys.random(bytes: 8)
      if self.thread(ofInstance: id) == thread { return id }
    }
  }

  /// A name for a one-time script on the thread: 22 random characters behind one that says the thread.
  func mintScript(thread: Int) -> String {
    let choices = stride(from: thread, to: Self.alphabet.count, by: threads).map { Self.alphabet[$0] }
    let first = choices.isEmpty ? Self.alphabet[0] : choices.randomElement() ?? Self.alphabet[0]
    return String(UnicodeScalar(first)) + Keys.random(bytes: 16)
  }

  /// The thread for a request, by its first line; nil if any will do.
  func thread(ofRequestLine line: some StringProtocol, isKnown: (String) -> Int?) -> Int? {
    let words = line.split(separator: " ", maxSplits: 2)
    guard words.count >= 2 else { return nil }
    let target = words[1]
    let path = target.prefix { $0 != "?" }
    let parts = path.split(separator: "/", maxSplits: 2)
    guard let kind = parts.first else { return nil }
    switch kind {
    case "ws":
      return parts.count > 1 ? thread(ofApp: parts[1]) : nil
    case "attach", "dialog":
      let query = target.dropFirst(path.count + 1).split(separator: "&")
      return query.first { $0.hasPrefix("app=") }.map { thread(ofApp: $0.dropFirst(4)) }
    case "s":
      guard parts.count > 1, Identifiers.isSession(parts[1]) else { return nil }
      let instance = Identifiers.instance(ofSession: String(parts[1]))
      return isKnown(instance) ?? thread(ofInstance: instance)
    case "b":
      return parts.count > 1 ? thread(ofScript: parts[1]) : nil
    default:
      return nil
    }
  }

  private func thread(ofHash hash: UInt32) -> Int { Int(hash % UInt32(threads)) }

  private static let alphabet = Keys.alphabet

  static func hash(_ text: some StringProtocol) -> UInt32 {
    text.utf8.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
  }
}
