"""alert, confirm and prompt of a page in a real browser: the host's delegate answers, or the person at the browser."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from harness.values import typed

NOBODY = "[typeof alert('a'), confirm('c'), prompt('p', 'd')]"
POST = "const post = (body) => webkit.messageHandlers.iOSNative.postMessage(body);"


@pytest.fixture
def aside():
    """Runs a script that stands still, while the test speaks with the host: the driver waits for its page."""
    with ThreadPoolExecutor(1) as executor:
        yield lambda window, source: executor.submit(window.js, source)


def delegate(host, view=1, **members):
    """Sets the view's delegate, and returns when its page knows."""
    host.do("dialogs", view=view, **members)
    host.evaluate("0", view=view)


def test_SQ_43_dialogs_reach_the_host_and_get_its_answer(probe, put, open_window):
    host = probe()
    window = open_window(put())
    host.opened()
    delegate(host, confirm=True, prompt='te"xt 😀')
    assert host.evaluate(NOBODY)["value"] == [typed("undefined"), typed(True), typed('te"xt 😀')]
    # A script of the page's own, not of the host.
    assert window.value(NOBODY) == ["undefined", True, 'te"xt 😀']
    asked = [(each["kind"], each["text"], each["default"]) for each in host.journal.matching(event="dialog")]
    assert asked == [("alert", "a", None), ("confirm", "c", None), ("prompt", "p", "d")] * 2
    assert {(each["main"], each["url"]) for each in host.journal.matching(event="dialog")} == {
        (True, window.value("location.href"))
    }
    delegate(host, confirm=False, prompt=None)
    assert window.value(NOBODY) == ["undefined", False, None]


def test_without_a_delegate_pages_get_webkits_answers(probe, put, open_window):
    host = probe()
    window = open_window(put(f"window.early = {NOBODY};"))
    window.attached()
    assert window.value("early") == ["undefined", False, None]
    assert window.value(NOBODY) == ["undefined", False, None]
    assert host.journal.matching(event="dialog") == []


@pytest.mark.console("PageBridge: ")
def test_without_a_host_pages_go_on(put, open_window):
    window = open_window(put(f"window.early = {NOBODY};", attributes='data-late="keep"'))
    window.wait_equal("early", ["undefined", False, None])


def test_the_first_script_of_a_page_may_ask(probe, put, open_window):
    host = probe(handlers=["iOSNative"])
    first = open_window(put())
    host.opened()
    delegate(host, prompt="host")
    # The next document of the session: its socket is not open yet when its head asks.
    first.go(put("window.early = prompt('early');", path="/next"))
    assert first.value("early") == "host"


def test_messages_that_were_posted_before_are_handled_before(probe, put, open_window):
    host = probe(handlers=["iOSNative"])
    window = open_window(put(POST))
    window.attached()
    delegate(host)
    window.js("for (let i = 0; i < 200; i++) post(i); window.ok = confirm('now'); post('after')")
    assert window.value("ok") is True
    host.received("iOSNative", 201)
    told = [each for each in host.journal.matching() if each["event"] in ("received", "dialog")]
    order = [each["body"]["value"] if each["event"] == "received" else "confirm" for each in told]
    assert order == [*range(200), "confirm", "after"]


def test_more_messages_than_the_browser_sends_meanwhile_do_not_block_a_dialog(probe, put, open_window):
    host = probe(handlers=["iOSNative"])
    window = open_window(put(POST))
    window.attached()
    delegate(host)
    window.js("for (let i = 0; i < 3000; i++) post(i); window.ok = confirm('now'); post('after')")
    assert window.value("ok") is True
    host.received("iOSNative", 3001)
    bodies = [each["body"]["value"] for each in host.messages()]
    assert bodies == [*range(3000), "after"]


def test_others_go_on_while_a_page_stands_still(probe, put, open_window, aside):
    host = probe(handlers=["iOSNative"])
    window = open_window(put(POST))
    window.attached()
    other = open_window(put(POST, path="/other"))
    other.attached()
    host.journal.wait(event="opened", count=2)
    delegate(host, mode="hold")
    script = aside(window, "window.log = [confirm('held')]")
    host.journal.wait(event="dialog", view=1)
    # Nothing of the driver may be asked meanwhile: the other page is spoken to through its host.
    assert host.evaluate("post('from the other'); 7", view=2) == typed(7)
    host.received("iOSNative")
    # What the host asks of the page itself waits.
    number = host.send("evaluate", source="log.push('host'); log", view=1)
    assert host.evaluate("8", view=2) == typed(8)
    assert host.journal.matching(event="answer", id=number) == []
    assert host.do("answerDialogs", view=1) == 1
    script.result(20)
    assert host.answer(number)["result"]["value"] == [typed(True), typed("host")]


@pytest.mark.parametrize("mode, words", [("drop", "let go without a call"), ("twice", "called twice")])
def test_mistakes_with_a_completion_handler_are_reported(probe, put, open_window, mode, words):
    host = probe()
    window = open_window(put())
    window.attached()
    delegate(host, mode=mode, confirm=True)
    assert window.value("confirm('c')") is (mode == "twice")
    assert words in host.events.wait(event="error")["message"]


def test_a_closed_tab_cancels_its_dialog(probe, put, open_window, aside):
    host = probe()
    window = open_window(put())
    window.attached()
    other = open_window(put(path="/other"))
    other.attached()
    host.journal.wait(event="opened", count=2)
    delegate(host, mode="hold")
    script = aside(window, "confirm('held')")
    script.add_done_callback(lambda done: done.exception())
    host.journal.wait(event="dialog", view=1)
    window.kill()
    host.events.wait(event="dialogCancel")
    # The late answer meets nobody.
    assert host.do("answerDialogs", view=1) == 1
    assert host.evaluate("9", view=2) == typed(9)


def test_a_host_that_ends_lets_the_page_go_on(probe, put, open_window, aside):
    host = probe()
    window = open_window(put())
    window.attached()
    delegate(host, mode="hold", confirm=True)
    script = aside(window, "return confirm('held')")
    host.journal.wait(event="dialog")
    host.kill()
    assert script.result(20) is False


def test_a_leaving_page_shows_no_dialogs(probe, put, open_window):
    host = probe()
    listen = """for (const type of ['beforeunload', 'pagehide'])
        addEventListener(type, () => { sessionStorage[type] = [typeof alert(), confirm(), prompt()]; });"""
    window = open_window(put(listen))
    window.attached()
    delegate(host, confirm=True, prompt="x")
    window.go(put(path="/next"))
    for kind in ("beforeunload", "pagehide"):
        assert window.value(f"sessionStorage.{kind}") == "undefined,false,"
    assert host.journal.matching(event="dialog") == []


def test_the_browser_shows_dialogs_in_a_tab(probe, put, open_window, aside):
    host = probe()
    window = open_window(put())
    window.attached()
    delegate(host, mode="present")
    for call, text, keys, accept, value in [
        ("alert('Hello')", "Hello", None, True, None),
        ("confirm('Sure?')", "Sure?", None, True, True),
        ("confirm('Sure?')", "Sure?", None, False, False),
        ("prompt('Name?', 'me')", "Name?", None, True, "me"),
        ("prompt('Name?', '')", "Name?", "you", True, "you"),
        ("prompt('Name?', 'me')", "Name?", None, False, None),
    ]:
        mark = host.journal.mark()
        window.js(f"setTimeout(() => {{ window.got = [{call}] }}); window.got = undefined")
        dialog = window.dialog()
        assert dialog.text == text
        if keys:
            dialog.send_keys(keys)
        dialog.accept() if accept else dialog.dismiss()
        window.wait_equal("window.got", [value])
        assert host.journal.wait(event="presented", since=mark)["value"] == value
