"""Web-view behaviour as data, in three engines: each case is a few steps and what has to come of them (`cases/`).

`--cases FILE` runs the cases of another file of the same form; `--engines chromium,firefox` runs them in some engines only.
"""

from pathlib import Path

import pytest

from cases import call_async, evaluate, known, messages, navigation
from harness import engines
from harness.case_report import CaseReport, load_cases
from harness.case_run import Stage
from harness.case_server import CaseServer, ClosedPort
from harness.processes import Relay

OWN = {
    "evaluate": evaluate.CASES, "callAsync": call_async.CASES, "messages": messages.CASES, "navigation": navigation.CASES,
}
WEBKIT = Path(__file__).parent / "cases" / "webkit.json"


def pytest_generate_tests(metafunc):
    if "own_case" in metafunc.fixturenames:
        cases = [(f"{area}-{name}", case) for area, table in OWN.items() for name, case in table.items()]
        metafunc.parametrize("own_case", [case for _, case in cases], ids=[name for name, _ in cases])
    if "case" in metafunc.fixturenames:
        cases = load_cases(metafunc.config.getoption("--cases") or WEBKIT)
        metafunc.parametrize("case", cases, ids=[f"{case['area']}-{case['id']}" for case in cases])
    if "engine_name" in metafunc.fixturenames:
        names = metafunc.config.getoption("--engines").split(",") if "case" in metafunc.fixturenames else ["chromium"]
        metafunc.parametrize("engine_name", names, scope="module")


@pytest.fixture(scope="module")
def stage(engine_name, tmp_path_factory):
    """A relay, a host, two page servers and a browser for all cases."""
    folder = tmp_path_factory.mktemp(f"cases-{engine_name}")
    server, other, closed = CaseServer(), CaseServer(), ClosedPort()
    relay = Relay("--allow-origin", server.origin, "--allow-origin", other.origin, state=folder / "state")
    stage = Stage(engines.start(engine_name), relay, server, other, closed, folder)
    yield stage
    stage.stop()
    for each in (relay, server, other, closed):
        each.kill() if hasattr(each, "kill") else each.stop()


@pytest.fixture(scope="session")
def case_report(request) -> CaseReport:
    return request.config.stash[CaseReport.KEY]


def test_own_case(stage, own_case):
    stage.run(own_case)


def test_webkit_case(stage, engine_name, case, case_report, request):
    tables = {} if request.config.getoption("--cases") else known.FAILURES
    expected = tables.get(engine_name, {}).get(case["id"]) or tables.get("all", {}).get(case["id"])
    try:
        form = attempt(stage, case, 1 if expected else 2)
    except Exception as failure:
        case_report.add(engine_name, case, "failed", str(failure))
        if expected:
            pytest.xfail(f"{expected}: {failure}")
        raise
    case_report.add(engine_name, case, "unreachable" if form > 0 and is_unreachable(case, engine_name) else "passed")
    assert not expected, "a known failure passes: take it off the table"


def attempt(stage, case: dict, tries: int) -> int:
    """Runs a case, once more if it fails: on a busy machine a browser may take longer than anybody would wait."""
    try:
        return stage.run(case)
    except Exception:
        if tries == 1:
            raise
        return attempt(stage, case, tries - 1)


def is_unreachable(case: dict, engine: str) -> bool:
    """Whether a page of that engine cannot do what WebKit does, so that an alternative is the nearest that is there."""
    return case["reach"] == "unreachable" and engine in case.get("engines", engines.NAMES)
