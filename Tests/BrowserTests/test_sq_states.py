"""The Squad app: its states and what it makes of errors, in two engines. One test a row of the feature table."""

import socket

import pytest

from harness.browser import Browser
from harness.waiting import until

SVG = "<svg xmlns='http://www.w3.org/2000/svg' width='8' height='8'/>"


@pytest.fixture(scope="module")
def browser():
    """One that does not wait for loads: some pages here load for as long as the test wants."""
    browser = Browser(waits_for_loads=False)
    yield browser
    browser.quit()


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@pytest.fixture
def page_of(pages, relay, app):
    """Serves a page of the bridge at an allowed origin: `page_of(body=...)`."""

    def serve(body: str = "", path: str = "") -> str:
        return pages.put(
            f"/{app}{path}.html",
            f"""<!DOCTYPE html><html lang="en"><head><script src="{relay.http}/bridge.js" data-app="{app}"></script>
<meta charset="utf-8"><link rel="icon" href="data:,"><title>{app}</title></head><body>{body}</body></html>""",
        )

    return serve


@pytest.fixture
def opened(open_window, squad_tab):
    """Opens the app in a bare tab, without the policy, which pages of other origins cannot have."""

    def open_tab(*options: str, loaded: bool = True):
        shown = squad_tab(open_window(size=(390, 844)), "--squad-policy", "false", *options)
        return shown.loaded() if loaded else shown.opened()

    return open_tab


def test_SQ_17_indicator_is_on_from_the_provisional_start(opened, page_of, pages, app):
    gate = pages.hold(pages.put(f"/{app}-held.svg", SVG, "image/svg+xml"))
    shown = opened("--squad-url", page_of(f"<img src='/{app}-held.svg' alt=''>"), loaded=False)
    shown.wait_callbacks("start", "commit")
    assert shown.state("indicator") is True and shown.state("state") == "loading"
    started = [entry for entry in shown.named("navigationCallback") if entry["callback"] == "start"]
    on = shown.named("state", key="indicator", value=True)
    assert started and on
    gate.set()
    shown.wait_state("indicator", False)


def test_SQ_18_indicator_is_off_at_the_finish(opened, page_of):
    shown = opened("--squad-url", page_of())
    assert shown.states("state") == ["loading", "ready"]
    assert shown.states("indicator") == [True, False]


@pytest.mark.console("ERR_CONTENT_LENGTH_MISMATCH")
def test_SQ_19_cut_transfer_is_an_error(opened, page_of, pages):
    url = page_of("x" * 8192)
    gate = pages.cut(url, 3000)
    shown = opened("--squad-url", url, "--squad-load-timeout", "1", "--squad-retries", "0", loaded=False)
    shown.wait_callbacks("start", "commit")
    gate.set()
    shown.wait_state("state", "error")
    assert "fail" in shown.callbacks()
    assert shown.state("failure")["kind"] in ("timedOut", "loading") and shown.state("errorView")


@pytest.mark.console("ERR_CONNECTION_REFUSED")
def test_SQ_20_closed_port_is_an_error_before_the_commit(opened):
    shown = opened("--squad-url", f"http://127.0.0.1:{closed_port()}/", loaded=False)
    shown.wait_state("state", "error")
    assert shown.callbacks()[-2:] == ["start", "failProvisional"]
    assert shown.state("failure")["code"] == -1004


@pytest.mark.console("ERR_CONTENT_LENGTH_MISMATCH")
def test_SQ_22_slow_server_is_asked_again_a_bounded_number_of_times(opened, page_of, pages):
    url = page_of("x" * 8192)
    gate = pages.cut(url, 3000)
    shown = opened(
        "--squad-url", url, "--squad-load-timeout", "1", "--squad-retries", "2", "--squad-retry-wait", "3", loaded=False
    )
    shown.wait_named("state", key="retry", predicate=lambda entry: (entry["value"] or {}).get("attempt") == 1)
    # From now on the server is as quick as any.
    pages.restore(url)
    gate.set()
    shown.wait_state("state", "ready")
    assert [entry["attempt"] for entry in shown.named("load")] == [0, 1]
    assert shown.state("retry") is None


@pytest.mark.console("ERR_CONTENT_LENGTH_MISMATCH")
def test_SQ_22_waits_grow_and_then_the_error_stays(opened, page_of, pages):
    url = page_of("x" * 8192)
    gate = pages.cut(url, 3000)
    shown = opened(
        "--squad-url", url, "--squad-load-timeout", "0.5", "--squad-retries", "2", "--squad-retry-wait", "0.1",
        loaded=False,
    )
    shown.wait_named("log", predicate=lambda entry: entry["text"].startswith("timedOut"), count=3)
    until(lambda: shown.state("retry") is None and shown.state("state") == "error", lambda: str(shown.states("state")))
    gate.set()
    assert [value["seconds"] for value in shown.states("retry") if value] == [0.1, 0.2]
    assert len(shown.named("load")) == 3
    assert shown.state("errorView") == "Squad did not answer in time."


@pytest.mark.console("ERR_CONNECTION_REFUSED")
def test_SQ_23_other_error_shows_its_text(opened):
    shown = opened("--squad-url", f"http://127.0.0.1:{closed_port()}/", loaded=False)
    shown.wait_state("errorView", "Could not connect to the server.")
    assert shown.state("failure")["kind"] == "loading" and shown.state("offlineView") is False


def test_SQ_24_page_that_ends_takes_the_branch_of_the_web_view(opened, page_of):
    shown = opened("--squad-url", page_of())
    shown.window.close()
    shown.wait_state("failure", {"kind": "webView", "code": 2, "text": "The Web Content process was terminated"})
    assert shown.callbacks()[-1] == "terminate"


def test_SQ_31_insecure_page_is_refused_in_production(opened, page_of):
    url = page_of().replace("127.0.0.1", "squad.test")
    shown = opened("--squad-url", url, loaded=False)
    shown.wait_state("state", "error")
    assert shown.state("failure") == {"kind": "insecure", "code": -1022, "text": "squad.test is not secure."}
    assert shown.named("policy")[-1] | {"decision": "cancel", "url": url} == shown.named("policy")[-1]
    assert "start" not in shown.callbacks()
