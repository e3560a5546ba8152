"""Relays and hosts that are killed, stopped or stand still while pages talk."""

import subprocess

import pytest

from harness.values import typed
from harness.waiting import until
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


def test_relay_that_drains_under_load_loses_nothing(start_relay, line, load):
    """It is told to stop while messages flow: it ends every socket in order and is gone, and the next one goes on."""
    relay = start_relay()
    pages = load(
        line(relay.port).ws, "--pages", "60", "--hosts", "3", "--mode", "rate", "--rate", "300", "--size", "40,900,70000",
        "--seconds", "8", "--churn", "2", "--drain", "60",
    )  # fmt: skip
    pages.flows()
    assert relay.stop() == 0
    relay = start_relay(port=relay.port)
    report = pages.report(120)
    clean(report)
    assert report["resumes"] >= 60


def test_all_pages_come_back_to_a_relay_that_starts_anew(start_relay, load):
    """A storm of returns: more pages than the relay accepts in one interval. None is turned away, and none tries over and over."""
    relay = start_relay()
    count = 800
    pages = load(relay.ws, "--pages", f"{count}", "--hosts", "2", "--mode", "idle", "--seconds", "20", "--drain", "60")
    pages.flows()
    relay.kill()
    relay = start_relay(port=relay.port)
    until(lambda: health(relay.http)["pages"] == count, lambda: f"{count} pages: {health(relay.http)}", timeout=60)
    now = health(relay.http)
    assert now["refused"] == 0
    # Each came about once: those that the relay answered too late for them are few.
    assert now["socketsOpened"] < 2 * count
    report = pages.report(150)
    clean(report)
    assert report["resumes"] >= count


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


@pytest.mark.parametrize("text", ["deadly", "deadly" + "!" * 100_000], ids=["short", "in parts"])
def test_host_that_dies_in_a_handler_gets_that_message_again_and_is_told_so(
    start_relay, probe, put, open_window, tmp_path, text
):
    """It died between receiving and done: the message comes again, marked, and so does nothing that was done before."""
    relay = start_relay()
    state = ("--state", str(tmp_path / "state-of-host"))
    first = probe(relay.ws, *state)
    window = open_window(put(relay.http, POST))
    session = window.session()
    first.opened()
    first.do("dieOn", text=text)
    window.js("post('before')")
    first.received("iOSNative")
    # The page has heard that this one is done.
    window.wait("pagebridge.delivery.held === 0")
    window.js("post(arguments[0])", text)
    until(lambda: not first.runs, "the host's end")
    window.wait("pagebridge.state === 'away'")
    window.js("post('behind')")
    second = probe(relay.ws, *state)
    assert second.opened()["isResumed"] is True
    second.received("iOSNative", 2)
    found = [(text_of(entry), entry["isRedelivered"]) for entry in second.messages()]
    assert found == [(text, True), ("behind", False)]
    assert [(text_of(entry), entry["isRedelivered"]) for entry in first.messages()] == [("before", False), (text, False)]
    assert window.session() == session
    window.js("post('after')")
    assert second.received("iOSNative", 3)["isRedelivered"] is False


def text_of(entry: dict) -> str:
    body = entry["body"]
    return open(body["file"]).read() if "file" in body else body["value"]


def test_host_that_reconnects_gets_nothing_twice(relay, line, probe, put, open_window):
    """The same process behind a new connection: its sessions continue, and what was handled does not come again."""
    proxy = line(relay.port)
    host = probe(proxy.ws)
    window = open_window(put(relay.http, POST + "window.got = []; const take = (n) => { got.push(n); return n; };"))
    session = window.session()
    host.evaluate("1")
    for number in range(5):
        mark = host.events.mark()
        window.js("post(arguments[0])", number)
        pending = host.send("evaluate", source=f"take({number})")
        assert proxy.each("reset") == 1
        host.connected(since=mark)
        assert host.answer(pending)["result"] == typed(number)
    host.received("iOSNative", 5)
    window.js("post(5)")
    host.received("iOSNative", 6)
    assert host.numbers("iOSNative") == list(range(6))
    assert not any(entry["isRedelivered"] for entry in host.messages())
    assert window.value("got") == list(range(5))
    assert window.session() == session
    assert len(host.journal.matching(event="opened")) == 1


def test_sessions_of_a_dead_host_move_to_another_after_its_grace(start_relay, probe, put, open_window):
    """Two hosts of one app share its pages. One dies for good: after its grace its page has a fresh session with the other, whose
    own page notices nothing."""
    relay = start_relay("--host-grace", "1")
    hosts = [probe(relay.ws), probe(relay.ws)]
    windows = [open_window(put(relay.http, POST + "window.life = Math.random();", path=f"-{number}")) for number in range(2)]
    sessions = [window.session() for window in windows]
    # The relay gives a new session to the host with the fewest.
    owners = [next(each for each in hosts if each.journal.matching(event="opened", session=session)) for session in sessions]
    assert owners[0] is not owners[1]
    life = windows[1].value("life")
    owners[0].kill()
    windows[0].wait("pagebridge.state === 'away'")
    windows[1].js("post('undisturbed')")
    assert owners[1].received("iOSNative")["body"] == typed("undisturbed")
    owners[1].opened(2)
    moved = windows[0].session()
    assert moved != sessions[0]
    assert owners[1].journal.matching(event="opened", session=moved)
    windows[0].js("post('moved')")
    assert owners[1].received("iOSNative", 2)["body"] == typed("moved")
    assert (windows[1].session(), windows[1].value("life")) == (sessions[1], life)


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
