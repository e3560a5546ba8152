/// The content security policy of the product's page.
///
/// A page that the app serves has it as a header, which governs everything; one from elsewhere gets it by a script as its
/// first element, which governs what comes after it. Both texts are the same.
enum SquadPolicy {
  private static let hosts = "'self' https://*.\(SquadAddressRule.productDomain)"

  /// The directives as the product publishes them.
  static let text = [
    "default-src \(hosts)",
    "script-src \(hosts) 'unsafe-inline'",
    "style-src \(hosts) 'unsafe-inline'",
    "img-src 'self' data: https://*.\(SquadAddressRule.productDomain)",
  ].joined(separator: "; ")

  static let headerName = "Content-Security-Policy"

  /// Puts the policy into the head, once for a document; where there is no head yet, as soon as there is.
  static let script = """
    (() => {
      'use strict';
      const install = () => {
        if (!document.head) return false;
        if (document.head.querySelector('meta[data-squad-policy]')) return true;
        const meta = document.createElement('meta');
        meta.httpEquiv = '\(headerName)';
        meta.content = "\(text)";
        meta.dataset.squadPolicy = '';
        document.head.prepend(meta);
        return true;
      };
      if (install()) return;
      const observer = new MutationObserver(() => {
        if (install()) observer.disconnect();
      });
      observer.observe(document, { childList: true, subtree: true });
    })();
    """
}
