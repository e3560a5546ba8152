/// Every bound that the bridge names, in one place.
public enum BridgeLimits {
  /// How many messages ``BridgeHost/receivedMessages`` keeps; the oldest go first.
  public static let receivedMessages = 200
  /// How many bytes of values those messages hold together; the oldest go first, and the newest stays whatever its size.
  public static let receivedBytes = 32 * 1_048_576
  /// With how many parked requests the host warns of a leak: one more sets ``BridgeHost/lastError``.
  public static let pendingWarning = 50
  /// How many requests may wait for an answer, parked ones included; a further one is answered with `BUSY`.
  public static let openRequests = 500
  /// How many bytes of values those requests hold together; a request that leads beyond is answered with `BUSY`.
  public static let openBytes = 64 * 1_048_576
  /// How many bytes of values an answer or event may hold; a larger answer becomes `INTERNAL_ERROR`, a larger event is
  /// dropped with ``BridgeHost/lastError``. It leaves the envelope room inside the library's 16 MiB.
  public static let sentBytes = 16 * 1_048_576 - 65_536
  /// The longest correlation id, in bytes of UTF-8; a longer one is a decode error that cannot be answered.
  public static let correlationIDBytes = 1_024
  /// The longest action, in bytes of UTF-8; a longer one is refused with `INVALID_REQUEST`.
  public static let actionBytes = 256
  /// How deep arrays and objects nest in a message, its envelope included; a deeper one is a decode error.
  public static let depth = 64
}
