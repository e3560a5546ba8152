"""Web-view behaviour as data: each case is a few steps and what has to come of them (`cases/`)."""

import pytest

from cases import call_async, evaluate, messages
from harness.cases import CaseRun, CaseServer
from harness.processes import ProbeHost, Relay

TABLES = {"evaluate": evaluate.CASES, "callAsync": call_async.CASES, "messages": messages.CASES}
CASES = [pytest.param(case, id=f"{area}-{name}") for area, table in TABLES.items() for name, case in table.items()]


@pytest.fixture(scope="module")
def stage(browser, tmp_path_factory):
    """A relay, a host and two page servers for all cases; runs one case in a window of its own."""
    server, other = CaseServer(), CaseServer()
    folder = tmp_path_factory.mktemp("cases")
    relay = Relay("--allow-origin", server.origin, "--allow-origin", other.origin, state=folder / "state")
    server.tag = other.tag = f'<script src="{relay.http}/bridge.js" data-app="cases"></script>'
    host = ProbeHost(relay.ws, "cases", folder)
    host.send("start")
    host.connected()

    def open_page(url: str):
        return browser.open(url).close

    yield lambda case: CaseRun(case, host, server, other, open_page).run()
    browser.close_windows()
    for each in (host, relay, server, other):
        each.kill() if hasattr(each, "kill") else each.stop()


@pytest.mark.parametrize("case", CASES)
def test_case(stage, case):
    stage(case)
