"""The fixtures of the fault tests: each test has a relay of its own, which it may stop, kill and start again.

Run: `.venv/bin/python -m pytest Tests/FaultTests` after `swift build`; environment variables as in Tests/BrowserTests.
"""

import os
import re
import shutil
import signal
from contextlib import contextmanager

import pytest

from harness.browser import Browser
from harness.engines import descendants
from harness.firefox_window import Firefox
from harness.pages import Pages, page
from harness.paths import OUTPUT
from harness.processes import ProbeHost, Process, Relay
from kit.load import Load
from kit.proxy import FaultProxy


def pytest_sessionstart(session):
    shutil.rmtree(OUTPUT / "logs", ignore_errors=True)
    OUTPUT.mkdir(parents=True, exist_ok=True)


@pytest.fixture(scope="session")
def browser():
    browser = Browser(throttles=True)
    yield browser
    browser.quit()


@pytest.fixture(scope="session")
def firefox():
    firefox = Firefox()
    yield firefox
    firefox.quit()


@pytest.fixture(params=["chromium", "firefox"])
def engine(request) -> str:
    """The browsers whose tabs are left, hidden and brought back; WebKitGTK's driver hides no tab and keeps none."""
    return request.param


@pytest.fixture
def open_tab(request, engine):
    """Opens windows of that engine that are closed after the test."""
    browser = request.getfixturevalue("browser" if engine == "chromium" else "firefox")
    yield browser.open
    browser.close_windows()


@pytest.fixture
def asleep(request, engine):
    """Stops all processes of that browser, as a machine does that sleeps: `with asleep():`."""
    browser = request.getfixturevalue("browser" if engine == "chromium" else "firefox")
    first = browser.driver.service.process.pid if engine == "chromium" else browser.process_id

    @contextmanager
    def sleep():
        # The driver of Chromium stays awake; Firefox has none.
        stopped = [pid for pid in descendants(first, lambda line: True) if pid != first or engine == "firefox"]
        for pid in stopped:
            send(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in stopped:
                send(pid, signal.SIGCONT)

    return sleep


def send(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass  # It has ended by itself.


@pytest.fixture(scope="session")
def pages():
    """A server of pages whose origin the relays allow; it outlives them."""
    pages = Pages()
    yield pages
    pages.stop()


@pytest.fixture
def app(request) -> str:
    """An app name that no other test uses."""
    return re.sub(r"[^A-Za-z0-9._-]", "-", request.node.name)[:60]


@pytest.fixture
def children():
    """Processes of this test, ended with it."""
    processes: list[Process] = []
    yield processes
    for process in reversed(processes):
        process.resume()
        process.kill()


@pytest.fixture
def start_relay(pages, tmp_path, children):
    """Starts a relay whose keys survive it: `start_relay(port=...)` starts it anew at the same address."""

    def start(*options: str, port: int = 0) -> Relay:
        children.append(
            Relay("--allow-origin", pages.origin, "--log-level", "error", *options, port=port, state=tmp_path / "state")
        )
        return children[-1]

    return start


@pytest.fixture
def relay(start_relay):
    return start_relay()


@pytest.fixture
def line():
    """Makes fault proxies in front of a relay: `line(relay.port)`."""
    proxies: list[FaultProxy] = []

    def make(port: int, **options) -> FaultProxy:
        proxies.append(FaultProxy(port, **options))
        return proxies[-1]

    yield make
    for proxy in proxies:
        proxy.stop()


@pytest.fixture
def load(tmp_path, children):
    """Starts simulated pages: `load(url, "--pages", "20")`."""

    def start(relay: str, *options: str, app: str = "load") -> Load:
        children.append(Load(relay, tmp_path, *options, app=app))
        return children[-1]

    return start


@pytest.fixture
def probe(app, tmp_path, children):
    """Starts probe hosts: `probe(url, handlers=[...])`."""

    def start(at: str, *options: str, handlers=("iOSNative",), name: str | None = None) -> ProbeHost:
        host = ProbeHost(at, name or app, tmp_path, *options)
        children.append(host)
        host.send("handlers", names=list(handlers))
        host.send("start")
        host.connected()
        return host

    return start


@pytest.fixture
def put(pages, app):
    """Serves a page of this test at an allowed origin and gives its URL: `put(relay_url, script)`."""

    def serve(relay: str, script: str = "", path: str = "", **rest) -> str:
        return pages.put(f"/{app}{path}.html", page(relay, app, script, **rest))

    return serve


@pytest.fixture
def open_window(browser):
    """Opens windows that are closed after the test."""
    yield browser.open
    browser.close_windows()
