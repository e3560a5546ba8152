/// What `demo` tells its user.
enum DemoText {
  static func greeting(origin: String, app: String) -> String {
    """

    The player is ready. Open in a browser:

      \(origin)/view/\(app)

    What to try there:
      - press the fullscreen button in the video, then turn the device back
      - press a price over the video: the app draws its betslip
      - press the home button: the app closes the player, and loads it again when you come back
      - watch the messages of page and app in the panel beside the device

    \(bareTab(origin: origin, app: app))\(origin)/ lists all apps. Ctrl-C ends it.

    """
  }

  /// The page that stands for the app's web view by itself belongs to the standard name.
  private static func bareTab(origin: String, app: String) -> String {
    app == DemoOptions.standardApp
      ? "\(origin)/pages/player/ is the same page without a device: the browser's window turns it.\n" : ""
  }
}
