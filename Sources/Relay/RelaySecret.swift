import Foundation
import Glibc

/// Where the secret of a relay comes from.
public enum RelaySecret {
  /// The least bytes of a secret.
  public static let minBytes = 16

  /// Reads a secret from a file: its bytes without surrounding white space.
  ///
  /// - Throws: ``RelayError`` `secretUnusable` when the file cannot be read, is shorter than ``minBytes``, or may be
  ///   read by others than its owner.
  public static func load(file path: String) throws(RelayError) -> [UInt8] {
    func unusable(_ message: String) -> RelayError {
      RelayError(code: .secretUnusable, message: message, context: ["file": path])
    }
    var status = stat()
    guard stat(path, &status) == 0, let data = FileManager.default.contents(atPath: path) else {
      throw unusable("The secret file cannot be read.")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw unusable("The secret file may be read by others; its mode must be 0600.")
    }
    let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
    let bytes = Array(data.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    guard bytes.count >= minBytes else {
      throw unusable("The secret file holds less than \(minBytes) bytes.")
    }
    return bytes
  }

  /// The secret of this machine's development mode, made at first and then kept, so that keys survive a restart.
  ///
  /// It lies in `pagebridge/dev-secret` under `$XDG_STATE_HOME` or `~/.local/state`, mode 0600.
  ///
  /// - Throws: ``RelayError`` `secretUnusable` when it can be neither read nor made.
  public static func development() throws(RelayError) -> [UInt8] {
    let environment = ProcessInfo.processInfo.environment
    return try development(
      in: environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        ?? NSHomeDirectory() + "/.local/state")
  }

  static func development(in base: String) throws(RelayError) -> [UInt8] {
    let folder = base + "/pagebridge"
    let path = folder + "/dev-secret"
    if access(path, F_OK) == 0 { return try load(file: path) }
    let secret = Array(Keys.random(bytes: 32).utf8)
    // Written beside and linked, so that of two relays starting at once both end with the same secret.
    let draft = path + "." + Keys.random(bytes: 8)
    try? FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let isWritten = FileManager.default.createFile(
      atPath: draft, contents: Data(secret), attributes: [.posixPermissions: 0o600])
    defer { unlink(draft) }
    guard isWritten, link(draft, path) == 0 || errno == EEXIST else {
      throw RelayError(
        code: .secretUnusable, message: "The secret of the development mode cannot be written.",
        context: ["file": path])
    }
    return try load(file: path)
  }
}
