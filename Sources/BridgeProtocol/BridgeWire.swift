/// The fixed words of the wire.
public enum BridgeWire {
  /// The WebSocket subprotocol (RFC 6455, section 1.9).
  public static let subprotocol = "pagebridge.v1"
  /// The one control value of a page after its hello, matched by its exact bytes.
  public static let probe = #"{"probe":{}}"#
  /// The relay's answer to ``probe``, and what it sends every ``Limits/aliveInterval``.
  public static let alive = #"["alive"]"#
}
