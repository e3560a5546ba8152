import os
import sys
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service as ChromeService
from selenium.webdriver.support.ui import WebDriverWait

# The engines that the browser tests drive too.
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "BrowserTests"))

from fake_relay import FakeRelay
from harness.firefox import FirefoxDriver
from harness.webkit import webkit_driver


@pytest.fixture(scope="session")
def shared_relay():
    return FakeRelay()


@pytest.fixture(scope="session")
def other_relay():
    """A server on another port: another origin."""
    return FakeRelay()


def start_chromium():
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=ChromeService("/usr/bin/chromedriver"))


@pytest.fixture(scope="session")
def engine():
    """The engine to test: chromium, or what PAGEBRIDGE_ENGINE names; webkit needs a display (xvfb-run)."""
    return os.environ.get("PAGEBRIDGE_ENGINE", "chromium")


@pytest.fixture(scope="session")
def browser(engine):
    driver = {"chromium": start_chromium, "webkit": webkit_driver, "firefox": FirefoxDriver}[engine]()
    driver.set_page_load_timeout(20)
    driver.set_script_timeout(20)
    yield driver
    driver.quit()


@pytest.fixture
def relay(shared_relay):
    shared_relay.run(shared_relay.reset)
    yield shared_relay
    assert shared_relay.violations == []


class Tab:
    """A tab without sessions: its session storage is empty."""

    def __init__(self, browser, relay):
        self.browser = browser
        self.relay = relay

    def page(self, body="", path="/page", head="", attributes="", headers=None, before=""):
        """Registers a page that loads bridge.js first. One that the browser may keep needs a path that no other test has."""
        assert path != "/page" or "Cache-Control" not in (headers or {})
        html = (
            '<!doctype html><html><head>%s<script src="%s/bridge.js" data-app="test" %s></script>%s</head><body>%s</body>'
            "</html>" % (before, self.relay.url, attributes, head, body)
        )
        self.relay.pages[path] = ("text/html", html, headers or {})
        return self.relay.url + path

    def open(self, body="", path="/page", fragment="", **rest):
        self.browser.get(self.page(body, path, **rest) + fragment)

    def run(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def wait_run(self, script):
        """Waits in the page for a value that is true."""
        return self.browser.execute_async_script(
            "const done = arguments[0], test = () => { const v = (() => {%s})(); v ? done(v) : setTimeout(test, 10) }; test()"
            % script
        )

    def wait_at(self, path):
        """Waits until a document of that path is complete."""
        return WebDriverWait(self.browser, 10, 0.02).until(
            lambda driver: driver.execute_script("return location.pathname + document.readyState") == path + "complete"
        )

    def console(self):
        """What the page's console says, where the driver tells: Chromium only."""
        if not hasattr(self.browser, "get_log"):
            return None
        return [entry["message"] for entry in self.browser.get_log("browser")]


@pytest.fixture
def tab(browser, relay):
    relay.pages["/blank"] = ("text/html", "<!doctype html>", {})
    browser.get(relay.url + "/blank")
    browser.execute_script("sessionStorage.clear()")
    relay.wait(lambda: not relay.sockets, what="the sockets of the test before")
    relay.run(relay.reset)
    yield Tab(browser, relay)
    first = browser.window_handles[0]
    for handle in browser.window_handles[1:]:
        browser.switch_to.window(handle)
        browser.close()
    browser.switch_to.window(first)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """A failure shows what the relay saw and what the console says."""
    report = (yield).get_result()
    tab, relay = item.funcargs.get("tab"), item.funcargs.get("relay")
    if report.failed and tab is not None:
        seen = {name: getattr(relay, name) for name in ("attaches", "hellos", "closes", "violations", "gaps")}
        if relay.host:
            seen["navigations"], seen["states"] = relay.host.navigations, relay.host.states
            seen["channels"] = [
                {name: value for name, value in vars(channel).items() if name not in ("host", "held", "parts", "client")}
                for channel in relay.host.order
            ]
        try:
            seen["page"] = tab.run("return [location.href, window.pagebridge && pagebridge.state]")
            seen["console"] = tab.console()
        except Exception as error:
            seen["page"] = repr(error)
        report.sections.append(("bridge", "\n".join("%s: %r" % pair for pair in seen.items())))
