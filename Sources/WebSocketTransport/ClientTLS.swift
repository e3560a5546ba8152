import COpenSSL

/// How a client trusts a server's certificate; one context of OpenSSL for each way and loop.
struct ClientTLS: Hashable {
  var isSecure: Bool
  var caFile: String?
}

/// A client's context of OpenSSL, owned here: libwebsockets would make one for itself, but finds it again by an index
/// that every further context of its own overwrites.
final class ClientTLSContext {
  let pointer: OpaquePointer

  /// Trusts the system's authorities and those of the file; nil if the file cannot be read.
  init?(caFile: String?) {
    guard let context = SSL_CTX_new(TLS_client_method()) else { return nil }
    pointer = context
    SSL_CTX_set_default_verify_paths(context)
    // A class that fails to initialize still frees what it has.
    if let caFile, SSL_CTX_load_verify_locations(context, caFile, nil) != 1 { return nil }
  }

  deinit { SSL_CTX_free(pointer) }
}

/// A server's context of OpenSSL: made by libwebsockets, which frees it only if it has initialized OpenSSL itself.
final class ServerTLSContext {
  private let pointer: OpaquePointer

  init(_ pointer: OpaquePointer) {
    self.pointer = pointer
  }

  deinit { SSL_CTX_free(pointer) }
}
