"""One Chromium for many tests, and its windows."""

import base64
import json
import os
import re
import signal
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support import expected_conditions
from selenium.webdriver.support.ui import WebDriverWait
from urllib3.exceptions import HTTPError

from .paths import OUTPUT, tool
from .waiting import PATIENCE, until

COMMAND_SECONDS = 75

# Opens this page in another window, by the browser's own function.
COPY = """
    const root = document.body.appendChild(document.createElement('div')).attachShadow({mode: 'open'});
    root.appendChild(document.createElement('iframe')).contentWindow.open(location.href, 'copy')"""


class Browser:
    """A headless Chromium. Each test gets windows of its own, so that no sessionStorage is shared."""

    def __init__(self, waits_for_loads: bool = True, flags: tuple[str, ...] = (), throttles: bool = False):
        """Without waiting for loads, commands are carried out while pages still load, and `go` returns at once.

        The flags are those of the command line, beside the usual ones. Its driver keeps the browser from throttling what hidden
        tabs do, unless that is wanted.
        """
        options = Options()
        if throttles:
            switches = ("background-timer-throttling", "backgrounding-occluded-windows", "renderer-backgrounding")
            options.add_experimental_option("excludeSwitches", [f"disable-{each}" for each in switches])
        if not waits_for_loads:
            options.page_load_strategy = "none"
        self.waits_for_loads = waits_for_loads
        options.binary_location = tool("CHROMIUM_BIN", "/usr/bin/chromium", "/usr/bin/google-chrome")
        for flag in (
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--mute-audio",
            "--hide-scrollbars",
            "--window-size=1280,900",
            # Names that pages link to stay on this machine.
            "--host-resolver-rules=MAP restricted.com 127.0.0.1,MAP *.restricted.com 127.0.0.1,"
            "MAP notrestricted.com 127.0.0.1",
            *flags,
        ):
            options.add_argument(flag)
        # A test makes a certificate of its own.
        options.accept_insecure_certs = True
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.options = options
        self.windows: list[Window] = []
        self.lines: list[dict] = []
        self.start()

    def start(self) -> None:
        service = Service(tool("CHROMEDRIVER_BIN", "/usr/bin/chromedriver"))
        self.driver = webdriver.Chrome(service=service, options=self.options)
        self.driver.set_script_timeout(60)
        self.driver.set_page_load_timeout(60)
        # Longer than any command may take.
        self.driver.command_executor.client_config.timeout = COMMAND_SECONDS
        # The first window stays, or the browser would end with the last one that a test closes.
        self.home = self.driver.current_window_handle

    def replace(self) -> None:
        """Ends a browser that answers no more, which now and then becomes of one whose page stands still, and starts another."""
        driver = self.driver.service.process.pid
        children = " ".join(each.read_text() for each in Path(f"/proc/{driver}/task").glob("*/children")).split()
        for process in (*map(int, children), driver):
            os.kill(process, signal.SIGKILL)
        self.windows.clear()
        self.lines.clear()
        self.start()

    def open(self, url: str | None = None, size: tuple[int, int] | None = None) -> "Window":
        """A new window, and the page in it when a URL is given."""
        self.driver.switch_to.window(self.home)
        self.driver.switch_to.new_window("window")
        window = Window(self, self.driver.current_window_handle)
        self.windows.append(window)
        if size:
            window.resize(*size)
        if url:
            window.go(url)
        return window

    def adopt(self, handle: str) -> "Window":
        """A window that a page opened by itself."""
        window = Window(self, handle)
        self.windows.append(window)
        return window

    def console(self) -> list[dict]:
        """The console lines since the last call of `forget`; errors and warnings, oldest first."""
        try:
            self.lines.extend(self.driver.get_log("browser"))
        except HTTPError as error:
            print("the browser is replaced:", error)
            self.replace()
        return [line for line in self.lines if line["level"] in ("SEVERE", "WARNING")]

    def forget(self) -> None:
        self.driver.get_log("browser")
        self.lines.clear()

    def close_windows(self) -> None:
        try:
            for window in list(self.windows):
                window.close()
        except HTTPError as error:
            print("the browser is replaced:", error)
            self.replace()

    def quit(self) -> None:
        self.driver.quit()


class Window:
    """One browser window; scripts run in the frame that `inside` chose, else in the page."""

    def __init__(self, browser: Browser, handle: str):
        self.browser = browser
        self.driver = browser.driver
        self.handle = handle
        self.frame: tuple[str, ...] = ()

    def _here(self) -> None:
        self.driver.switch_to.window(self.handle)
        self.driver.switch_to.default_content()
        for selector in self.frame:
            self.driver.switch_to.frame(self.driver.find_element(By.CSS_SELECTOR, selector))

    def go(self, url: str) -> None:
        self._here()
        if self.browser.waits_for_loads:
            self.driver.get(url)
            return
        self.driver.execute_script("window.left = true")
        self.driver.get(url)
        self.wait("window.left === undefined && document.readyState === 'complete'")

    def start(self, url: str) -> None:
        """Begins to load a page; returns at once in a browser that does not wait for loads."""
        self._here()
        self.driver.get(url)

    def reload(self) -> None:
        self._here()
        self.driver.refresh()

    def back(self) -> None:
        self._here()
        self.driver.back()

    def cover(self) -> "Window":
        """Opens another tab in front of this one, which is hidden then, and gives it."""
        self._here()
        self.driver.switch_to.new_window("tab")
        return self.browser.adopt(self.driver.current_window_handle)

    def show(self) -> None:
        """Brings this tab to the front."""
        self.cdp("Page.bringToFront")

    def copy(self) -> "Window":
        """A window with a copy of this one's sessionStorage, as the command that duplicates a tab makes one.

        By the browser's own way, which a frame without a bridge has: one in a shadow tree, where none is seen.
        """
        before = set(self.driver.window_handles)
        self.js(COPY)
        return self.browser.adopt(until(lambda: next(iter(set(self.driver.window_handles) - before), None), "the new window"))

    def js(self, source: str, *arguments):
        """What `return` gives in the script."""
        self._here()
        return self.driver.execute_script(source, *arguments)

    def value(self, expression: str, *arguments):
        """The value of an expression; None while the document has not got so far."""
        try:
            return self.js(f"return ({expression})", *arguments)
        except WebDriverException as error:
            # The expression met a document or an element that is not there yet, or a frame that is being replaced.
            if "disconnected" in str(error) or "chrome not reachable" in str(error):
                raise
            return None

    def wait(self, expression: str, *arguments, timeout: float = PATIENCE):
        """The first true value of the expression."""

        def said() -> str:
            return f"{expression} (it is {self.value(expression, *arguments)!r}) in {self.value('document.URL')}"

        return until(lambda: self.value(expression, *arguments), said, timeout)

    def wait_equal(self, expression: str, expected, timeout: float = PATIENCE):
        """Waits until the expression has the value."""

        def said() -> str:
            return f"{expression} is {self.value(expression)!r}, not {expected!r}, in {self.value('document.URL')}"

        until(lambda: self.value(expression) == expected, said, timeout)

    def promise(self, expression: str, *arguments):
        """What the promise of the expression fulfils with."""
        self._here()
        result = self.driver.execute_async_script(
            """
            const done = arguments[arguments.length - 1];
            const given = arguments;
            Promise.resolve((function () { return (%s); }).apply(window, given)).then((value) => done({value}), (error) => done({error: String(error)}));
            """
            % expression,
            *arguments,
        )
        assert "error" not in result, result["error"]
        return result["value"]

    @contextmanager
    def inside(self, selector: str = "iframe[name=pagebridge]"):
        """Scripts run in the frame meanwhile."""
        before = self.frame
        self.frame = (*before, selector)
        try:
            yield self
        finally:
            self.frame = before

    def click(self, selector: str) -> None:
        """A click as a person makes it: at the element's place, with user activation.

        The place is reckoned here, for the driver does not know that the viewer draws its frame scaled.
        """
        self.wait("document.querySelector(arguments[0]) !== null", selector)
        frames, self.frame = self.frame, ()
        try:
            x, y = until(lambda: self._place(frames, selector), f"{selector} to lie open and still")
        finally:
            self.frame = frames
        for kind in ("mousePressed", "mouseReleased"):
            self.cdp("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def _place(self, frames: tuple[str, ...], selector: str):
        """The element's middle in the window; None while it moves, or where something else lies over it."""
        return self.promise(
            """(async () => {
                 const [frames, selector] = arguments[0];
                 const measure = () => {
                   let [doc, left, top, scale] = [document, 0, 0, 1];
                   const hits = [];
                   for (const each of [...frames, selector]) {
                     const element = doc.querySelector(each);
                     if (!element) return null;
                     if (each === selector) element.scrollIntoView({block: 'nearest', inline: 'nearest'});
                     const box = element.getBoundingClientRect();
                     hits.push([doc, left, top, scale, element]);
                     if (each !== selector) {
                       left += box.left * scale; top += box.top * scale;
                       scale *= box.width / element.offsetWidth; doc = element.contentDocument;
                     } else {
                       if (box.width === 0 || box.height === 0) return null;
                       const x = left + (box.left + box.width / 2) * scale, y = top + (box.top + box.height / 2) * scale;
                       for (const [doc, left, top, scale, element] of hits) {
                         const hit = doc.elementFromPoint((x - left) / scale, (y - top) / scale);
                         if (!hit || !(hit === element || element.contains(hit) || hit.contains(element))) return null;
                       }
                       return [x, y];
                     }
                   }
                 };
                 const first = measure();
                 await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
                 const second = measure();
                 return first && second && first[0] === second[0] && first[1] === second[1] ? second : null;
               })()""",
            [list(frames), selector],
        )

    def find(self, selector: str):
        self._here()
        return until(lambda: self.driver.find_elements(By.CSS_SELECTOR, selector), f"an element for {selector}")[0]

    def keys(self, *keys: str) -> None:
        """Presses keys at what has the focus."""
        self._here()
        webdriver.ActionChains(self.driver).send_keys(*keys).perform()

    def resize(self, width: int, height: int) -> None:
        """Makes the page's window exactly so many CSS pixels large."""
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.wait_equal("[innerWidth, innerHeight]", [width, height])

    def cdp(self, method: str, **parameters):
        self.driver.switch_to.window(self.handle)
        return self.driver.execute_cdp_cmd(method, parameters)

    def picture(self, name: str) -> Path:
        """Saves a picture of the page and gives its path."""
        OUTPUT.mkdir(parents=True, exist_ok=True)
        path = OUTPUT / f"{name}.png"
        data = self.cdp("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(data))
        return path

    def session(self, timeout: float = PATIENCE) -> str:
        """The id of the page's session, once it is attached."""
        self.attached(timeout)
        return self.value("pagebridge.session")

    def attached(self, timeout: float = PATIENCE) -> None:
        """Waits until the bridge of the page is attached to a host."""
        self.wait("window.pagebridge && pagebridge.state === 'attached'", timeout=timeout)

    def dialog(self):
        """The dialog that the browser shows; waits for it."""
        self.driver.switch_to.window(self.handle)
        return WebDriverWait(self.driver, PATIENCE, 0.05).until(expected_conditions.alert_is_present())

    def kill(self) -> None:
        """Closes the window although its page, and with it the driver, stands still: by the browser's own door."""
        self.browser.windows.remove(self)
        address = self.driver.capabilities["goog:chromeOptions"]["debuggerAddress"]
        with urlopen(f"http://{address}/json/close/{self.handle}", timeout=PATIENCE) as answer:
            answer.read()

    def again(self, line) -> None:
        """Cuts the connection of the bridge in the proxy and waits for the next one.

        Cuts in quick succession make the bridge wait longer from one to the next; the browser's word that the network
        is back makes it try at once.
        """
        before = line.websockets
        until(line.cut, "a socket to cut")

        def connected() -> bool:
            self.value("pagebridge.state !== 'attached' && dispatchEvent(new Event('online'))")
            return line.websockets > before

        until(connected, "a new connection")
        self.attached()

    def close(self) -> None:
        if self in self.browser.windows:
            self.browser.windows.remove(self)
        try:
            self.driver.switch_to.window(self.handle)
            self.driver.close()
        except WebDriverException:
            pass
        self.driver.switch_to.window(self.browser.home)


def unexpected(lines: list[dict], patterns: list[str]) -> list[str]:
    """The console lines that no pattern allows."""
    return [json.dumps(line) for line in lines if not any(re.search(pattern, line["message"]) for pattern in patterns)]
