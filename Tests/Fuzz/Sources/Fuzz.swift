import CFuzzer
import Glibc

/// Runs one fuzz target under libFuzzer: `Fuzz TARGET [libFuzzer's options and folders]`; `Fuzz --list` names them all.
@main
enum Fuzz {
  /// The target of this process; set once, before libFuzzer calls it.
  nonisolated(unsafe) private static var target: FuzzTarget?

  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count > 1, arguments[1] != "--list" else {
      for target in FuzzTarget.all { print(target.name) }
      return
    }
    guard let target = FuzzTarget.all.first(where: { $0.name == arguments[1] }) else {
      complain("Fuzz: there is no target '\(arguments[1])' (--list names them)")
      exit(2)
    }
    Self.target = target
    // libFuzzer starts itself again with these for its own jobs, so the target's name stays in front.
    var words: [UnsafeMutablePointer<CChar>?] = ([arguments[0]] + arguments.dropFirst(2)).map { strdup($0) }
    words.append(nil)
    exit(
      words.withUnsafeMutableBufferPointer { buffer in
        var count = CInt(buffer.count - 1)
        var start = buffer.baseAddress
        return LLVMFuzzerRunDriver(&count, &start) { data, size in
          Fuzz.target?.run(UnsafeBufferPointer(start: data, count: size))
          return 0
        }
      })
  }
}

/// Something that reads what others wrote, and what must hold whatever that is.
struct FuzzTarget: Sendable {
  let name: String
  let run: @Sendable (UnsafeBufferPointer<UInt8>) -> Void

  static let all = [
    FuzzTarget(name: "values", run: ValueFuzz.run),
    FuzzTarget(name: "envelopes", run: EnvelopeFuzz.run),
    FuzzTarget(name: "controls", run: ControlFuzz.run),
    FuzzTarget(name: "requests", run: RequestFuzz.run),
    FuzzTarget(name: "peer", run: PeerFuzz.run),
    FuzzTarget(name: "schedule", run: ScheduleFuzz.run),
    FuzzTarget(name: "markup", run: MarkupFuzz.run),
    FuzzTarget(name: "sockets", run: SocketFuzz.run),
  ]
}

/// Ends the process, which libFuzzer then reports with its input, unless the condition holds.
func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
  guard !condition else { return }
  complain("PROPERTY BROKEN: \(message())")
  abort()
}

/// One line on stderr.
private func complain(_ line: String) {
  let text = Array((line + "\n").utf8)
  _ = text.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

/// Takes an input apart: decisions from its front, text from what is left.
struct FuzzInput {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  var isEmpty: Bool { position >= bytes.count }

  /// The next byte, or 0 at the end.
  mutating func byte() -> UInt8 {
    guard position < bytes.count else { return 0 }
    defer { position += 1 }
    return bytes[position]
  }

  /// A number below the limit.
  mutating func number(below limit: Int) -> Int {
    limit <= 256 ? Int(byte()) % limit : (Int(byte()) << 8 | Int(byte())) % limit
  }

  /// All that is left.
  mutating func rest() -> [UInt8] {
    defer { position = bytes.count }
    return position < bytes.count ? Array(bytes[position...]) : []
  }

  /// What comes before the next line feed, which is taken too.
  mutating func line() -> [UInt8] {
    guard position < bytes.count else { return [] }
    let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
    defer { position = end + 1 }
    return Array(bytes[position..<end])
  }
}
