"""The fixtures: a relay for all tests, hosts and windows for each.

Run: `.venv/bin/python -m pytest Tests/BrowserTests` after `swift build`. The executables are those of PAGEBRIDGE_BIN and
PROBEHOST_BIN, else of the folder PAGEBRIDGE_BIN_DIR, else the newest in .build; CHROMIUM_BIN and CHROMEDRIVER_BIN name
another browser. Logs, pictures of failures and the viewer's pictures go to .test-output (PAGEBRIDGE_TEST_OUTPUT).
"""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from harness import engines
from harness.browser import Browser, unexpected
from harness.case_report import CaseReport
from harness.journey import Bench, Journey, client
from harness.pages import Pages, page
from harness.paths import OUTPUT, REPOSITORY
from harness.player import PORTRAIT, Player
from harness.processes import BrowserHost, DemoHost, JourneyHost, PlayerHost, ProbeHost, Process, Relay, SquadHost
from harness.proxy import Proxy
from harness.squad import Squad, SquadTab
from harness.viewer import Viewer


def pytest_addoption(parser):
    parser.addoption("--cases", help="run the cases of this file in place of those of cases/webkit.json")
    parser.addoption("--engines", default="chromium", help="the engines that run the cases: " + ",".join(engines.NAMES))


def pytest_configure(config):
    config.stash[CaseReport.KEY] = CaseReport()


def pytest_terminal_summary(terminalreporter, config):
    report = config.stash[CaseReport.KEY]
    if report.outcomes:
        report.write()
        terminalreporter.section("web-view cases")
        for line in report.lines():
            terminalreporter.write_line(line)


def pytest_sessionstart(session):
    shutil.rmtree(OUTPUT / "logs", ignore_errors=True)
    shutil.rmtree(OUTPUT / "failures", ignore_errors=True)
    OUTPUT.mkdir(parents=True, exist_ok=True)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    setattr(item, f"report_{report.when}", report)
    return report


@pytest.fixture(scope="session")
def browser():
    browser = Browser()
    yield browser
    browser.quit()


@pytest.fixture(scope="session")
def pages():
    """A server of pages whose origin the relay allows."""
    pages = Pages()
    yield pages
    pages.stop()


@pytest.fixture(scope="session")
def elsewhere():
    """A server of pages of a second allowed origin."""
    pages = Pages()
    yield pages
    pages.stop()


@pytest.fixture(scope="session")
def strangers():
    """A server of pages whose origin the relay does not know."""
    pages = Pages()
    yield pages
    pages.stop()


@pytest.fixture(scope="session")
def relay(pages, elsewhere, tmp_path_factory):
    """The relay that most tests share; each test has an app name of its own on it."""
    web = tmp_path_factory.mktemp("relay") / "web"
    shutil.copytree(REPOSITORY / "web", web)
    origins = ("--allow-origin", pages.origin, "--allow-origin", elsewhere.origin)
    relay = Relay(*origins, state=tmp_path_factory.mktemp("state"), web=web)
    yield relay
    relay.stop()


def shared(kind: type[DemoHost]):
    """A fixture of a demonstration's host in a process of its own, for all tests: `player_host` and so on."""

    @pytest.fixture(scope="session", name=f"{kind.part}_host")
    def host(relay, tmp_path_factory):
        host = kind(relay.ws, tmp_path_factory.mktemp(kind.part))
        yield host
        host.stop()

    return host


player_host, browser_host, journey_host, squad_host = map(shared, (PlayerHost, BrowserHost, JourneyHost, SquadHost))


@pytest.fixture
def app(request) -> str:
    """An app name that no other test uses."""
    return re.sub(r"[^A-Za-z0-9._-]", "-", request.node.name)[:60]


@pytest.fixture
def children():
    """Processes of this test. They are ended after its windows are closed, or pages would complain of what is gone."""
    processes: list[Process] = []
    yield processes
    for process in reversed(processes):
        process.kill()


@pytest.fixture
def probe(relay, app, tmp_path, children):
    """Starts probe hosts: `probe(handlers=[...], scripts=[...])`. They end with the test."""

    def start(*options: str, handlers=(), scripts=(), at: str | None = None, name: str | None = None):
        host = ProbeHost(at or relay.ws, name or app, tmp_path, *options)
        children.append(host)
        if handlers:
            host.send("handlers", names=list(handlers))
        if scripts:
            host.send("scripts", scripts=list(scripts))
        host.send("start")
        host.connected()
        return host

    return start


@pytest.fixture
def proxy(relay):
    """Makes proxies in front of the relay."""
    proxies: list[Proxy] = []

    def make(budgets=None, port: int | None = None) -> Proxy:
        proxies.append(Proxy(port or relay.port, budgets))
        return proxies[-1]

    yield make
    for made in proxies:
        made.stop()


@pytest.fixture
def put(pages, relay, app):
    """Serves a page of this test at an allowed origin and gives its URL: `put(script=..., path="/second")`."""

    def serve(script: str = "", path: str = "", through: str | None = None, name: str | None = None, **rest) -> str:
        return pages.put(f"/{app}{path}.html", page(through or relay.http, name or app, script, **rest))

    return serve


@pytest.fixture
def open_window(request, browser, children):
    """Opens windows that are closed after the test; then no console error may have come that the test does not name."""
    browser.forget()
    yield browser.open
    lines = browser.console()
    failed = getattr(request.node, "report_call", None) is None or request.node.report_call.failed
    if failed:
        folder = OUTPUT / "failures"
        folder.mkdir(parents=True, exist_ok=True)
        for number, window in enumerate(browser.windows):
            try:
                window.picture(f"failures/{request.node.name[:80]}-{number}")
            except Exception as error:  # A picture of a window that is gone must not hide the failure.
                print("no picture:", error)
        print("\n".join(json.dumps(line) for line in browser.lines[-30:]))
    browser.close_windows()
    patterns = [pattern for mark in request.node.iter_markers("console") for pattern in mark.args]
    rest = unexpected(lines, patterns)
    assert failed or not rest, "console: " + "\n".join(rest)


@pytest.fixture
def busy_cores():
    """Keeps every core busy during the test."""
    loops = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"], stdout=subprocess.DEVNULL)
        for _ in range(os.cpu_count() or 1)
    ]
    yield
    for loop in loops:
        loop.kill()
        loop.wait()


@pytest.fixture
def own_relay(pages, tmp_path, children):
    """Starts relays of this test only, which it may stop: `own_relay("--host-grace", "1")`."""

    def start(*options: str, port: int = 0) -> Relay:
        children.append(Relay("--allow-origin", pages.origin, *options, port=port, state=tmp_path / "state"))
        return children[-1]

    return start


@pytest.fixture
def bench(probe, put, relay, open_window):
    """Opens a page whose web view has a bridge of the identity journey: `bench(script=...)`.

    The options say how the view comes by it (`how`) and what the bridge is made with.
    """

    def make(script: str = "", how: str = "make", **new) -> Bench:
        host = probe()
        host.do("bridgeNew", **new)
        host.do("bridgeWire", how=how)
        made = Bench(host, open_window, lambda script="", path="": put(script, path, head=client(relay)))
        return made.open(script)

    return make


@pytest.fixture
def journey(open_window, relay, journey_host):
    """Opens the journey of the shared host in a viewer."""

    def open_journey(**rest) -> Journey:
        return Journey(open_window, relay, journey_host.events, **rest).loaded()

    return open_journey


@pytest.fixture
def player(open_window, relay, player_host):
    """Opens the player of the shared host in a bare tab: the window is the screen."""

    def open_player(size=PORTRAIT) -> Player:
        window = open_window(f"{relay.http}/pages/player/", size=size)
        window.wait("location.pathname.startsWith('/s/')")
        return Player(window, player_host.events, window.session())

    return open_player


@pytest.fixture
def custom(open_window, relay, app, tmp_path, children):
    """Opens the player of a host of its own: `custom("--player-fixture-id", "silent")`."""

    def open_player(*options: str, size=PORTRAIT) -> Player:
        host = PlayerHost(relay.ws, tmp_path, "--app", app, *options)
        children.append(host)
        window = open_window(relay.start_page("player", app), size=size)
        window.wait("location.pathname.startsWith('/s/')")
        return Player(window, host.events, window.session())

    return open_player


@pytest.fixture
def noinit(custom):
    """Opens a player that leaves `init` to the test."""
    return lambda size=PORTRAIT: custom("--player-fixture-id", "noinit-1", size=size)


@pytest.fixture
def viewer(open_window, relay, player_host):
    """Opens the player of the shared host in the viewer: `viewer("phone").ready()`."""

    def open_viewer(device: str = "phone-notch", traffic: str = "closed", size=(1280, 1000)) -> Viewer:
        return Viewer(open_window, relay, device=device, traffic=traffic, size=size)

    return open_viewer


@pytest.fixture
def squad(open_window, relay, squad_host):
    """Opens the Squad app of the shared host in a viewer."""
    return lambda **rest: Squad(open_window, relay, squad_host.events, **rest).loaded()


@pytest.fixture
def own_squad(open_window, relay, app, tmp_path, children):
    """Opens the Squad app of a host of its own in a viewer: `own_squad("--squad-url", url)`."""

    def open_squad(*options: str, **rest) -> Squad:
        host = SquadHost(relay.ws, tmp_path, "--squad-app", app, *options)
        children.append(host)
        return Squad(open_window, relay, host.events, app=app, **rest)

    return open_squad


@pytest.fixture
def squad_tab(relay, app, tmp_path, children):
    """Opens the Squad app of a host of its own in a bare tab of any engine: `squad_tab(window, "--squad-url", url)`."""

    def open_squad(window, *options: str) -> SquadTab:
        host = SquadHost(relay.ws, tmp_path, "--squad-app", app, *options)
        children.append(host)
        window.start(relay.start_page("squad", app))
        return SquadTab(window, host.events)

    return open_squad
