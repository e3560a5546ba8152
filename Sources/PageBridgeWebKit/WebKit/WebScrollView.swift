/// How the page of a web view scrolls: the part of UIKit's scroll view that a page can follow.
@MainActor
public final class WebScrollView: NSObject {
  /// Whether the page gives way and springs back at its ends.
  public var bounces = true {
    didSet { if bounces != oldValue { changed() } }
  }

  /// Whether the user can scroll the page.
  public var isScrollEnabled = true {
    didSet { if isScrollEnabled != oldValue { changed() } }
  }

  private let changed: @MainActor () -> Void

  init(changed: @escaping @MainActor () -> Void) {
    self.changed = changed
  }
}
