/// Where scripts run: each world has its own globals and its own message handlers. See Apple's page "WKContentWorld".
///
/// A browser page has one realm. The page's world is that realm itself; every other world is a scope inside it, which
/// keeps its globals and its `window.webkit` to itself and shares the DOM and the built-in objects. The article on porting
/// says what differs.
@MainActor
public final class WKContentWorld: NSObject {
  private struct Reference {
    weak var world: WKContentWorld?
  }

  /// The world of the page's own scripts.
  public static let page = WKContentWorld(name: nil, wireName: nil)
  /// The world of an app that needs only one beside the page's.
  public static let defaultClient = WKContentWorld(name: nil, wireName: "client")

  private static var named: [String: Reference] = [:]

  /// The world's name; nil for ``page`` and ``defaultClient``.
  public let name: String?
  /// How messages between host and page name the world; nil for the page's.
  let wireName: String?

  private init(name: String?, wireName: String?) {
    self.name = name
    self.wireName = wireName
  }

  /// The world of that name: the same object for the same name, as long as somebody holds it.
  public static func world(name: String) -> WKContentWorld {
    if let world = named[name]?.world { return world }
    let world = WKContentWorld(name: name, wireName: namePrefix + name)
    named = named.filter { $0.value.world != nil }
    named[name] = Reference(world: world)
    return world
  }

  /// The world that a page names.
  static func world(wireName: String?) -> WKContentWorld {
    guard let wireName else { return page }
    return wireName.hasPrefix(namePrefix)
      ? world(name: String(wireName.dropFirst(namePrefix.count))) : defaultClient
  }

  private static let namePrefix = "named:"
}
