/// A view that the host draws over its web view, described for the viewer: panels, rows, labels, buttons and the like.
///
/// Frames are in device points, from the screen's or the web view's corner.
public struct NativeView: Codable, Hashable, Sendable {
  /// What the viewer draws.
  public enum Kind: String, Codable, Sendable {
    /// A box with a heading around other views.
    case panel
    /// Views beside each other.
    case row
    /// Views below each other.
    case column
    /// A line of text.
    case label
    /// A button; it sends the action ``NativeViewAction/Kind/press``.
    case button
    /// A field for one line of text; it sends ``NativeViewAction/Kind/change`` and ``NativeViewAction/Kind/submit``.
    case textField
    /// A sign that something is under way.
    case spinner
    /// A bar that shows how far something is.
    case progress
    /// A message across the screen.
    case banner
    /// A small mark with a word in it.
    case badge
    /// A camera over the whole screen; see ``NativeView/capture(_:of:title:text:hidden:)``.
    case capture
  }

  /// What a capture view takes a picture of.
  public enum Subject: String, Codable, Sendable {
    /// With the camera at the back, in a card's outline.
    case document
    /// With the camera at the front, in a face's outline.
    case selfie
  }

  /// What a frame is measured from.
  public enum Anchor: String, Codable, Sendable {
    /// The whole screen.
    case screen
    /// The web view's own frame.
    case content
  }

  /// What a button is for.
  public enum Role: String, Codable, Sendable {
    /// What most users want: it stands out.
    case primary
    /// Leaves without doing anything.
    case cancel
    /// Throws something away: it is red.
    case destructive
    /// Anything else.
    case normal
  }

  /// How a banner or badge is meant.
  public enum Tone: String, Codable, Sendable {
    /// Something to know.
    case info
    /// Something went well.
    case success
    /// Something to look out for.
    case warning
    /// Something failed.
    case error
  }

  /// A rectangle in points.
  public struct Frame: Codable, Hashable, Sendable {
    /// The left edge.
    public var x: Double
    /// The upper edge.
    public var y: Double
    /// How wide it is.
    public var width: Double
    /// How high it is.
    public var height: Double

    /// Makes a rectangle of its parts.
    public init(x: Double, y: Double, width: Double, height: Double) {
      self.x = x
      self.y = y
      self.width = width
      self.height = height
    }

    /// Makes one of Foundation's.
    public init(_ rectangle: CGRect) {
      self.init(
        x: Double(rectangle.origin.x), y: Double(rectangle.origin.y), width: Double(rectangle.size.width),
        height: Double(rectangle.size.height))
    }
  }

  /// Names the view in actions and over changes; unique on its screen.
  public var id: String
  /// What it is.
  public var kind: Kind
  /// Whether it is hidden; it is shown if this is nil.
  public var hidden: Bool?
  /// Whether a button or a field can be used; it can if this is nil.
  public var disabled: Bool?
  /// Where it is on the screen; nil to let the anchor or its parent place it.
  public var frame: Frame?
  /// Which edge of the screen it keeps to.
  public var anchor: Anchor?
  /// The text of a button, or the heading of a panel.
  public var title: String?
  /// The text of a label, a banner or a badge.
  public var text: String?
  /// What an empty field shows.
  public var placeholder: String?
  /// What a field holds.
  public var value: String?
  /// What kind of button it is.
  public var role: Role?
  /// How a banner or badge is meant.
  public var tone: Tone?
  /// What a capture view is for.
  public var subject: Subject?
  /// The views inside a panel or row, from top to bottom.
  public var children: [NativeView]?

  /// Makes a view of any kind.
  public init(
    id: String, kind: Kind, hidden: Bool? = nil, disabled: Bool? = nil, frame: Frame? = nil,
    anchor: Anchor? = nil, title: String? = nil, text: String? = nil, placeholder: String? = nil,
    value: String? = nil,
    role: Role? = nil, tone: Tone? = nil, subject: Subject? = nil, children: [NativeView]? = nil
  ) {
    self.id = id
    self.kind = kind
    self.hidden = hidden
    self.disabled = disabled
    self.frame = frame
    self.anchor = anchor
    self.title = title
    self.text = text
    self.placeholder = placeholder
    self.value = value
    self.role = role
    self.tone = tone
    self.subject = subject
    self.children = children
  }

  /// A box with a title around other views.
  public static func panel(
    _ id: String, frame: CGRect? = nil, anchor: Anchor? = nil, title: String? = nil, hidden: Bool? = nil,
    children: [NativeView] = []
  ) -> NativeView {
    NativeView(
      id: id, kind: .panel, hidden: hidden, frame: frame.map(Frame.init), anchor: anchor, title: title,
      children: children)
  }

  /// Views beside each other.
  public static func row(
    _ id: String, frame: CGRect? = nil, hidden: Bool? = nil, children: [NativeView]
  ) -> NativeView {
    NativeView(id: id, kind: .row, hidden: hidden, frame: frame.map(Frame.init), children: children)
  }

  /// Views below each other.
  public static func column(_ id: String, hidden: Bool? = nil, children: [NativeView]) -> NativeView {
    NativeView(id: id, kind: .column, hidden: hidden, children: children)
  }

  /// A text.
  public static func label(_ id: String, text: String, tone: Tone? = nil, hidden: Bool? = nil) -> NativeView {
    NativeView(id: id, kind: .label, hidden: hidden, text: text, tone: tone)
  }

  /// A button; pressing it sends the action `press`.
  public static func button(
    _ id: String, title: String, role: Role = .normal, hidden: Bool? = nil, disabled: Bool? = nil
  ) -> NativeView {
    NativeView(id: id, kind: .button, hidden: hidden, disabled: disabled, title: title, role: role)
  }

  /// A field for one line of text; it sends `change` and, with the return key, `submit`.
  public static func textField(
    _ id: String, value: String = "", placeholder: String? = nil, title: String? = nil, hidden: Bool? = nil
  ) -> NativeView {
    NativeView(
      id: id, kind: .textField, hidden: hidden, title: title, placeholder: placeholder, value: value)
  }

  /// A sign that something is under way.
  public static func spinner(
    _ id: String, text: String? = nil, frame: CGRect? = nil, hidden: Bool? = nil
  )
    -> NativeView
  {
    NativeView(id: id, kind: .spinner, hidden: hidden, frame: frame.map(Frame.init), text: text)
  }

  /// A thin bar that shows how far something is: `value` is from 0 to 1.
  public static func progress(
    _ id: String, value: Double, frame: CGRect? = nil, hidden: Bool? = nil
  ) -> NativeView {
    NativeView(id: id, kind: .progress, hidden: hidden, frame: frame.map(Frame.init), value: String(value))
  }

  /// A message across the screen.
  public static func banner(
    _ id: String, text: String, title: String? = nil, tone: Tone = .info, frame: CGRect? = nil,
    hidden: Bool? = nil
  ) -> NativeView {
    NativeView(
      id: id, kind: .banner, hidden: hidden, frame: frame.map(Frame.init), title: title, text: text,
      tone: tone)
  }

  /// A small mark.
  public static func badge(
    _ id: String, text: String, tone: Tone = .info, frame: CGRect? = nil, hidden: Bool? = nil
  ) -> NativeView {
    NativeView(
      id: id, kind: .badge, hidden: hidden, frame: frame.map(Frame.init), text: text, tone: tone)
  }

  /// A camera over the whole screen: it shows what the camera sees, takes a picture, and lets the user keep it or try again.
  ///
  /// It sends the actions `permission` (value `granted`, `denied`, or `none` where there is no camera: then, and wherever
  /// the user prefers it, a generated picture stands in), `capture` (see ``NativeViewPicture``) and `cancel` (value
  /// `cancelled`, `dismissed`, or `denied` when the camera may not be used).
  public static func capture(
    _ id: String, of subject: Subject, title: String, text: String? = nil, hidden: Bool? = nil
  ) -> NativeView {
    NativeView(id: id, kind: .capture, hidden: hidden, title: title, text: text, subject: subject)
  }

  /// The view as the wire has it; what is nil is left out.
  public var wireValue: WireValue {
    var members: [WireValue.Member] = [.init("id", .string(id)), .init("kind", .string(kind.rawValue))]
    func add(_ name: String, _ value: WireValue?) {
      if let value { members.append(.init(name, value)) }
    }
    add("hidden", hidden.map { .bool($0) })
    add("disabled", disabled.map { .bool($0) })
    add(
      "frame",
      frame.map {
        ["x": .number($0.x), "y": .number($0.y), "width": .number($0.width), "height": .number($0.height)]
      })
    add("anchor", anchor.map { .string($0.rawValue) })
    add("title", title.map { .string($0) })
    add("text", text.map { .string($0) })
    add("placeholder", placeholder.map { .string($0) })
    add("value", value.map { .string($0) })
    add("role", role.map { .string($0.rawValue) })
    add("tone", tone.map { .string($0.rawValue) })
    add("subject", subject.map { .string($0.rawValue) })
    add("children", children.map { .array($0.map(\.wireValue)) })
    return .object(members)
  }
}
