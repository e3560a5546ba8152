import BridgeProtocol

/// What a user did to a native view.
public struct NativeViewAction: Hashable, Sendable {
  /// What was done.
  public enum Kind: String, Hashable, Sendable {
    /// A button was pressed.
    case press
    /// A field's text has changed; the value is the text.
    case change
    /// The return key was pressed in a field; the value is its text.
    case submit
    /// A capture view has a picture that the user keeps; see ``NativeViewPicture``.
    case capture
    /// A capture view was left; the value is `cancelled`, `dismissed` or `denied`.
    case cancel
    /// A capture view knows whether there is a camera; the value is `granted`, `denied` or `none`.
    case permission
  }

  /// The view's id.
  public var view: String
  /// What the user did.
  public var kind: Kind
  /// A text field's text, a picture, or a word: what the kind of view says, as the wire has it.
  public var value: WireValue?
  /// The same as a text.
  public var text: String? { value?.string }

  /// Makes an action, for tests.
  public init(view: String, kind: Kind, value: WireValue? = nil) {
    self.view = view
    self.kind = kind
    self.value = value
  }

  init?(_ message: WireValue) {
    guard let view = message["view"]?.string, let kind = message["action"]?.string.flatMap(Kind.init) else {
      return nil
    }
    self.init(view: view, kind: kind, value: message["value"])
  }
}

/// A picture that a capture view took.
public struct NativeViewPicture: Hashable, Sendable {
  /// The picture, in base64.
  public var base64: String
  /// In pixels.
  public var width: Int
  /// In pixels.
  public var height: Int
  /// Such as `image/png`.
  public var mimeType: String
  /// Whether it was drawn because there was no camera to take it.
  public var isGenerated: Bool

  /// Makes a picture, for tests.
  public init(base64: String, width: Int, height: Int, mimeType: String, isGenerated: Bool = false) {
    self.base64 = base64
    self.width = width
    self.height = height
    self.mimeType = mimeType
    self.isGenerated = isGenerated
  }

  /// Reads the value of an action `capture`; nil if it has another shape.
  public init?(_ action: NativeViewAction) {
    guard action.kind == .capture, let value = action.value, let base64 = value["imageData"]?.string,
      !base64.isEmpty, let width = value["width"]?.number.flatMap({ Int(whole: $0) }), width > 0,
      let height = value["height"]?.number.flatMap({ Int(whole: $0) }), height > 0,
      let mimeType = value["mimeType"]?.string, mimeType.hasPrefix("image/")
    else { return nil }
    self.init(
      base64: base64, width: width, height: height, mimeType: mimeType,
      isGenerated: value["source"]?.string == "generated")
  }
}
