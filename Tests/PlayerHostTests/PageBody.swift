import PageBridgeWebKit

/// Reads JSON as a page's message body.
func body(_ json: String) throws -> WireValue {
  try WireValue(json: json.utf8)
}
