"""The Squad app: its page in a viewer or in a bare tab, and what its host says."""

import json

from .browsing import Browsing
from .events import Events


class Squad(Browsing):
    """A viewer with the Squad app in it."""

    def __init__(self, open_window, relay, events: Events, *, app="squad", **rest):
        super().__init__(open_window, relay, events, app=app, **rest)

    def loaded(self) -> "Squad":
        super().loaded()
        self.wait_state("state", "ready")
        return self

    def opened(self) -> "Squad":
        """Waits until the host has told of its web view, whatever became of its page."""
        entry = self.events.wait(event="state", key="state")
        self.session = entry["session"]
        return self

    # The page.

    def say(self, body) -> None:
        """The page posts the body by the bridge's own object."""
        self.script("squadBridge.postMessage(JSON.parse(arguments[0]))", json.dumps(body))

    def fence(self) -> None:
        """Returns when the host has handled all that the page posted so far: an unknown type is logged."""
        mark = self.mark()
        self.say({"type": f"fence-{mark}"})
        self.wait_named("refusal", type=f"fence-{mark}")

    def listen(self) -> None:
        """The page keeps what the app says from now on in `heard`."""
        self.script("window.heard = []; squadBridge.addListener((message) => heard.push(message))")

    # The app's views.

    def panel(self, name: str) -> None:
        """Opens the log or the tools."""
        self.press_view(f"{name}.toggle")
        self.window.wait(f"document.querySelector('[data-view=\"{name}\"]') !== null")

    def tell_page(self, text: str) -> None:
        """The app sends what the text holds, as with the tools' field."""
        self.act("message", "submit", text)

    def sent(self, since: int = 0) -> list[dict]:
        return self.named("sent", since)


class SquadTab(Squad):
    """A bare tab of any engine whose window is the screen: the page is the window's own."""

    def __init__(self, window, events: Events):
        self.window = window
        self.events = events
        self.session = ""

    def loaded(self) -> "SquadTab":
        self.window.wait("location.pathname.startsWith('/s/') || window.squadBridge")
        self.session = self.window.session()
        self.wait_callbacks("finish")
        self.wait_state("state", "ready")
        return self

    def page(self, expression: str, *arguments):
        return self.window.value(expression, *arguments)

    def wait_page(self, expression: str, *arguments):
        return self.window.wait(expression, *arguments)

    def wait_page_equal(self, expression: str, expected) -> None:
        self.window.wait_equal(expression, expected)

    def script(self, source: str, *arguments):
        return self.window.js(source, *arguments)

    def click(self, selector: str) -> None:
        self.window.click(selector)
