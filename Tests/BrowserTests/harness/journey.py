"""The identity journey: in a viewer with its own host, and on pages whose host does what a test says."""

import json

from .browsing import Browsing
from .events import Events
from .processes import ProbeHost
from .waiting import until


def client(relay) -> str:
    """The tag of the page's half of the bridge."""
    return f'<script src="{relay.http}/pages/journey/client.js"></script>'


OUTCOME = """.then((data) => ({data}), (error) => ({error: {code: error.code, message: error.message,
             recoverable: error.recoverable, correlationId: error.correlationId}}))"""


class Bench:
    """A page with the bridge's client, and the probe host at its other end."""

    def __init__(self, host: ProbeHost, open_window, serve):
        self.host = host
        self.open_window = open_window
        self.serve = serve
        self.window = None
        self.pages = 0

    def open(self, script: str = "") -> "Bench":
        """Opens one more page, which is `window` from now on."""
        self.pages += 1
        self.window = self.open_window(self.serve(script, f"-{self.pages}"))
        self.window.attached()
        return self

    # The page.

    def request(self, action: str, data=None, **options):
        """How a request of the page ends: {"data"} or {"error"}."""
        return self.window.promise(
            f"GBGBridge.request(...JSON.parse(arguments[0])){OUTCOME}", json.dumps([action, data or {}, options])
        )

    def begin(self, name: str, action: str, data=None, **options) -> None:
        """The page begins a request; `end` gives how it ended."""
        self.window.js(
            f"(window.begun ??= {{}})[arguments[0]] = GBGBridge.request(...JSON.parse(arguments[1])){OUTCOME}",
            name,
            json.dumps([action, data or {}, options]),
        )

    def end(self, name: str):
        return self.window.promise("begun[arguments[0]]", name)

    def post(self, body) -> None:
        """The page posts the body past its client; it travels as JSON text, so that numbers keep their form."""
        self.window.js("webkit.messageHandlers.gbgBridge.postMessage(JSON.parse(arguments[0]))", json.dumps(body))

    def listen(self) -> None:
        """The page keeps the events of its host in `heard`."""
        self.window.js(
            "window.heard = []; GBGBridge.on('*', (data, envelope) => heard.push([envelope.payload.action, data, envelope.correlationId]))"
        )

    def errors(self) -> list:
        return self.window.value("errors")

    # The host.

    def do(self, what: str, **members):
        return self.host.do(f"bridge{what}", **members)

    def state(self, host: str = "a") -> dict:
        return self.do("State", host=host)

    def wait(self, key: str, value, host: str = "a") -> None:
        """Waits until the bridge says this of itself."""
        until(lambda: self.state(host)[key] == value, lambda: f"{key} of {self.state(host)} is not {value!r}")

    def fence(self) -> dict:
        """Returns when the host has handled all that the page posted so far; gives the answer to its query."""
        return self.request("capability.query")["data"]

    def capabilities(self) -> dict:
        return self.fence()["capabilities"]

    def sent(self, **members) -> list[dict]:
        return self.host.journal.matching(event="bridgeSent", **members)

    def received(self, **members) -> list[dict]:
        return self.host.journal.matching(event="bridgeReceived", **members)

    def wait_received(self, count: int = 1, **members) -> dict:
        return self.host.journal.wait(event="bridgeReceived", count=count, **members)

    def errors_of_host(self) -> list[str]:
        return [entry["message"] for entry in self.host.journal.matching(event="bridgeError")]


class Journey(Browsing):
    """A viewer with the identity journey in it."""

    def __init__(self, open_window, relay, events: Events, *, app="journey", **rest):
        super().__init__(open_window, relay, events, app=app, **rest)

    def loaded(self) -> "Journey":
        """Waits until the journey is there and knows what the app offers."""
        self.window.attached()
        self.window.wait("document.querySelector('iframe[name=pagebridge]')")
        self.session = self.content_session()
        self.wait_page("document.querySelector('#offers tr[data-capability]') !== null")
        self.wait_page("document.querySelector('#events li[data-action=\"host.orientation\"]') !== null")
        return self

    CAPTURE = '[data-view="capture.{0}"]'

    def step(self, name: str) -> None:
        """The user presses the button of a step: document, selfie or chip."""
        self.click(f"#step-{name} .button")

    def step_state(self, name: str, state: str) -> None:
        self.wait_page_equal(f"document.getElementById('step-{name}').dataset.state", state)

    def alert(self, code: str) -> None:
        """Waits until the page shows this error."""
        self.wait_page_equal(
            "(() => { const each = document.getElementById('alert'); return each.hidden ? null : each.dataset.code; })()",
            code,
        )

    def camera(self, name: str, state: str) -> None:
        """Waits until a capture screen is in this state: hidden, live, still, denied."""
        place = f"document.querySelector('{self.CAPTURE.format(name)}')"
        self.window.wait_equal(f"{place}?.dataset.state", state)

    def press_camera(self, name: str, words: str) -> None:
        """The user presses a button of a capture screen, by its words."""
        self.window.js(
            """Array.from(document.querySelectorAll(arguments[0] + ' button')).find((each) =>
                 !each.hidden && (each.textContent || each.getAttribute('aria-label')) === arguments[1]).dataset.chosen = 'yes'""",
            self.CAPTURE.format(name),
            words,
        )
        self.window.click(f"{self.CAPTURE.format(name)} button[data-chosen]")
        self.window.js("document.querySelectorAll('[data-chosen]').forEach((each) => delete each.dataset.chosen)")

    def photograph(self, name: str) -> dict:
        """The user takes a photo and keeps it; gives what the host wrote down about it."""
        mark = self.mark()
        self.step(name)
        self.camera(name, "live")
        self.press_camera(name, "Take the picture")
        self.camera(name, "still")
        self.press_camera(name, "Use photo")
        self.step_state(name, "done")
        self.camera(name, "hidden")
        return self.wait_named("picture", since=mark, subject=name)

    def heard(self, action: str):
        """The data of the newest event of that action that the page lists."""
        self.wait_page(f"document.querySelector('#events li[data-action=\"{action}\"]') !== null")
        return json.loads(self.page(f"document.querySelector('#events li[data-action=\"{action}\"] code').textContent"))
