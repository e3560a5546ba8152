/// The pages that a web view has shown and can go back and forward to. See Apple's page "WKBackForwardList".
///
/// It holds what the view's own pages have told since the host's process began; what a tab showed before is the browser's.
@MainActor
public final class WKBackForwardList: NSObject {
  private var items: [WKBackForwardListItem] = []
  private var index = -1

  override init() {}

  /// The page that is shown; nil before the first one.
  public var currentItem: WKBackForwardListItem? { item(at: 0) }
  /// The page before it; nil if there is none.
  public var backItem: WKBackForwardListItem? { item(at: -1) }
  /// The page behind it; nil if there is none.
  public var forwardItem: WKBackForwardListItem? { item(at: 1) }
  /// The pages before the current one, the oldest first.
  public var backList: [WKBackForwardListItem] { index > 0 ? Array(items[..<index]) : [] }
  /// The pages behind the current one, the nearest first.
  public var forwardList: [WKBackForwardListItem] { Array(items[(index + 1)...]) }

  /// The page that is so many steps away from the current one: 0 is that itself, -1 the one before.
  public func item(at index: Int) -> WKBackForwardListItem? {
    let place = self.index + index
    return items.indices.contains(place) ? items[place] : nil
  }

  /// How many steps away a page is; nil if it is not in the list.
  func distance(to item: WKBackForwardListItem) -> Int? {
    items.firstIndex { $0 === item }.map { $0 - index }
  }

  /// The page tells where it is in its history.
  ///
  /// - Parameters:
  ///   - entry: the browser's name of the place; a new one drops what lies behind the current page.
  ///   - replaces: whether the page took the current one's place.
  func show(_ entry: String, url: URL, initialURL: URL, replaces: Bool) {
    if let known = items.firstIndex(where: { $0.entry == entry }) {
      index = known
      items[index].url = url
      return
    }
    let item = WKBackForwardListItem(entry: entry, url: url, initialURL: initialURL)
    if replaces, index >= 0 {
      items[index] = item
    } else {
      items.removeSubrange((index + 1)...)
      items.append(item)
      index += 1
    }
  }
}

/// A page in a web view's history. See Apple's page "WKBackForwardListItem".
@MainActor
public final class WKBackForwardListItem: NSObject {
  /// The page's address.
  public internal(set) var url: URL
  /// The page's title; nil while it has none.
  public internal(set) var title: String?
  /// The address that was asked for, which a server may have led elsewhere.
  public let initialURL: URL
  let entry: String

  init(entry: String, url: URL, initialURL: URL) {
    self.entry = entry
    self.url = url
    self.initialURL = initialURL
  }
}
