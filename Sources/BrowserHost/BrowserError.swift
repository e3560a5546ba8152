import Foundation
import PageBridgeWebKit

/// Something that did not work, as the app shows it.
struct BrowserError: Hashable, Sendable {
  enum Operation: String, Hashable, Sendable {
    case loading
    case gettingTitle
    case callingValueGotFromIOS
    case openingAddress
    case pageProcess
  }

  var operation: Operation
  var message: String

  init(_ operation: Operation, _ message: String) {
    self.operation = operation
    self.message = message
  }

  /// An exception of a script says more than the error that carries it.
  init(_ operation: Operation, _ error: any Error) {
    let exception = (error as NSError).userInfo[WKJavaScriptExceptionMessageErrorKey] as? String
    self.init(operation, exception ?? error.localizedDescription)
  }

  /// One line for people.
  var text: String {
    switch operation {
    case .loading: "Not loaded: \(message)"
    case .gettingTitle: "Getting the title: \(message)"
    case .callingValueGotFromIOS: "Calling valueGotFromIOS: \(message)"
    case .openingAddress: message
    case .pageProcess: message
    }
  }
}
