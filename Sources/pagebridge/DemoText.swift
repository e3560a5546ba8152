/// What `demo` tells its user.
enum DemoText {
  static func greeting(origin: String, _ options: DemoOptions) -> String {
    var text = ""
    if options.parts.contains(.player) { text += player(origin: origin, app: options.app) }
    if options.parts.contains(.browser) { text += browser(origin: origin, app: options.browser.app) }
    if options.parts.contains(.journey) { text += journey(origin: origin, app: options.journey.app) }
    if options.parts.contains(.squad) { text += squad(origin: origin, app: options.squad.app) }
    return text + "\(origin)/ lists all apps. Ctrl-C ends it.\n\n"
  }

  private static func player(origin: String, app: String) -> String {
    """

    The player is ready. Open in a browser:

      \(origin)/view/\(app)

    What to try there:
      - press the fullscreen button in the video, then turn the device back
      - press a price over the video: the app draws its betslip
      - press the home button: the app closes the player, and loads it again when you come back
      - watch the messages of page and app in the panel beside the device

    \(bareTab(origin: origin, page: "player", isStandard: app == DemoOptions.standardApp))
    """
  }

  private static func browser(origin: String, app: String) -> String {
    """

    The two-way browser is ready too:

      \(origin)/view/\(app)

    What to try there:
      - send a text from the app's field: the page shows it
      - send an object from the page's form: the app shows it
      - follow the link to restricted.com: the app does not let the page go there

    \(bareTab(origin: origin, page: "browser", isStandard: app == BrowserOptions.standardApp))
    """
  }

  private static func journey(origin: String, app: String) -> String {
    """

    The identity journey is ready too:

      \(origin)/view/\(app)

    What to try there:
      - take a photo of a document: the app shows its camera, the page gets the picture
      - cancel the camera: the page says so, and lets you try again
      - press More: switch capabilities off, answer what waits, close the journey

    \(bareTab(origin: origin, page: "journey", isStandard: app == JourneyOptions.standardApp))
    """
  }

  private static func squad(origin: String, app: String) -> String {
    """

    The live sports calls are ready too:

      \(origin)/view/\(app)

    What to try there:
      - press Ring: the page rings; accept, react and end the call on either side
      - report a product error from the page's Account: the app tells what it means
      - press Log: what crossed the bridge; press Tools: cookies, figures, faults to try

    \(bareTab(origin: origin, page: "squad", isStandard: app == SquadOptions.standardApp))
    """
  }

  /// The page that stands for an app's web view by itself belongs to the app's standard name.
  private static func bareTab(origin: String, page: String, isStandard: Bool) -> String {
    isStandard
      ? "\(origin)/pages/\(page)/ is the same page without a device: the browser's window is its screen.\n"
      : ""
  }
}
