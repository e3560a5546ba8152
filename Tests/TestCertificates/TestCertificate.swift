import COpenSSL
import Foundation
import Glibc

/// A fresh self-signed certificate for 127.0.0.1 and localhost with its key, as PEM files in a folder of their own.
public final class TestCertificate: Sendable {
  /// The file of the certificate.
  public let certificateFile: String
  /// The file of its key.
  public let keyFile: String
  private let folder: String

  struct Failure: Error {}

  /// Makes the certificate and writes the files, which go with this object.
  public init() throws {
    folder = NSTemporaryDirectory() + "/pagebridge-certificate-\(UUID())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    certificateFile = folder + "/cert.pem"
    keyFile = folder + "/key.pem"
    guard let generator = EVP_PKEY_CTX_new_id(EVP_PKEY_ED25519, nil) else { throw Failure() }
    defer { EVP_PKEY_CTX_free(generator) }
    var key: OpaquePointer?
    guard EVP_PKEY_keygen_init(generator) == 1, EVP_PKEY_keygen(generator, &key) == 1,
      let certificate = X509_new()
    else { throw Failure() }
    defer {
      X509_free(certificate)
      EVP_PKEY_free(key)
    }
    X509_set_version(certificate, 2)
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1)
    X509_gmtime_adj(X509_getm_notBefore(certificate), -3_600)
    X509_gmtime_adj(X509_getm_notAfter(certificate), 48 * 3_600)
    X509_set_pubkey(certificate, key)
    let name = X509_get_subject_name(certificate)
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_FLAG | 1, "localhost", -1, -1, 0)
    X509_set_issuer_name(certificate, name)
    var context = X509V3_CTX()
    X509V3_set_ctx(&context, certificate, certificate, nil, nil, 0)
    for (kind, value) in [
      (NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1"), (NID_basic_constraints, "critical,CA:TRUE"),
    ] {
      guard let item = X509V3_EXT_conf_nid(nil, &context, kind, value) else { throw Failure() }
      X509_add_ext(certificate, item, -1)
      X509_EXTENSION_free(item)
    }
    guard X509_sign(certificate, key, nil) > 0 else { throw Failure() }
    try Self.write(certificateFile) { PEM_write_X509($0, certificate) }
    try Self.write(keyFile) { PEM_write_PrivateKey($0, key, nil, nil, 0, nil, nil) }
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private static func write(_ path: String, _ work: (UnsafeMutablePointer<FILE>) -> CInt) throws {
    guard let file = fopen(path, "w") else { throw Failure() }
    defer { fclose(file) }
    guard work(file) == 1 else { throw Failure() }
  }
}
