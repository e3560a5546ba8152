"""Relays and hosts that are killed or stand still while pages talk."""

import subprocess

import pytest

from harness.values import typed
from kit.load import clean, health, idle

POST = "const post = (body, name = 'iOSNative') => webkit.messageHandlers[name].postMessage(body);"


def test_relay_killed_under_load_loses_nothing(start_relay, line, load):
    relay = start_relay()
    base = health(relay.http)
    pages = load(
        line(relay.port).ws, "--pages", "60", "--hosts", "3", "--mode", "rate", "--rate", "300", "--size", "40,900,70000",
        "--seconds", "8", "--churn", "2", "--drain", "60",
    )  # fmt: skip
    pages.flows()
    relay.kill()
    relay = start_relay(port=relay.port)
    report = pages.report(120)
    clean(report)
    # Every socket broke, and every page came back.
    assert report["resumes"] >= 60
    idle(relay.http, base)


@pytest.mark.parametrize("which", ["relay", "pages"])
def test_processes_that_stand_still_lose_nothing(relay, load, which):
    pages = load(relay.ws, "--pages", "40", "--mode", "rate", "--rate", "200", "--seconds", "6", "--drain", "60")
    pages.flows()
    process = relay if which == "relay" else pages
    process.pause()
    try:
        # What the others see meanwhile is a network that holds everything.
        with pytest.raises(subprocess.TimeoutExpired):
            pages.child.wait(3)
    finally:
        process.resume()
    clean(pages.report(120))


def test_host_killed_between_receiving_and_done_gets_its_messages_again(start_relay, probe, put, open_window, tmp_path):
    """With its state file the next process takes the session over; what the last one had not acknowledged comes again, in
    order, and nothing after it is missing."""
    relay = start_relay()
    state = ("--state", str(tmp_path / "state-of-host"))
    first = probe(relay.ws, *state)
    window = open_window(put(relay.http, POST))
    session = window.session()
    window.js("for (let i = 1; i <= 200; i++) post(i)")
    first.received("iOSNative")
    first.kill()
    window.js("for (let i = 201; i <= 300; i++) post(i)")
    second = probe(relay.ws, *state)
    window.attached()
    second.journal.wait(lambda entry: entry.get("body") == typed(300), event="received")
    before, after = first.numbers("iOSNative"), second.numbers("iOSNative")
    assert before == list(range(1, len(before) + 1))
    assert after == list(range(after[0], 301))
    assert after[0] <= len(before) + 1
    assert window.session() == session


def test_host_killed_twice_keeps_its_calls_apart(start_relay, probe, put, open_window, tmp_path):
    """Ids of calls belong to a life of the host: an answer to a dead one's call ends none of the next one's."""
    relay = start_relay()
    state = ("--state", str(tmp_path / "state-of-host"))
    window = None
    for life in range(3):
        host = probe(relay.ws, *state)
        window = window or open_window(put(relay.http, POST))
        window.attached()
        host.opened()
        numbers = [host.send("evaluate", source=f"{life * 1000 + number}") for number in range(50)]
        if life < 2:
            host.kill()
        else:
            results = [host.answer(number)["result"] for number in numbers]
            assert results == [typed(life * 1000 + number) for number in range(50)]
