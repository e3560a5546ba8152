"""Cases that fail because what they need is not there yet, by engine ("all" for each) and id, with the reason. One that passes
fails the run."""

FAILURES: dict[str, dict[int, str]] = {"all": {}, "chromium": {}, "firefox": {}, "webkitgtk": {}}
