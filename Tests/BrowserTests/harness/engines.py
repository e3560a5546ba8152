"""The three engines behind one face: tabs that go to addresses, run scripts, collect garbage and die."""

import os
import signal
from pathlib import Path
from urllib.request import urlopen

from selenium.common.exceptions import WebDriverException

from .browser import Browser
from .firefox import FirefoxDriver
from .webkit import Display, webkit_driver

NAMES = ("chromium", "firefox", "webkitgtk")

# Garbage for the collectors that no driver can call: they run when enough has been made.
PRESSURE = "for (let i = 0; i < 40; i++) new Array(1e6).fill(i); return 0"


class Tab:
    """One tab of a driver whose commands go to the tab that was chosen last."""

    def __init__(self, engine: "Engine", handle: str):
        self.engine = engine
        self.handle = handle

    def _here(self):
        self.engine.driver.switch_to.window(self.handle)
        return self.engine.driver

    def go(self, url: str) -> None:
        self._here().get(url)

    def js(self, source: str):
        """What `return` gives in the script."""
        return self._here().execute_script(source)

    def collect_garbage(self) -> None:
        self.js(PRESSURE)

    def close(self) -> None:
        """Closes the tab as a person does."""
        self._here().close()
        self.engine.home()

    def kill(self) -> None:
        """Ends the page, which may hang, from outside."""
        self.close()


class Engine:
    """A browser of this run."""

    name: str

    def __init__(self, driver):
        self.use(driver)

    def use(self, driver) -> None:
        self.driver = driver
        self.driver.set_page_load_timeout(40)
        self.driver.set_script_timeout(40)
        self.first = self.driver.window_handles[0]

    def open(self) -> Tab:
        self.home()
        self.driver.switch_to.new_window("tab")
        return Tab(self, self.driver.current_window_handle)

    def home(self) -> None:
        """Goes back to the first tab, which stays empty and open."""
        self.driver.switch_to.window(self.first)

    def quit(self) -> None:
        self.driver.quit()


class ChromiumTab(Tab):
    def collect_garbage(self) -> None:
        self._here().execute_cdp_cmd("HeapProfiler.collectGarbage", {})

    def kill(self) -> None:
        # Its driver waits for ever for a page that hangs; the browser itself does not.
        address = self.engine.driver.capabilities["goog:chromeOptions"]["debuggerAddress"]
        with urlopen(f"http://{address}/json/close/{self.handle}", timeout=20) as answer:
            answer.read()


class Chromium(Engine):
    """Chromium by chromedriver."""

    name = "chromium"

    def __init__(self):
        self.browser = Browser()
        super().__init__(self.browser.driver)

    def open(self) -> Tab:
        self.home()
        self.driver.switch_to.new_window("tab")
        return ChromiumTab(self, self.driver.current_window_handle)


class Firefox(Engine):
    """Firefox by its own socket."""

    name = "firefox"

    def __init__(self):
        super().__init__(FirefoxDriver())

    def open(self) -> Tab:
        return Tab(self, self.driver.new_window())


class WebKitTab(Tab):
    def kill(self) -> None:
        # Its driver waits for ever for a page that hangs, and does not outlive the process of one.
        self.engine.crash()


class WebKitGTK(Engine):
    """WebKitGTK's MiniBrowser under an X server of its own."""

    name = "webkitgtk"

    def __init__(self):
        self.display = Display()
        super().__init__(webkit_driver(self.display.name))

    def open(self) -> Tab:
        self.home()
        self.driver.switch_to.new_window("tab")
        return WebKitTab(self, self.driver.current_window_handle)

    def crash(self) -> None:
        """Ends the processes of all pages and goes on with a new browser."""
        service = self.driver.service.process
        for process in descendants(service.pid, lambda line: "WebKitWebProcess" in line):
            os.kill(process, signal.SIGKILL)
        try:
            self.driver.quit()
        except WebDriverException:
            pass  # The browser has ended with its pages.
        if service.poll() is None:
            service.kill()
            service.wait(10)
        self.use(webkit_driver(self.display.name))

    def quit(self) -> None:
        super().quit()
        self.display.stop()


def start(name: str) -> Engine:
    return {"chromium": Chromium, "firefox": Firefox, "webkitgtk": WebKitGTK}[name]()


def descendants(ancestor: int, fits) -> list[int]:
    """The processes below one that this test started whose command line fits."""
    parents, lines = {}, {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            state = (folder / "stat").read_text().rpartition(")")[2].split()
            lines[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue  # It has ended meanwhile.
        parents[int(folder.name)] = int(state[1])

    def below(process: int) -> bool:
        while process in parents and process != ancestor:
            process = parents[process]
        return process == ancestor

    return [process for process, line in lines.items() if fits(line) and below(process)]
