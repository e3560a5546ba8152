"""The tables of messages for the player and the two-way browser, through real pages: each message has its effect or its
refusal, and the bridge works after it. The tables of the other systems are run with their rows."""

import json
from pathlib import Path

import pytest

from harness.browsing import Browsing
from harness.waiting import until

TABLES = Path(__file__).parents[1] / "Vectors"
PLAYER = json.loads((TABLES / "player.json").read_text())
BROWSER = json.loads((TABLES / "browser.json").read_text())


def check(page, vector: dict, mark: int, before: dict) -> None:
    """What the player's host made of one message."""
    for key, value in vector.get("state", {}).items():
        assert page.state(key) == value, vector
    if "flips" in vector:
        assert page.state(vector["flips"]) is not before[vector["flips"]], vector
    refusals = page.named("refusedMessage", mark)
    assert [{name: entry[name] for name in ("reason", "type", "field")} for entry in refusals] == vector.get("refusals", []), vector
    unknown = [entry["type"] for entry in page.named("unknownMessage", mark) if not entry["type"].startswith("fence-")]
    assert unknown == ([vector["unknown"]] if "unknown" in vector else []), vector
    if "state" not in vector and "flips" not in vector:
        changed = {key for key in before if page.state(key) != before[key]}
        assert changed == set(), vector


KEYS = ("isVideoPlayerReady", "isFullscreen", "isBetslipHidden", "betslipText", "betslipFrame")


def test_messages_of_the_table_to_the_players_host(noinit):
    page = noinit()
    page.fence()
    for vector in (each for each in PLAYER if each["from"] == "page"):
        before = {key: page.state(key) for key in KEYS}
        mark = page.mark()
        page.post(vector["message"])
        page.fence()
        check(page, vector, mark, before)


def test_messages_of_the_table_on_the_players_bus(player):
    page = player().playing()
    asked = "performance.getEntriesByType('resource').filter((each) => each.name.includes('/operator/')).length"
    for vector in (each for each in PLAYER if each["from"] == "bus"):
        before = {key: page.state(key) for key in KEYS}
        requests = page.window.value(asked)
        mark = page.mark()
        page.bus(vector["type"], vector["message"])
        if vector.get("asksForStream"):
            page.window.wait(f"{asked} > {requests}")
        elif vector.get("sendsBets"):
            page.wait_named("userBetsSent", mark)
        elif "errors" in vector:
            page.wait_state("playerErrors", vector["errors"])
        page.fence()
        if "asksForStream" in vector and not vector["asksForStream"]:
            assert page.window.value(asked) == requests, vector
        if not {"asksForStream", "sendsBets", "errors"} & set(vector):
            check(page, vector, mark, before)


def test_bets_of_the_table_are_shown_or_refused(custom, tmp_path):
    file = tmp_path / "bets.json"
    file.write_text("[]")
    page = custom("--player-bets", str(file)).playing()
    shown = "Array.from(document.querySelectorAll('[data-bet-id]'), (each) => each.dataset.betId)"
    before = page.window.value(shown)
    host = page.events
    for vector in (each for each in PLAYER if each["from"] == "host"):
        mark = host.mark()
        if vector["shown"] is None:
            # Refused as a whole: the page keeps what it has.
            file.write_text(json.dumps(vector["message"]))
            page.fence()
            assert page.window.value(shown) == before, vector
            continue
        file.write_text(json.dumps(vector["message"]))
        page.wait_named("userBetsSent", mark, count=1)
        page.window.wait_equal(shown, vector["shown"])
        before = vector["shown"]
        page.fence()


@pytest.fixture
def browsing(open_window, relay, browser_host):
    return Browsing(open_window, relay, browser_host.events).loaded()


def test_messages_of_the_table_to_the_browsers_host(browsing):
    shown = browsing
    for vector in (each for each in BROWSER if each["from"] == "page"):
        mark = shown.mark()
        ignored = shown.state("ignoredBodies")
        shown.post(vector["message"])
        entry = shown.wait_named("received", mark)
        # A page's numbers are doubles.
        assert (entry["kind"], json.dumps(entry["value"])) == (vector["kind"], json.dumps(as_page(vector["message"]))), vector
        if vector["kind"] == "ignored":
            shown.wait_state("ignoredBodies", ignored + 1)
        else:
            shown.wait_state("lastJSON" if vector["kind"] == "json" else "lastString", entry["value"])
        shown.fence()


def test_values_of_the_table_to_the_browsers_page(browsing):
    shown = browsing
    shown.script("window.calls = []; window.valueGotFromIOS = (...values) => calls.push(values);")
    for number, vector in enumerate((each for each in BROWSER if each["from"] == "host"), start=1):
        mark = shown.mark()
        shown.act("value", "submit", vector["message"])
        shown.wait_named("value", mark, result=vector["result"])
        until(lambda: shown.page("calls.length") == number, f"call {number}")
        assert shown.page("calls.at(-1)") == [vector["message"]]
        assert shown.page("window.__pwned === undefined") is True
        shown.fence()


def as_page(value):
    """The value as a page has it: whole numbers beyond 2^53 are the nearest double."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        return int(value) if abs(value) < 2**53 and value == int(value) else float(value)
    if isinstance(value, list):
        return [as_page(each) for each in value]
    return {key: as_page(each) for key, each in value.items()}
