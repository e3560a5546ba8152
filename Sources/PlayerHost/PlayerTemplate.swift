import Foundation

/// The page that shows the player: the vendor's HTML template with its nine placeholders.
enum PlayerTemplate {
  /// Gives the page for a configuration.
  ///
  /// Each value stands in the loader's address as one query value, so it is percent-encoded; what comes out needs no
  /// further escaping in HTML, and a `%` in a size arrives as `%25`, as the loader wants it.
  /// - Parameter pagesURL: the folder that holds the page's scripts.
  static func html(for configuration: PlayerConfiguration, pagesURL: URL) -> String {
    let values = [
      "pagesURL": htmlEscaped(pagesURL.absoluteString),
      "customerId": queryValue(configuration.customerId),
      "fixtureId": queryValue(configuration.fixtureId),
      "playerWidth": queryValue(configuration.playerWidth),
      "playerHeight": queryValue(configuration.playerHeight),
      "controlsEnabled": String(configuration.controlsEnabled),
      "audioEnabled": String(configuration.audioEnabled),
      "allowFullScreen": String(configuration.allowFullScreen),
      "bufferLength": String(configuration.bufferLength),
      "autoplayEnabled": String(configuration.autoplayEnabled),
    ]
    // One pass, so that a value which looks like a placeholder is not replaced in its turn.
    return template.replacing(/\{\{([A-Za-z]+)\}\}/) { match in
      values[String(match.1)] ?? String(match.0)
    }
  }

  /// Encodes a text as one value of a query: only RFC 3986's unreserved characters stay as they are.
  static func queryValue(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
  }

  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

  private static func htmlEscaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("\"", with: "&quot;").replacing("<", with: "&lt;")
  }

  private static let template = """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1, maximum-scale=1, user-scalable=no, viewport-fit=cover">
    <title>Genius Video Player</title>
    <style>
      html, body { background: #000; }
      body { margin: 0; overflow: hidden; overscroll-behavior: none; }
    </style>
    <script src="{{pagesURL}}/template.js"></script>
    </head>
    <body>
    <div id="container-video" class="container-video"><div id="geniusLive" class="video"></div></div>
    <script src="{{pagesURL}}/widget.js?customerId={{customerId}}&amp;fixtureId={{fixtureId}}&amp;containerId=geniusLive\
    &amp;width={{playerWidth}}&amp;height={{playerHeight}}&amp;controlsEnabled={{controlsEnabled}}\
    &amp;audioEnabled={{audioEnabled}}&amp;allowFullScreen={{allowFullScreen}}&amp;bufferLength={{bufferLength}}\
    &amp;autoplayEnabled={{autoplayEnabled}}"></script>
    </body>
    </html>

    """
}
