"""Windows of Firefox with the methods that tests of pages use."""

import json
from contextlib import contextmanager

from .browser import COPY
from .firefox import FirefoxDriver, ScriptError
from .waiting import PATIENCE, until


class Firefox:
    """One headless Firefox for many tests."""

    def __init__(self, prompts: str = "accept"):
        self.driver = FirefoxDriver(prompts)
        self.driver.set_page_load_timeout(60)
        self.windows: list[FirefoxWindow] = []

    def open(self, url: str | None = None, size: tuple[int, int] | None = None) -> "FirefoxWindow":
        """A new tab, and the page in it when a URL is given; its viewport has the size."""
        window = FirefoxWindow(self, self.driver.call("browsingContext.create", type="tab")["context"])
        self.windows.append(window)
        if size:
            viewport = {"width": size[0], "height": size[1]}
            self.driver.call("browsingContext.setViewport", context=window.handle, viewport=viewport)
        if url:
            window.go(url)
        return window

    def adopt(self, handle: str) -> "FirefoxWindow":
        """A tab that a page opened by itself."""
        window = FirefoxWindow(self, handle)
        self.windows.append(window)
        return window

    @property
    def process_id(self) -> int:
        """The browser's own process."""
        return self.driver.process.pid

    def close_windows(self) -> None:
        for window in list(self.windows):
            window.close()

    def quit(self) -> None:
        self.driver.quit()


class FirefoxWindow:
    """One tab."""

    def __init__(self, firefox: Firefox, handle: str):
        self.firefox = firefox
        self.handle = handle
        self.frame: tuple[str, ...] = ()

    @property
    def driver(self) -> FirefoxDriver:
        """The driver, whose commands go to this tab, or to the frame that scripts are to run in."""
        driver = self.firefox.driver
        driver.context = self.handle
        for selector in self.frame:
            window = driver.call(
                "script.evaluate", expression=f"document.querySelector({json.dumps(selector)})?.contentWindow",
                target={"context": driver.context}, awaitPromise=False,
            )
            if window.get("result", {}).get("type") != "window":
                raise ScriptError(f"there is no frame {selector}")
            driver.context = window["result"]["value"]["context"]
        return driver

    @contextmanager
    def inside(self, selector: str = "iframe[name=pagebridge]"):
        """Scripts run in the frame meanwhile."""
        before = self.frame
        self.frame = (*before, selector)
        try:
            yield self
        finally:
            self.frame = before

    def go(self, url: str) -> None:
        self.driver.get(url)

    def start(self, url: str) -> None:
        """Begins to load a page."""
        self.driver.call("browsingContext.navigate", context=self.handle, url=url, wait="none")

    def reload(self) -> None:
        self.driver.refresh()

    def cover(self) -> "FirefoxWindow":
        """Opens another tab in front of this one, which is hidden then, and gives it."""
        return self.firefox.open()

    def show(self) -> None:
        """Brings this tab to the front."""
        self.driver.call("browsingContext.activate", context=self.handle)

    def copy(self) -> "FirefoxWindow":
        """A window with a copy of this one's sessionStorage, as the command that duplicates a tab makes one."""
        before = set(self.driver.window_handles)
        self.js(COPY)
        handles = lambda: next(iter(set(self.driver.window_handles) - before), None)  # noqa: E731
        return self.firefox.adopt(until(handles, "the new window"))

    def js(self, source: str, *arguments):
        """What `return` gives in the script."""
        return self.driver.execute_script(source, *arguments)

    def value(self, expression: str, *arguments):
        """The value of an expression; None while the document has not got so far."""
        try:
            return self.js(f"return ({expression})", *arguments)
        except ScriptError:
            return None

    def wait(self, expression: str, *arguments, timeout: float = PATIENCE):
        """The first true value of the expression."""
        return until(lambda: self.value(expression, *arguments), lambda: f"{expression} in {self.value('document.URL')}", timeout)

    def wait_equal(self, expression: str, expected, timeout: float = PATIENCE) -> None:
        """Waits until the expression has the value."""
        until(
            lambda: self.value(expression) == expected,
            lambda: f"{expression} is {self.value(expression)!r}, not {expected!r}", timeout,
        )

    def promise(self, expression: str, *arguments):
        """What the promise of the expression fulfils with."""
        return self.js(f"return ({expression})", *arguments)

    def click(self, selector: str) -> None:
        """A click of a script; Firefox lets scripts of its driver act as its user."""
        self.wait("document.querySelector(arguments[0]) !== null", selector)
        self.js("document.querySelector(arguments[0]).click()", selector)

    def attached(self, timeout: float = PATIENCE) -> None:
        """Waits until the bridge of the page is attached to a host."""
        self.wait("window.pagebridge && pagebridge.state === 'attached'", timeout=timeout)

    def session(self, timeout: float = PATIENCE) -> str:
        """The id of the page's session, once it is attached."""
        self.attached(timeout)
        return self.value("pagebridge.session")

    def dialog(self) -> "FirefoxDialog":
        """The dialog that the browser shows; waits for it."""
        return FirefoxDialog(self)

    def kill(self) -> None:
        """Closes the tab although its page stands still."""
        self.firefox.windows.remove(self)
        self.driver.call("browsingContext.close", context=self.handle)

    def close(self) -> None:
        if self in self.firefox.windows:
            self.firefox.windows.remove(self)
            self.driver.close()


class FirefoxDialog:
    """A dialog of a tab whose Firefox leaves dialogs open."""

    def __init__(self, window: FirefoxWindow):
        self.window = window
        opened = window.driver.prompt()
        self.text = opened["message"]
        # Firefox empties the field that it is not told the text of.
        self.keys = {"userText": opened["defaultValue"]} if "defaultValue" in opened else {}

    def send_keys(self, text: str) -> None:
        self.keys = {"userText": text}

    def accept(self) -> None:
        self._handle(accept=True, **self.keys)

    def dismiss(self) -> None:
        self._handle(accept=False)

    def _handle(self, **how) -> None:
        self.window.driver.call("browsingContext.handleUserPrompt", context=self.window.handle, **how)
