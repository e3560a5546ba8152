"""What broke for others: one test an entry of the field-bug list that concerns values, calls, the start and the order."""

import hashlib
import json

import pytest
import websocket

from harness.processes import ProbeError
from harness.values import NIL, NULL, typed
from harness.waiting import until

POST = "const post = (body, name = 'iOSNative') => webkit.messageHandlers[name].postMessage(body);"


def units(text: str) -> list[int]:
    """The UTF-16 code units."""
    data = text.encode("utf-16-le")
    return [int.from_bytes(data[i : i + 2], "little") for i in range(0, len(data), 2)]


def both_ways(host, window, text: str, count: int) -> None:
    """The text goes from the page to the host and, as an argument of a script, from the host to the page."""
    window.js("post(String.fromCharCode(...arguments[0]))", units(text))
    assert host.received("iOSNative", count)["body"] == typed(text)
    host.evaluate(f"window.got = {json.dumps(text)}")
    assert window.value("Array.from({length: got.length}, (_, i) => got.charCodeAt(i))") == units(text)
    assert host.evaluate("got") == typed(text)


def test_B01_line_separators_and_markup_are_data(probe, put, open_window):
    host = probe(handlers=["iOSNative"])
    window = open_window(put(POST))
    both_ways(host, window, "a\u2028b\u2029c\u0000d\ufeff</script>", 1)
    # In the source itself, as they are.
    host.evaluate("window.raw = 'a\u2028b\u2029c\u0000d\ufeff</script>'")
    assert window.value("Array.from({length: raw.length}, (_, i) => raw.charCodeAt(i))") == units(
        "a\u2028b\u2029c\u0000d\ufeff</script>"
    )


def test_B03_quotes_and_backslashes_are_data(probe, put, open_window):
    host = probe(handlers=["iOSNative"])
    window = open_window(put(POST))
    nested = json.dumps({"a": json.dumps({"b": json.dumps({"c": 'it\'s "quoted" \\ twice'})})})
    for count, text in enumerate(["12'3", 'a\\\\"b', nested, "`${1}`", "\\u2028", "\\"], 1):
        both_ways(host, window, text, count)


@pytest.mark.console("third line")
def test_B05_script_text_is_unchanged_and_lines_are_right(probe, put, open_window):
    host = probe()
    open_window(put()).attached()
    assert host.evaluate("var a = 1 // one\r\nvar b = 2\r\nvar c = a + b\r\nc") == typed(3)
    with pytest.raises(ProbeError) as caught:
        host.evaluate("var a = 1 // one\r\nvar b = 2\r\nthrow new Error('third line')\r\nvar c = 3")
    information = caught.value.error["userInfo"]
    assert information["WKJavaScriptExceptionMessage"] == "Error: third line"
    assert information["WKJavaScriptExceptionLineNumber"] == 3


SIZES = [0, 1, 125, 126, 127, 4095, 4096, 4097, 65535, 65536, 300_000, 1024 * 1024 - 1, 1024 * 1024, 1024 * 1024 + 1]


def test_B08_no_size_loses_its_last_bytes(probe, put, open_window, tmp_path):
    host = probe(handlers=["iOSNative"])
    window = open_window(
        put(
            POST
            + """
            const make = (size) => Array.from({length: size}, (_, i) => String.fromCharCode(97 + (i * 7 + size) % 26)).join('');
            """
        )
    )
    window.js("for (const size of arguments[0]) post(make(size))", SIZES)
    host.received("iOSNative", len(SIZES))
    for size, entry in zip(SIZES, host.messages(), strict=True):
        text = "".join(chr(97 + (i * 7 + size) % 26) for i in range(26)) * (size // 26 + 1)
        text = text[:size]
        body = entry["body"]
        got = open(body["file"]).read() if "file" in body else body["value"]
        assert len(got) == size
        assert hashlib.sha256(got.encode()).digest() == hashlib.sha256(text.encode()).digest()
        source = tmp_path / f"{size}.js"
        source.write_text(f"(() => {{ const text = '{text}'; return text === make({size}) && text.length; }})()")
        assert host.do("evaluate", sourceFile=str(source)) == typed(size)


def test_B10_undefined_and_null_are_results(probe, put, open_window):
    host = probe()
    open_window(put()).attached()
    results = [host.evaluate(source) for source in ("undefined", "null", "void 0", "", "var x=1", "if(0){}")]
    assert results == [NIL, NULL, NIL, NIL, NIL, NIL]


def test_B11_numbers_texts_and_lists_are_told_apart(probe, put, open_window):
    host = probe()
    open_window(put()).attached()
    for source, value in {
        "5": 5,
        '"5"': "5",
        "'\"5\"'": '"5"',
        "true": True,
        '"true"': "true",
        "[]": [],
        '"[]"': "[]",
        "({})": {},
    }.items():
        assert host.evaluate(source) == typed(value), source


def test_B14_null_and_undefined_cross_and_the_rest_is_refused_in_the_page(probe, put, open_window):
    host = probe(handlers=["iOSNative"])
    window = open_window(put(POST))
    outcomes = window.js(
        """const cycle = {}; cycle.own = cycle;
           return [undefined, null, Symbol('s'), () => 1, document.body, cycle, {deep: [new Map(), () => 1]}].map((body) => {
             try { post(body); return 'sent'; } catch (error) { return error.name; }
           });"""
    )
    # A symbol arrives as nothing, as in WebKit now.
    assert outcomes == ["sent", "sent", "sent", *["DataCloneError"] * 4]
    window.js("post('fence')")
    host.received("iOSNative", 4)
    assert [entry["body"] for entry in host.messages()] == [NIL, NULL, NIL, typed("fence")]


LIMIT = 2 * 16 * 1024 * 1024 + 65536


def test_B16_too_large_a_message_is_refused_by_its_sender(probe, put, open_window, tmp_path):
    host = probe(handlers=["iOSNative"])
    window = open_window(put(POST))
    window.attached()
    window.js(
        "window.refusals = []; window.big = (size) => post('x'.repeat(size)).catch((e) => refusals.push(String(e)));"
    )
    # What stands around the text is found by the refusal itself, which names size and limit.
    window.js("big(arguments[0])", LIMIT)
    window.wait("refusals.length === 1")
    refusal = window.value("refusals[0]")
    assert str(LIMIT) in refusal
    overhead = max(int(number) for number in _numbers(refusal)) - LIMIT
    assert 0 < overhead < 1000
    pending = host.send("evaluate", source="'in flight'")
    largest = LIMIT - overhead
    # Two of these are more than may wait for the host, so the second is taken once the first is acknowledged.
    for count, size in enumerate((largest - 1, largest), 1):
        taken = f"post('x'.repeat({size})).then(() => true, () => false)"
        until(lambda taken=taken: window.promise(taken), "room for the message")
        host.received("iOSNative", count)
    for size in (largest + 1, 10 * LIMIT):
        window.js("big(arguments[0])", size)
    assert host.answer(pending)["result"] == typed("in flight")
    window.wait("refusals.length === 3")
    assert str(LIMIT + 1) in window.value("refusals[1]")
    window.js("post('after')")
    assert host.received("iOSNative", 3)["body"] == typed("after")
    assert [entry["body"].get("bytes") for entry in host.messages()] == [largest - 1, largest, None]

    for size, fits in ((largest - 10_000, True), (LIMIT, False), (10 * LIMIT, False)):
        source = tmp_path / "large.js"
        source.write_text("'" + "y" * size + "'.length")
        pending = host.send("evaluate", source="'beside'")
        if fits:
            assert host.do("evaluate", sourceFile=str(source)) == typed(size)
        else:
            with pytest.raises(ProbeError) as caught:
                host.do("evaluate", sourceFile=str(source))
            assert str(LIMIT) in caught.value.error["text"] + caught.value.error["description"]
        assert host.answer(pending)["result"] == typed("beside")


def test_B18_text_is_checked_per_message_and_not_per_fragment(probe, relay, put, open_window, app):
    """Browsers send neither fragments nor broken text, so a socket of our own plays a page beside a real one."""
    host = probe(handlers=["iOSNative"])
    neighbour = open_window(put(POST))
    session = neighbour.session()
    socket = websocket.create_connection(f"{relay.ws}/ws/{app}", subprotocols=["pagebridge.v1"], timeout=20)
    hello = {"role": "page", "app": app, "document": "BBBBBBBB", "late": "keep"}
    socket.send(json.dumps({"hello": hello}))
    assert json.loads(socket.recv())[0] == "welcome"
    # Not numbered, so the host passes it over; what counts is that nobody takes offence.
    text = '{"x":"é😀"}'.encode()
    for cut in range(1, len(text)):
        socket.send_frame(websocket.ABNF(0, 0, 0, 0, websocket.ABNF.OPCODE_TEXT, 1, text[:cut]))
        socket.send_frame(websocket.ABNF(1, 0, 0, 0, websocket.ABNF.OPCODE_CONT, 1, text[cut:]))
    socket.send('{"probe":{}}')
    until(lambda: socket.recv() == '["alive"]', "the answer to the probe")
    for pieces in ([b'{"x":"', b"\xff", b'"}'], [b'{"x":"\xf0\x9f', b'"}']):
        first, *rest = pieces
        socket.send_frame(websocket.ABNF(0, 0, 0, 0, websocket.ABNF.OPCODE_TEXT, 1, first))
        for number, piece in enumerate(rest, 1):
            last = int(number == len(rest))
            socket.send_frame(websocket.ABNF(last, 0, 0, 0, websocket.ABNF.OPCODE_CONT, 1, piece))
        assert close_code(socket) == 1007
        socket.close()
        socket = websocket.create_connection(f"{relay.ws}/ws/{app}", subprotocols=["pagebridge.v1"], timeout=20)
        socket.send(json.dumps({"hello": hello}))
        assert json.loads(socket.recv())[0] == "welcome"
    socket.close()
    neighbour.js("post('undisturbed')")
    assert host.received("iOSNative")["body"] == typed("undisturbed")
    assert neighbour.session() == session


def close_code(socket) -> int:
    """The code with which the relay ends the connection; what it said before is passed over."""
    while True:
        kind, data = socket.recv_data()
        if kind == websocket.ABNF.OPCODE_CLOSE:
            return int.from_bytes(data[:2], "big")


def _numbers(text: str) -> list[str]:
    return "".join(each if each.isdigit() else " " for each in text).split()


def test_B25_post_message_without_an_argument_throws_where_it_is_called(probe, put, open_window):
    host = probe(handlers=["iOSNative"])
    window = open_window(put(POST))
    caught = window.js(
        "try { webkit.messageHandlers.iOSNative.postMessage(); return 'nothing'; } catch (error) { return error.name; }"
    )
    assert caught == "TypeError"
    window.js("webkit.messageHandlers.iOSNative.postMessage('one', 'two')")
    assert host.received("iOSNative")["body"] == typed("one")
    assert window.value("errors") == []


def test_B28_handlers_and_user_scripts_come_before_the_pages_first_script(probe, put, open_window):
    probe(handlers=["iOSNative"], scripts=[{"source": "window.mark = 'set';", "time": "start"}])
    window = open_window(put("window.first = [typeof webkit, typeof webkit.messageHandlers.iOSNative, window.mark];"))
    assert window.value("first") == ["object", "object", "set"]


def test_B30_fifty_posts_during_parsing_wait_for_a_late_socket(probe, put, proxy, open_window):
    host = probe(handlers=["iOSNative"])
    gate = proxy()
    gate.hold_sockets()
    body = "".join(f"<script>post({number})</script>" for number in range(26, 51))
    window = open_window(put(POST + "for (let i = 1; i <= 25; i++) post(i);", through=gate.http, body=body))
    assert window.value("pagebridge.state") == "connecting"
    assert host.messages() == []
    gate.release_sockets()
    host.received("iOSNative", 50)
    window.attached()
    assert host.numbers("iOSNative") == list(range(1, 51))
    assert window.value("errors") == []


def test_B32_handlers_survive_navigation(probe, put, open_window):
    host = probe(handlers=["iOSNative"], scripts=[{"source": "window.mark = 'set';", "time": "start"}])
    first, second = put(POST, path="-first"), put(POST, path="-second")
    window = open_window(first)
    session = window.session()
    for url in (second, first):
        window.js("location.href = arguments[0]", url)
        window.wait("location.href === arguments[0] && document.readyState === 'complete'", url)
        window.attached()
        window.js("post(arguments[0] + mark)", url)
    assert host.received("iOSNative", 2)["body"] == typed(first + "set")
    assert window.value("pagebridge.session") == session
    host.do("addHandler", name="iOSNative", label="second")
    assert "iOSNative" in host.events.wait(event="error")["message"]
    assert {entry["handler"] for entry in host.messages()} == {"first"}
    assert len(host.journal.matching(event="opened")) == 1


def test_B36_links_are_navigations_and_a_closed_window_is_one_end(probe, put, open_window):
    host = probe()
    link = "<a id=next href='#'>next</a><script>document.getElementById('next').href = location.pathname + '?' + (Number(location.search.slice(1)) + 1)</script>"
    window = open_window(put(body=link) + "?0")
    for number in range(20):
        window.wait(f"location.search === '?{number}'")
        window.click("#next")
    window.wait("location.search === '?20'")
    window.attached()
    committed = until(
        lambda: (found := host.journal.matching(event="navigation", phase="committed")) and len(found) >= 21 and found,
        "21 commits",
    )
    assert [entry["url"].split("?")[1] for entry in committed] == [str(number) for number in range(21)]
    assert not host.journal.matching(event="ended")
    window.close()
    # The session lives on for ten seconds, for the window might come back.
    host.journal.wait(event="ended", timeout=40)
    assert len(host.journal.matching(event="ended")) == 1
    assert len(host.journal.matching(event="opened")) == 1


def test_B37_posts_back_to_back_all_arrive(probe, put, open_window):
    host = probe(handlers=["iOSNative"])
    window = open_window(put(POST))
    window.js("for (let i = 1; i <= 1000; i++) post(i)")
    window.js("(async () => { for (let i = 1001; i <= 2000; i++) { await null; post(i); } })()")
    host.received("iOSNative", 2000)
    assert host.numbers("iOSNative") == list(range(1, 2001))


def test_B39_order_holds_while_all_cores_are_busy(probe, put, open_window, busy_cores):
    host = probe(handlers=["iOSNative"])
    open_window(put(POST + "for (let i = 1; i <= 10000; i++) post(i);"))
    host.received("iOSNative", 10_000, timeout=60)
    assert host.numbers("iOSNative") == list(range(1, 10_001))


@pytest.mark.console("WebSocket connection to", "no connection to")
def test_B41_both_directions_recover_what_a_cut_lost(probe, put, proxy, open_window):
    host = probe(handlers=["iOSNative"])
    line = proxy()
    window = open_window(put(POST + "window.got = []; const take = (n) => got.push(n);", through=line.http))
    window.attached()
    line.refuse()
    assert line.cut() == 1
    window.wait("pagebridge.state !== 'attached'")
    window.js("for (let i = 1; i <= 100; i++) post(i)")
    host.do("evaluateMany", function="take", count=100)
    assert host.messages() == []
    line.refuse(False)
    host.received("iOSNative", 100)
    window.wait("got.length === 100")
    assert host.numbers("iOSNative") == list(range(1, 101))
    assert window.value("got") == list(range(1, 101))


def test_B44_ten_cuts_handle_nothing_twice_and_run_no_user_script_again(probe, put, proxy, open_window):
    host = probe(handlers=["iOSNative"], scripts=[{"source": "window.runs = (window.runs || 0) + 1;", "time": "start"}])
    line = proxy()
    window = open_window(put(POST, through=line.http))
    session = window.session()
    for number in range(1, 11):
        window.js("post(arguments[0])", number)
        window.again(line)
    window.js("post(11)")
    host.received("iOSNative", 11)
    assert host.numbers("iOSNative") == list(range(1, 12))
    assert window.value("runs") == 1
    assert window.session() == session
    assert host.evaluate("runs") == typed(1)
    assert len(host.journal.matching(event="opened")) == 1


def test_B50_posts_before_the_first_open_are_flushed_by_it(probe, put, open_window):
    host = probe(handlers=["iOSNative"])
    open_window(put(POST + "for (let i = 1; i <= 10; i++) post(i);"))
    host.received("iOSNative", 10)
    assert host.numbers("iOSNative") == list(range(1, 11))
