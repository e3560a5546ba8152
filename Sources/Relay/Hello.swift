import BridgeProtocol
import Foundation

/// The first message of a socket, read and checked as far as it needs no secret and no knowledge of sessions.
enum Hello: Equatable {
  case page(PageHello)
  case host(HostHello)

  /// Reads a hello.
  ///
  /// - Parameters:
  ///   - text: The message.
  ///   - app: The app of the socket's URL.
  init(_ text: some Collection<UInt8>, app: String, maxBytes: Int) throws(Refusal) {
    guard text.count <= maxBytes else {
      throw Refusal(.helloTooLarge, "The hello is larger than \(maxBytes) bytes.")
    }
    let data = Data(text)
    let decoder = JSONDecoder()
    guard let message = try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed) else {
      // What begins like a hello is a broken one.
      guard text.starts(with: #"{"hello""#.utf8) else {
        throw Refusal(.expectedHello, "The first message must be a hello.")
      }
      throw Refusal(.malformedHello, "The hello is not JSON.")
    }
    guard let members = message as? [String: Any], let hello = members["hello"] else {
      throw Refusal(.expectedHello, "The first message must be a hello.")
    }
    guard let hello = hello as? [String: Any] else {
      throw Refusal(.malformedHello, "The hello is not an object.")
    }
    let role = hello["role"]
    guard let role = role as? String, role == "page" || role == "host" else {
      throw Refusal(.unknownRole, "The hello's role must be page or host.")
    }
    guard let named = hello["app"] as? String, named == app, Identifiers.isApp(app) else {
      throw Refusal(.wrongApp, "The hello's app must be a valid name and that of the URL.")
    }
    do {
      if role == "page" {
        self = .page(try decoder.decode(Envelope<PageHello>.self, from: data).hello)
      } else {
        self = .host(try decoder.decode(Envelope<HostHello>.self, from: data).hello)
      }
    } catch {
      throw Refusal(.malformedHello, "A member of the hello has the wrong type or is missing.")
    }
    try checkShapes()
  }

  private struct Envelope<Body: Decodable>: Decodable {
    var hello: Body
  }

  private func checkShapes() throws(Refusal) {
    switch self {
    case .page(let page):
      guard Identifiers.isDocument(page.document) else {
        throw Refusal(.malformedHello, "The hello's document must have 8 characters of base64url.")
      }
      if let session = page.session, !Identifiers.isSession(session) {
        throw Refusal(.wrongSession, "The hello's session must have 33 characters of base64url.")
      }
    case .host(let host):
      guard Identifiers.isEpoch(host.epoch) else {
        throw Refusal(.malformedHello, "The hello's epoch must have 8 characters of base64url.")
      }
      if let instance = host.instance, !Identifiers.isInstance(instance) {
        throw Refusal(.wrongSession, "The hello's instance must have 11 characters of base64url.")
      }
    }
  }
}

/// A page's hello.
struct PageHello: Decodable, Equatable {
  var document: String
  var session: String?
  var key: String?
  var takes: Takes?
  var late: Late?
  var url: String?
  var client: PageClient?
  var ticket: String?

  /// What a page without a session wants once a host comes.
  enum Late: String, Decodable {
    /// To be told, and to reload.
    case reload
    /// A session made then.
    case keep
  }
}

/// A host's hello.
struct HostHello: Decodable, Equatable {
  var instance: String?
  var key: String?
  var epoch: String
  var name: String?
}

/// By what right a document comes to a session that another one may have.
enum Takes: String, Decodable {
  /// It is the next document of the same tab.
  case replaces
  /// It was shown again by the browser's back-forward cache.
  case returns
  /// It has the key and cannot say why: a copied tab or a crash.
  case claim
}

/// What a page says about itself; passed on to the host.
struct PageClient: Decodable, Equatable {
  var kind: String?
  var blank: Bool?
  var userAgent: String?
  var title: String?

  var json: String {
    JSONText().adding("kind", kind ?? "page").adding("blank", blank).adding("userAgent", userAgent)
      .adding("title", title).object
  }
}

/// The body of an attach request.
struct AttachBody: Decodable, Equatable {
  var app: String
  var document: String
  var url: String?
  var client: PageClient?
  var session: String?
  var key: String?
  var takes: Takes?
  var ticket: String?

  /// Reads a body; nil if it is not JSON of the right shape.
  init?(_ text: [UInt8]) {
    guard let body = try? JSONDecoder().decode(AttachBody.self, from: Data(text)) else { return nil }
    self = body
  }
}
