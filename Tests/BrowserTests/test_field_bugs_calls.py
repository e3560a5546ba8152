"""What broke for others: calls that had no end, and events that came once only."""

import os
import signal

import pytest
from selenium.common.exceptions import WebDriverException

from harness.engines import descendants
from harness.processes import ProbeError
from harness.values import typed
from harness.waiting import until

NEVER = "await new Promise(() => {})"


def test_B19_a_call_that_a_reload_ends_fails_soon_and_the_next_one_works(probe, put, open_window):
    host = probe(handlers=["iOSNative"])
    open_window(put("webkit.messageHandlers.iOSNative.postMessage('here')")).attached()
    host.received("iOSNative")
    pending = host.send("callAsync", source=NEVER)
    host.do("callAsync", source="setTimeout(() => location.reload()); return 1")
    error = host.answer(pending)["error"]
    assert error["domain"] == "WKErrorDomain" and error["code"] == 4
    assert "no longer reachable" in error["userInfo"]["WKJavaScriptExceptionMessage"]
    assert host.evaluate("1 + 1") == typed(2)
    assert len(host.answers(pending)) == 1
    # It ends with the next document's attachment, before the first word of that.
    assert host.answer(pending)["order"] < host.received("iOSNative", 2)["order"]


def test_B21_a_page_that_dies_ends_every_call_once(probe, put, open_window, browser):
    host = probe("--session-grace", "1")
    window = open_window(put())
    window.attached()
    pending = [host.send("callAsync", source=NEVER) for _ in range(20)]
    host.evaluate("0")
    with pytest.raises(WebDriverException):
        window.cdp("Page.crash")
    assert {host.answer(number)["error"]["code"] for number in pending} == {2}
    assert all(len(host.answers(number)) == 1 for number in pending)
    assert len(host.journal.matching(event="terminated")) == 1


def test_B21_a_page_that_is_suspended_answers_each_call_once_when_it_goes_on(probe, put, open_window, browser):
    host = probe()
    open_window(put()).attached()
    stopped = renderers(browser)
    for process in stopped:
        os.kill(process, signal.SIGSTOP)
    try:
        pending = [host.send("evaluate", source=f"{number} * 2") for number in range(20)]
        # The host does not wait for the page.
        assert host.do("view")["isLoading"] is False
        assert not any(host.answers(number) for number in pending)
    finally:
        for process in stopped:
            os.kill(process, signal.SIGCONT)
    assert [host.answer(number)["result"] for number in pending] == [typed(number * 2) for number in range(20)]
    assert all(len(host.answers(number)) == 1 for number in pending)


def test_B21_calls_with_a_time_limit_end_while_the_page_is_stopped(probe, put, open_window, browser):
    host = probe()
    open_window(put("window.ran = 0;")).attached()
    host.do("settings", callTimeout=1)
    stopped = renderers(browser)
    for process in stopped:
        os.kill(process, signal.SIGSTOP)
    try:
        pending = [host.send("evaluate", source="ran++") for _ in range(20)]
        for number in pending:
            error = host.answer(number)["error"]
            assert (error["domain"], error["code"]) == ("PageBridgeEvaluationErrorDomain", -32007)
            assert "within 1.0 seconds" in error["description"]
    finally:
        for process in stopped:
            os.kill(process, signal.SIGCONT)
    host.do("settings", callTimeout=None)
    # What the page was sent it carries out when it goes on; nobody hears of it.
    assert host.evaluate("ran") == typed(20)
    assert all(len(host.answers(number)) == 1 for number in pending)


def test_B23_a_handler_that_goes_away_leaves_no_promise_open(probe, put, open_window):
    host = probe()
    open_window(put("window.ends = []; window.errors = [];")).attached()
    rounds = 1_000
    for number in range(rounds):
        host.send("addHandler", name="short", reply="echo")
        call = f"webkit.messageHandlers.short.postMessage({number})"
        # The page calls while the handler is there, and the host takes it away at once.
        host.send("evaluateIn", source=f"{{ const end = (it) => {{ ends[{number}] = it }}; {call}.then(() => end('reply'), (e) => end(e.name)); }} 0")
        host.send("removeHandler", name="short")
    host.evaluate("0")
    until(lambda: host.evaluate("ends.filter(Boolean).length") == typed(rounds), lambda: f"{host.evaluate('ends.length')} ends")
    names = host.evaluate("[...new Set(ends)].sort()")["value"]
    assert {name["value"] for name in names} <= {"reply", "Error", "InvalidAccessError"}
    with pytest.raises(ProbeError):
        host.do("callAsync", source="await webkit.messageHandlers.short.postMessage(0)")


def test_B34_a_listener_that_is_added_again_hears_what_is_sent_from_then_on(probe, put, open_window):
    """What is sent while nobody listens is not kept, each time the same way."""
    host = probe()
    open_window(put()).attached()
    post = "window.webkit?.messageHandlers.late?.postMessage({0}); 0"
    for number in range(5):
        host.evaluate(post.format(-1))
        host.do("addHandler", name="late")
        host.evaluate(post.format(number))
        assert host.received("late", number + 1)["body"] == typed(number)
        host.do("removeHandler", name="late")
    host.evaluate(post.format(-1))
    assert host.numbers("late") == list(range(5))


def renderers(browser) -> list[int]:
    """The processes of this run's Chromium that run pages."""
    return descendants(browser.driver.service.process.pid, lambda line: "--type=renderer" in line)
