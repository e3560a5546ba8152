/// How a page runs the scripts of its host; see ``WKWebView/evaluationWay``.
public enum EvaluationWay: String, Hashable, Sendable {
  /// There is no page yet, or it has not said so.
  case unknown
  /// By `eval`: every script has its completion value.
  case eval
  /// By script elements, for the page's policy forbids `eval`: expressions have their value, and so has an expression
  /// behind the last semicolon of a source; of other sources the value is `undefined`.
  case script
  /// Not at all: the page lets only functions be called that it has registered (`data-evaluate="registered"`).
  case registered
  /// Not at all: the page refuses scripts and calls (`data-evaluate="none"`).
  case refused = "none"
  /// Not at all: the page's policy allows neither `eval` nor scripts of the relay.
  case blocked
}
