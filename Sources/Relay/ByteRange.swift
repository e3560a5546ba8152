/// The part of a content that a request asks for (RFC 9110, section 14).
enum ByteRange: Equatable {
  /// All of it: no range, or one that is to be ignored.
  case whole
  /// Bytes from the first to the last, both included.
  case part(first: Int, last: Int)
  /// Nothing that the content has.
  case unsatisfiable

  /// Reads a Range header for a content of that many bytes.
  ///
  /// Several ranges, other units and malformed ones are ignored, which the standard allows.
  init(header: String?, length: Int) {
    self = .whole
    guard let header, header.hasPrefix("bytes=") else { return }
    let text = header.dropFirst(6).filter { $0 != " " }
    let bounds = text.split(separator: "-", omittingEmptySubsequences: false)
    guard bounds.count == 2, !text.contains(","), bounds.allSatisfy({ $0.allSatisfy(\.isASCII) }) else {
      return
    }
    func number(_ text: Substring) -> Int? {
      guard !text.isEmpty, text.allSatisfy(\.isNumber) else { return nil }
      return Int(text) ?? Int.max
    }
    switch (number(bounds[0]), number(bounds[1])) {
    case (let first?, nil) where bounds[1].isEmpty:
      self = first < length ? .part(first: first, last: length - 1) : .unsatisfiable
    case (let first?, let last?) where first <= last:
      self = first < length ? .part(first: first, last: min(last, length - 1)) : .unsatisfiable
    case (nil, let suffix?) where bounds[0].isEmpty:
      guard suffix > 0, length > 0 else {
        self = .unsatisfiable
        return
      }
      self = .part(first: max(0, length - suffix), last: length - 1)
    default:
      return
    }
  }

  /// The value of Content-Range for a content of that many bytes.
  func contentRange(length: Int) -> String? {
    switch self {
    case .whole: nil
    case .part(let first, let last): "bytes \(first)-\(last)/\(length)"
    case .unsatisfiable: "bytes */\(length)"
    }
  }
}
