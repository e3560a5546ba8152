/// One navigation: what a load answers and what delegate calls carry. See Apple's page "WKNavigation".
@MainActor
public final class WKNavigation: NSObject {
  /// The address that was asked for; nil where nobody knows it.
  var requested: URL?

  override init() {}
}

/// What a navigation delegate decides about a navigation.
public enum WKNavigationActionPolicy: Int, Sendable {
  /// The page stays where it is.
  case cancel = 0
  /// The page goes there.
  case allow = 1
  /// Taken as ``cancel``: nothing is downloaded into a host.
  case download = 2
}

/// What a navigation delegate decides about a response.
public enum WKNavigationResponsePolicy: Int, Sendable {
  /// The load fails with 102 of `WebKitErrorDomain`.
  case cancel = 0
  /// The document stays.
  case allow = 1
  /// Taken as ``cancel``: nothing is downloaded into a host.
  case download = 2
}

/// What made a navigation happen.
public enum WKNavigationType: Int, Sendable {
  /// The user followed a link.
  case linkActivated = 0
  /// A form was sent.
  case formSubmitted = 1
  /// A step in the history.
  case backForward = 2
  /// The page is loaded again.
  case reload = 3
  /// A form is sent again, by a reload or a step in the history.
  case formResubmitted = 4
  /// Anything else: the app's loads, scripts.
  case other = -1
}

/// What a page or the app wants to load. See Apple's page "WKNavigationAction".
@MainActor
public final class WKNavigationAction: NSObject {
  /// The frame that asks; nil for a load of the app before there is a page.
  public let sourceFrame: WKFrameInfo
  /// The frame that is to show it; nil for a window of its own.
  public let targetFrame: WKFrameInfo?
  /// What made it happen.
  public let navigationType: WKNavigationType
  /// What is to be loaded.
  public let request: URLRequest
  /// Whether the response is to be downloaded; false always.
  public let shouldPerformDownload = false

  /// - Parameter target: nil for a window that is not there yet.
  init(request: URLRequest, type: WKNavigationType, frame: WKFrameInfo, target: WKFrameInfo?) {
    self.request = request
    navigationType = type
    sourceFrame = frame
    targetFrame = target
  }

  convenience init(request: URLRequest, type: WKNavigationType, frame: WKFrameInfo) {
    self.init(request: request, type: type, frame: frame, target: frame)
  }
}

/// What came for a navigation. See Apple's page "WKNavigationResponse".
@MainActor
public final class WKNavigationResponse: NSObject {
  /// Whether it is for the page itself.
  public let isForMainFrame: Bool
  /// Its address and what is known of its headers.
  public let response: URLResponse
  /// Whether a browser shows that type itself.
  public let canShowMIMEType = true

  init(response: URLResponse) {
    self.response = response
    isForMainFrame = true
  }
}

extension WKNavigationType {
  /// Reads the wire's word.
  init(wire: String?) {
    switch wire {
    case "link": self = .linkActivated
    case "form": self = .formSubmitted
    case "form_again": self = .formResubmitted
    case "back_forward": self = .backForward
    case "reload": self = .reload
    default: self = .other
    }
  }
}
