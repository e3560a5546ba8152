"""What becomes of messages and calls when a tab is frozen, copied, crashes or reloads again and again."""

import json

import pytest
import websocket
from selenium.common.exceptions import WebDriverException

from harness.processes import ProbeError
from harness.values import typed
from harness.waiting import until

POST = "const post = (body, name = 'iOSNative') => webkit.messageHandlers[name].postMessage(body);"


def test_a_frozen_page_gets_what_was_said_meanwhile_when_it_resumes(relay, probe, put, open_window):
    """Chromium's lifecycle: a frozen page runs no task at all, and its socket is dead when it resumes. Firefox freezes no tab."""
    host = probe(relay.ws)
    window = open_window(
        put(
            relay.http,
            POST + "window.got = []; const take = (n) => { got.push(n); return n; }; window.seen = [];"
            "for (const type of ['freeze', 'resume']) document.addEventListener(type, () => seen.push(type));",
        )
    )
    session = window.session()
    host.evaluate("1")
    front = window.cover()
    window.cdp("Page.setWebLifecycleState", state="frozen")
    host.do("evaluateMany", function="take", count=99)
    last = host.send("evaluate", source="take(100)")
    window.cdp("Page.setWebLifecycleState", state="active")
    window.show()
    assert host.answer(last)["result"] == typed(100)
    assert window.value("got") == list(range(1, 101))
    assert window.value("seen") == ["freeze", "resume"]
    window.js("post('after')")
    assert host.received("iOSNative")["body"] == typed("after")
    assert window.session() == session
    front.close()


def test_a_copied_tab_gets_a_session_of_its_own(relay, probe, put, open_tab):
    host = probe(relay.ws)
    window = open_tab(put(relay.http, POST))
    session = window.session()
    copy = window.copy()
    assert copy.session() != session
    assert window.session() == session
    window.js("post('first')")
    copy.js("post('copy')")
    host.received("iOSNative", 2)
    assert {entry["body"]["value"]: entry["view"] for entry in host.messages()} == {"first": 1, "copy": 2}


def test_a_tab_that_crashed_and_is_loaded_again_goes_on_in_its_session(relay, probe, put, open_window, browser):
    """A crash leaves a key and no word of leaving: the session's socket is dead, so the newcomer inherits."""
    host = probe(relay.ws)
    url = put(relay.http, POST)
    window = open_window(url)
    session = window.session()
    window.js("post('before')")
    host.received("iOSNative")
    pending = host.send("callAsync", source="await new Promise(() => {})")
    host.evaluate("1")
    mark = host.events.mark()
    with pytest.raises(WebDriverException):
        window.cdp("Page.crash")
    host.events.wait(event="away", since=mark)
    load_again(browser, window, url)
    assert "no longer reachable" in str(host.answer(pending)["error"])
    assert host.evaluate("post('after'); pagebridge.session") == typed(session)
    assert host.received("iOSNative", 2)["body"] == typed("after")
    assert host.evaluate("location.href") == typed(url)
    assert len(host.answers(pending)) == 1
    assert len(host.journal.matching(event="opened")) == 1


def load_again(browser, window, url: str) -> None:
    """Loads a page in a tab whose page has crashed: its driver gives such a tab up, the browser itself does not."""
    address = browser.driver.capabilities["goog:chromeOptions"]["debuggerAddress"]
    socket = websocket.create_connection(f"ws://{address}/devtools/page/{window.handle}", suppress_origin=True, timeout=30)
    socket.send(json.dumps({"id": 1, "method": "Page.navigate", "params": {"url": url}}))
    until(lambda: json.loads(socket.recv()).get("id") == 1, "the browser's answer")
    socket.close()


def test_five_hundred_evaluates_that_race_with_reloads_end_five_hundred_times(relay, probe, put, open_tab):
    """The page reloads by itself again and again while it is asked; each call has one end, its value or that its page was replaced."""
    host = probe(relay.ws)
    window = open_tab(
        put(
            relay.http,
            "const loads = 1 + Number(sessionStorage.loads || 0); sessionStorage.loads = loads;"
            # One reload a document, whose later calls take their time: some of them are under way when it dies.
            "let asked = 0; const ask = (n) => { if (++asked > 12 && loads < 25) { if (asked === 13) location.reload();"
            " for (const end = performance.now() + 5; performance.now() < end;); } return n; };",
        )
    )
    window.attached()
    numbers = []
    for number in range(500):
        numbers.append(host.send("evaluate", source=f"ask({number})"))
        # A few at a time, so that each document is asked some and dies with some under way.
        if number % 20 == 19:
            host.answer(numbers[-20])
    values, replaced = 0, 0
    for index, number in enumerate(numbers):
        end = host.answer(number)
        if "error" in end:
            # A document that has only begun has no `ask` yet, as in WebKit.
            text = str(end["error"])
            assert "no longer reachable" in text or "ReferenceError" in text, end
            replaced += "no longer reachable" in text
        else:
            assert end["result"] == typed(index)
            values += 1
    def settled() -> bool:
        try:
            return host.evaluate("'fence'") == typed("fence")
        except ProbeError:
            return False  # The last reload.

    until(settled, "a document that stays")
    # No end came behind the last one.
    assert [len(host.answers(number)) for number in numbers] == [1] * 500
    assert values > 0 and replaced > 0
    assert len(host.journal.matching(event="opened")) == 1
