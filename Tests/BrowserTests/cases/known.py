"""Cases that fail because what they need is not there yet, by engine and id. One that passes fails the run."""

FAILURES: dict[str, dict[int, str]] = {"all": {}, "chromium": {}, "firefox": {}, "webkitgtk": {}}
