"""The two-way browser in a viewer: the page in the device, the app's controls around it, and what its host says."""

import json

from selenium.webdriver.common.keys import Keys

from .events import Events
from .viewer import Viewer
from .waiting import until


class Browsing(Viewer):
    """A viewer with the browser's app in it."""

    def __init__(self, open_window, relay, events: Events, *, app="browser", device="phone-notch", **rest):
        super().__init__(open_window, relay, app=app, device=device, **rest)
        self.events = events
        self.session = ""

    def loaded(self) -> "Browsing":
        """Waits until the first page is there, and its host knows it."""
        self.window.attached()
        self.window.wait("document.querySelector('iframe[name=pagebridge]')")
        self.session = self.content_session()
        self.wait_callbacks("finish")
        return self

    # The page.

    def page(self, expression: str, *arguments):
        """The value of an expression in the page."""
        with self.window.inside():
            return self.window.value(expression, *arguments)

    def wait_page(self, expression: str, *arguments):
        with self.window.inside():
            return self.window.wait(expression, *arguments)

    def wait_page_equal(self, expression: str, expected) -> None:
        with self.window.inside():
            self.window.wait_equal(expression, expected)

    def script(self, source: str, *arguments):
        with self.window.inside():
            return self.window.js(source, *arguments)

    def click(self, selector: str) -> None:
        """A click of the user into the page."""
        with self.window.inside():
            self.window.click(selector)

    def follow(self, url: str) -> None:
        """The user follows a link to this address."""
        self.script(
            "document.body.append(Object.assign(document.createElement('a'), {id: 'made', href: arguments[0],"
            " textContent: 'made', style: 'position: fixed; inset: 0 0 auto; z-index: 9; background: white'}))",
            url,
        )
        self.click("#made")

    def post(self, body, handler: str = "iOSNative") -> None:
        """The page posts the body; it travels as JSON text, so that numbers keep their form."""
        self.script(
            "webkit.messageHandlers[arguments[0]].postMessage(JSON.parse(arguments[1]))", handler, json.dumps(body)
        )

    # The app's controls.

    def press_view(self, view: str) -> None:
        """The user presses a native button, which must be one that can be pressed."""
        self.window.wait(f"(() => {{ const each = document.querySelector('[data-view=\"{view}\"]'); return each && !each.disabled; }})()")
        self.window.click(f'[data-view="{view}"]')

    def type_into(self, view: str, text: str, end: str = Keys.ENTER) -> None:
        """The user replaces the text of a native field; `end` is the return key unless told otherwise."""
        field = self.window.find(f'[data-view="{view}"] input')
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(text + end)

    def act(self, view: str, action: str = "press", value=None) -> None:
        """The viewer tells of an action that no keyboard makes, or on a button that cannot be pressed."""
        self.window.js(
            "webkit.messageHandlers.pagebridgeScreen.postMessage({type: 'action', ...JSON.parse(arguments[0])})",
            json.dumps({"view": view, "action": action} | ({} if value is None else {"value": value})),
        )

    def view_text(self, view: str) -> str | None:
        """The text of a native view; None while it is hidden."""
        return self.window.value(
            f"(() => {{ const each = document.querySelector('[data-view=\"{view}\"]');"
            " return each && !each.hidden ? each.innerText : null; })()"
        )

    # The host.

    def mark(self) -> int:
        return self.events.mark()

    def named(self, event: str, since: int = 0, **members) -> list[dict]:
        return self.events.matching(event=event, session=self.session, since=since, **members)

    def wait_named(self, event: str, since: int = 0, count: int = 1, predicate=None, **members) -> dict:
        return self.events.wait(predicate, event=event, session=self.session, since=since, count=count, **members)

    def states(self, key: str, since: int = 0) -> list:
        """The values that a state of the app has taken, oldest first."""
        return [entry.get("value") for entry in self.named("state", since, key=key)]

    def state(self, key: str):
        values = self.states(key)
        return values[-1] if values else None

    def wait_state(self, key: str, value) -> None:
        until(lambda: self.state(key) == value, lambda: f"{key} is {self.state(key)!r}, not {value!r}")

    def callbacks(self, since: int = 0) -> list[str]:
        """The navigation callbacks that the coordinator got."""
        return [entry["callback"] for entry in self.named("navigationCallback", since)]

    def wait_callbacks(self, *names: str, since: int = 0) -> None:
        """Waits until the newest callbacks since then are these."""
        until(
            lambda: tuple(self.callbacks(since)[-len(names):]) == names,
            lambda: f"the callbacks are {self.callbacks(since)}, not {names}",
        )

    def fence(self) -> None:
        """Returns when the host has handled all that the page posted so far."""
        mark = self.mark()
        self.post(f"fence-{mark}")
        self.wait_named("received", value=f"fence-{mark}")
