import PageBridgeWebKit

/// Who hears what the page posts to `iOSNative`.
@MainActor
protocol WebViewHandlerDelegate: AnyObject {
  func receivedJSONValueFromWebView(_ value: WireValue)
  func receivedStringValueFromWebView(_ value: String)
  /// The body was of another kind, which the bridge does not carry.
  func ignoredValueFromWebView()
}
