"""The player's page in a browser, together with what its host says about it."""

import json

from .events import Events
from .waiting import until

# Windows, and with them the screens of bare tabs: width and height in CSS pixels.
PORTRAIT = (400, 900)
LANDSCAPE = (900, 400)

# A payload of `multibet-event`, without its command.
BET = {
    "sportsbookFixtureId": "F-9001",
    "sportsbookSelectionId": "S-3",
    "sportsbookMarketId": "M-12",
    "sportsbookMarketContext": "period=1",
    "marketId": "GM-88",
    "decimalPrice": 2.35,
    "stake": 10,
}


class Player:
    """A page with the player. `window` runs scripts in that page, be it a bare tab or the frame of a viewer."""

    def __init__(self, window, events: Events, session: str):
        self.window = window
        self.events = events
        self.session = session

    # The page.

    CLASS = "document.querySelector('.video-container').classList.contains('full-screen')"

    def playing(self) -> "Player":
        """Waits until the stand-in widget has its stream, has measured itself, and the host has heard all of that."""
        self.window.wait("document.querySelector('.video-container')?.dataset.state === 'playing'")
        self.window.promise("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")
        self.fence()
        return self

    def post(self, body, handler: str = "gsVideoPlayerBridge") -> None:
        """The page posts the body; it travels as JSON text, so that numbers keep their form."""
        self.window.js(
            "webkit.messageHandlers[arguments[0]].postMessage(JSON.parse(arguments[1]))", handler, json.dumps(body)
        )

    def bus(self, kind: str, body) -> None:
        """The page dispatches an event of the in-page bus."""
        self.window.js(
            """dispatchEvent(new CustomEvent('geniussportsmessagebus', {detail: {correlationId: crypto.randomUUID(),
                 routingKey: {}, type: arguments[0], body: JSON.parse(arguments[1])}}))""",
            kind,
            json.dumps(body),
        )

    def wait_class(self, fullscreen: bool) -> None:
        self.window.wait_equal(self.CLASS, fullscreen)

    # The host.

    def mark(self) -> int:
        return self.events.mark()

    def states(self, key: str, since: int = 0) -> list:
        """The values that a state of the app has taken, oldest first."""
        found = self.events.matching(event="state", key=key, session=self.session, since=since)
        return [entry.get("value") for entry in found]

    def state(self, key: str):
        """The newest value of a state."""
        values = self.states(key)
        return values[-1] if values else None

    def wait_state(self, key: str, value) -> None:
        until(lambda: self.state(key) == value, lambda: f"{key} is {self.state(key)!r}, not {value!r}")

    def named(self, event: str, since: int = 0, **members) -> list[dict]:
        return self.events.matching(event=event, session=self.session, since=since, **members)

    def wait_named(self, event: str, since: int = 0, count: int = 1, predicate=None, **members) -> dict:
        return self.events.wait(predicate, event=event, session=self.session, since=since, count=count, **members)

    def fence(self) -> None:
        """Returns when the host has handled all that the page posted so far: an unknown type is logged."""
        mark = self.mark()
        self.post({"type": f"fence-{mark}"})
        self.events.wait(lambda entry: f"fence-{mark}" in json.dumps(entry), since=mark)


def loader_url(player: Player) -> str:
    """The address of the page's loader script, which carries the configuration."""
    return player.window.wait("document.querySelector('script[src*=\"widget.js\"]')?.src")
