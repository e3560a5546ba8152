"""The common web-view surface: one test a row of the feature table, seen from a page and from a host of its own."""

import hashlib
import json
import secrets
import string

import pytest

from harness.values import NIL, date, typed
from harness.waiting import until

NAMES = ["gsVideoPlayerBridge", "iOSNative", "gbgBridge", "squadBridge"]
POST = "const post = (body, name = 'iOSNative') => webkit.messageHandlers[name].postMessage(body);"


def test_WK_01_handlers_exist_before_page_scripts(probe, put, open_window):
    probe(handlers=NAMES)
    script = (
        f"window.kinds = {json.dumps([*NAMES, 'fifth'])}.map((n) => typeof webkit.messageHandlers[n]?.postMessage);"
    )
    window = open_window(put(script))
    assert window.value("kinds") == ["function"] * 4 + ["undefined"]


def test_WK_02_removed_handler_is_gone_and_a_kept_reference_reaches_nobody(probe, put, open_window):
    host = probe(handlers=NAMES)
    window = open_window(put(POST + "window.kept = webkit.messageHandlers.squadBridge;"))
    window.js("kept.postMessage('before')")
    host.received("squadBridge")
    host.do("removeHandler", name="squadBridge")
    window.wait("webkit.messageHandlers.squadBridge === undefined")
    window.js("kept.postMessage('after').catch((error) => { window.refusal = error.name; })")
    window.wait_equal("window.refusal", "InvalidAccessError")
    # What would have been delivered would have come before this.
    window.js("post('fence')")
    host.received("iOSNative")
    assert [entry["body"] for entry in host.messages("squadBridge")] == [typed("before")]


def test_WK_03_second_handler_of_a_name_is_refused_and_the_first_stays(probe, put, open_window):
    host = probe(handlers=["iOSNative"])
    window = open_window(put(POST))
    host.opened()
    host.do("addHandler", name="iOSNative", label="second")
    assert "iOSNative" in host.events.wait(event="error")["message"]
    window.js("post('still here')")
    entry = host.received("iOSNative")
    assert (entry["body"], entry["handler"]) == (typed("still here"), "first")
    window.js("post('fence')")
    host.received("iOSNative", 2)
    assert [entry["handler"] for entry in host.messages()] == ["first", "first"]


def test_WK_04_body_types_survive(probe, put, open_window):
    host = probe(handlers=["iOSNative"])
    window = open_window(put(POST))
    window.js(
        """for (const body of ['text', 7, 2.5, true, false, null, [1, 'a'], {a: {b: [null, {c: 1.5}]}, n: null},
             new Date(1764471720123), [true, 1, '1']]) post(body);"""
    )
    host.received("iOSNative", 10)
    bodies = [entry["body"] for entry in host.messages("iOSNative")]
    assert bodies == [
        typed("text"),
        typed(7),
        typed(2.5),
        typed(True),
        typed(False),
        typed(None),
        typed([1, "a"]),
        typed({"a": {"b": [None, {"c": 1.5}]}, "n": None}),
        date(1764471720123),
        typed([True, 1, "1"]),
    ]


def test_WK_05_uncloneable_body_throws_in_the_page(probe, put, open_window):
    host = probe(handlers=["iOSNative"])
    window = open_window(put(POST))
    window.js("try { post(() => 1); window.caught = 'nothing'; } catch (error) { window.caught = error.name; }")
    assert window.value("caught") == "DataCloneError"
    window.js("post('fence')")
    host.received("iOSNative")
    assert [entry["body"] for entry in host.messages()] == [typed("fence")]


def test_WK_06_message_metadata_equals_the_page(probe, put, pages, open_window):
    host = probe(handlers=NAMES)
    url = put(POST + "post(1, 'gbgBridge');") + "?a=1#part"
    window = open_window(url)
    entry = host.received("gbgBridge")
    assert entry["name"] == "gbgBridge"
    assert entry["isMainFrame"] is True
    assert entry["isOwnView"] is True
    assert entry["url"] == url == window.value("location.href")
    assert entry["origin"] == window.value("location.origin") == pages.origin


def test_WK_07_a_thousand_messages_keep_their_order(probe, put, open_window):
    host = probe(handlers=["iOSNative"])
    open_window(put(POST + "for (let i = 1; i <= 1000; i++) post(i);"))
    host.received("iOSNative", 1000)
    assert host.numbers("iOSNative") == list(range(1, 1001))


def test_WK_08_posts_before_the_socket_opens_arrive_once_and_first(probe, put, proxy, open_window):
    host = probe(handlers=["iOSNative"])
    gate = proxy()
    gate.hold_sockets()
    window = open_window(put(POST + "post('first'); window.early = pagebridge.state;", through=gate.http))
    window.js("post('second')")
    assert window.value("early") == window.value("pagebridge.state") == "connecting"
    gate.release_sockets()
    window.attached()
    window.js("post('third')")
    host.received("iOSNative", 3)
    assert [entry["body"] for entry in host.messages()] == [typed("first"), typed("second"), typed("third")]


def test_WK_09_evaluate_returns_values(probe, put, open_window):
    host = probe()
    open_window(put()).attached()
    assert host.evaluate("6*7") == typed(42)
    assert host.evaluate("'a text'") == typed("a text")
    assert host.evaluate("null") == typed(None)
    assert host.evaluate("[1, 'a', null, true]") == typed([1, "a", None, True])
    assert host.evaluate("({a: 1, b: {c: 'd'}})") == typed({"a": 1, "b": {"c": "d"}})
    assert host.evaluate("undefined") == NIL
    assert host.evaluate("var answer = 1") == NIL
    assert host.evaluate("answer + 1") == typed(2)


@pytest.mark.console("missingFunction is not defined")
def test_WK_10_evaluate_reports_the_exception_once(probe, put, open_window):
    host = probe()
    open_window(put()).attached()
    number = host.send("evaluate", source="missingFunction()")
    answer = host.answer(number)
    assert "result" not in answer
    error = answer["error"]
    assert (error["domain"], error["code"]) == ("WKErrorDomain", 4)
    assert error["userInfo"]["WKJavaScriptExceptionMessage"] == "ReferenceError: missingFunction is not defined"
    assert error["userInfo"]["WKJavaScriptExceptionLineNumber"] == 1
    assert host.evaluate("1") == typed(1)
    assert len(host.journal.matching(event="answer", id=number)) == 1


def test_WK_13_user_script_runs_once_per_document_before_page_scripts(probe, put, open_window):
    counter = (
        "window.runs = (window.runs || 0) + 1; window.bodyAtStart = document.body;"
        "sessionStorage.setItem('count', Number(sessionStorage.getItem('count') || 0) + 1);"
    )
    probe(scripts=[{"source": counter, "time": "start"}])
    window = open_window(put("window.seen = [window.runs, Number(sessionStorage.getItem('count'))];"))
    for load in (1, 2, 3):
        if load > 1:
            window.reload()
        window.attached()
        assert window.value("seen") == [1, load]
        assert window.value("[runs, bodyAtStart]") == [1, None]


def test_WK_16_messages_of_two_hosts_never_cross(probe, put, open_window, app):
    hosts = [probe(handlers=["iOSNative"], name=f"{app}-{each}") for each in "ab"]
    windows = [open_window(put(POST, path=f"-{each}", name=f"{app}-{each}")) for each in "ab"]
    for window in windows:
        window.attached()
    # Both talk at the same time.
    for number, window in enumerate(windows):
        window.js("for (let i = 0; i < 200; i++) post(arguments[0] + ':' + i)", "ab"[number])
    for number, host in enumerate(hosts):
        host.received("iOSNative", 200)
        own = "ab"[number]
        assert [entry["body"]["value"] for entry in host.messages()] == [f"{own}:{i}" for i in range(200)]
        assert host.evaluate("document.title") == typed(f"{host.app}")
        assert len(host.journal.matching(event="opened")) == 1


@pytest.mark.console("/attach", "WebSocket connection to", "ERR_FAILED", "no answer from", "no connection to", "403")
def test_WK_17_foreign_origin_is_refused_and_the_host_told(probe, relay, put, strangers, open_window, app):
    from harness.pages import page

    host = probe(handlers=["iOSNative"])
    url = strangers.put("/evil.html", page(relay.http, app, "window.kind = typeof window.webkit;"))
    window = open_window(url)
    assert window.value("kind") == "undefined"
    host.events.wait(event="refused", origin=strangers.origin)
    # The handshake itself, without any of our script.
    mark = host.events.mark()
    window.js(
        """const socket = new WebSocket(arguments[0], 'pagebridge.v1');
           socket.onopen = () => { window.outcome = 'open'; };
           socket.onclose = () => { window.outcome = window.outcome || 'refused'; };""",
        f"{relay.ws}/ws/{app}",
    )
    window.wait_equal("window.outcome", "refused")
    host.events.wait(event="refused", origin=strangers.origin, since=mark)
    assert not host.journal.matching(event="opened")
    # The very same page of an allowed origin is let in.
    allowed = open_window(put("window.kind = typeof window.webkit;"))
    allowed.attached()
    assert allowed.value("kind") == "object"


DIGEST = """
const hex = (buffer) => Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');
const digest = async (text) => hex(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
"""


def test_WK_18_eight_mebibytes_arrive_intact_both_ways(probe, put, open_window, tmp_path):
    host = probe(handlers=["iOSNative"])
    window = open_window(put(POST + DIGEST))
    window.attached()
    size = 8 * 1024 * 1024
    sent = window.promise(
        """(async () => {
             let text = '';
             for (let i = 0; i < 128; i++) {
               const bytes = crypto.getRandomValues(new Uint8Array(49152));
               text += btoa(String.fromCharCode.apply(null, bytes));
             }
             post(text);
             return [text.length, await digest(text)];
           })()"""
    )
    assert sent[0] == size
    body = host.received("iOSNative")["body"]
    assert body["bytes"] == size
    with open(body["file"], "rb") as file:
        assert hashlib.sha256(file.read()).hexdigest() == sent[1]

    text = "".join(secrets.choice(string.ascii_letters + string.digits + "+/") for _ in range(4096)) * 2048
    source = tmp_path / "source.js"
    source.write_text(f"window.large = '{text}'; large.length")
    assert host.do("evaluate", sourceFile=str(source)) == typed(size)
    assert window.promise("digest(large)") == hashlib.sha256(text.encode()).hexdigest()


UNICODE = [
    "😀👨‍👩‍👧🏈🇬🇧",
    "e\u0301 n\u0303 a\u0323\u0302",
    "שלום مرحبا \u202eabc\u202c",
    "a\u2028b\u2029c",
    "nul\u0000in\u0000side",
    "\ufeffbom \ufffd \uffff \U0010ffff",
    "主队 équipe — half-time",
]


def test_WK_19_unicode_arrives_unchanged_both_ways(probe, put, open_window):
    host = probe(handlers=["iOSNative"])
    window = open_window(put(POST))
    for text in UNICODE:
        # Made from code points in the page, so that the driver's encoding has no part in it.
        window.js("post(String.fromCodePoint(...arguments[0]))", [ord(character) for character in text])
    host.received("iOSNative", len(UNICODE))
    assert [entry["body"]["value"] for entry in host.messages()] == UNICODE
    for text in UNICODE:
        # The characters stand in the source as they are, nothing is escaped.
        host.evaluate(f"window.got = '{text}'")
        assert window.value("Array.from(got, (each) => each.codePointAt(0))") == [ord(each) for each in text]
        assert host.evaluate("got") == typed(text)


@pytest.mark.console("nothingHere is not defined")
def test_user_scripts_run_at_start_and_end_of_the_document(probe, put, open_window):
    note = "(window.order = window.order || []).push('{0} ' + document.readyState + ' ' + !!document.body);"
    probe(
        scripts=[
            {"source": note.replace("{0}", "end"), "time": "end"},
            {"source": note.replace("{0}", "start"), "time": "start"},
            {"source": "window.fault = nothingHere;", "time": "start"},
            {"source": note.replace("{0}", "second"), "time": "start"},
        ]
    )
    window = open_window(put("order.push('page');", body="<script>order.push('body')</script>"))
    until(lambda: window.value("order.length") == 5, "five entries")
    assert window.value("order") == [
        "start loading false",
        "second loading false",
        "page",
        "body",
        "end interactive true",
    ]
