import Foundation
import FoundationNetworking

extension NSError {
  /// The error as apps cast it: a `URLError` where the domain is that of URL loading.
  ///
  /// On Apple's systems `error as? URLError` finds one in an `NSError` by itself; on Linux it does not.
  var bridged: any Error {
    domain == NSURLErrorDomain ? URLError(_nsError: self) : self
  }
}
