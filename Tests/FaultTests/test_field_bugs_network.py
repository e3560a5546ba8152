"""What broke for others when connections broke: one test an entry of the field-bug list that concerns sockets and networks."""

import random
import signal
import time

import pytest

from harness.values import typed
from harness.waiting import until
from kit.frames import Frames
from kit.load import clean
from kit.proxy import Fault

POST = "const post = (body, name = 'iOSNative') => webkit.messageHandlers[name].postMessage(body);"

# What a loaded machine with two cores may add to a promised time.
SLACK = 5.0


def test_B46_an_idle_session_says_nothing_but_that_it_lives_and_goes_on(relay, line, probe, put, open_window):
    """No check of positions, no repair and no reconnect without a gap; and the cost of a session that idles.

    Three signs of life are as good as five minutes of them: every later one is the same. There is one node only.
    """
    page_frames, host_frames = Frames(), Frames()
    host = probe(line(relay.port, tap=host_frames).ws)
    window = open_window(put(line(relay.port, tap=page_frames).http, POST))
    window.attached()
    window.js("post(1)")
    host.received("iOSNative")
    host.evaluate("1")

    def alive(since: int) -> int:
        return sum(payload == b'["alive"]' for _, _, _, payload in page_frames.since(since))

    # What was to be acknowledged is acknowledged long before the second sign of life.
    mark = page_frames.mark()
    until(lambda: alive(mark) >= 1, "a sign of life")
    mark, host_mark = page_frames.mark(), host_frames.mark()
    until(lambda: alive(mark) >= 2, "two more signs of life")
    for _, direction, opcode, payload in page_frames.since(mark):
        assert opcode in (Frames.PING, Frames.PONG) or (direction, payload) == ("down", b'["alive"]'), payload
    assert {opcode for _, _, opcode, _ in host_frames.since(host_mark)} <= {Frames.PING, Frames.PONG}
    before = {number for number, *_ in page_frames.since(mark)}
    window.js("post(2)")
    host.received("iOSNative", 2)
    assert host.numbers("iOSNative") == [1, 2]
    assert {number for number, *_ in page_frames.since(mark)} == before


def test_B58_messages_cut_at_two_hundred_random_bytes_arrive_whole(relay, line, load):
    """Relay, host and simulated pages make the frames themselves: none goes on in the middle of one after a cut."""
    dice = random.Random(58)
    proxy = line(relay.port)
    pages = load(proxy.ws, "--pages", "8", "--size", "1048576", "--seconds", "600", "--drain", "120")
    pages.flows()
    proxy.next.extend([Fault(dice.randrange(200, 1_500_000), "reset")] for _ in range(200))
    proxy.each("reset")
    until(lambda: len(proxy.happened) >= 200, lambda: f"200 cuts, not {len(proxy.happened)}", timeout=300)
    pages.child.send_signal(signal.SIGINT)
    report = pages.report(150)
    clean(report)
    assert report["resumes"] > 100


@pytest.mark.parametrize("sign", ["visibilitychange", "online", "resume"])
def test_B63_a_socket_that_only_looks_open_is_noticed_when_the_tab_comes_back(
    relay, line, probe, put, open_window, sign, record_property
):
    host = probe(relay.ws)
    proxy = line(relay.port)
    window = open_window(put(proxy.http, POST))
    session = window.session()
    assert proxy.each("swallow", 600) >= 1
    window.js("post('into the void')")
    begin = time.monotonic()
    target = "window" if sign == "online" else "document"
    window.js(f"{target}.dispatchEvent(new Event('{sign}'))")
    assert host.received("iOSNative")["body"] == typed("into the void")
    seconds = time.monotonic() - begin
    record_property("seconds", round(seconds, 2))
    assert seconds < 6 + SLACK
    window.attached()
    assert window.session() == session
    assert len(host.messages()) == 1


@pytest.mark.parametrize("traffic", ["idle", "traffic"])
def test_B67_a_page_whose_network_is_gone_is_noticed_in_twenty_seconds(
    relay, line, probe, put, open_window, traffic, record_property
):
    """Both sides notice by themselves, and what was said meanwhile arrives once."""
    host = probe(relay.ws)
    proxy = line(relay.port)
    window = open_window(put(proxy.http, POST + "window.got = []; const take = (n) => got.push(n);"))
    window.attached()
    host.evaluate("1")
    mark = host.events.mark()
    # New connections are swallowed, too, or the page's own return would tell the relay.
    proxy.refusing = True
    assert proxy.each("swallow", 600) >= 1
    begin = time.monotonic()
    if traffic == "traffic":
        window.js("window.timer = setInterval(() => post('x'), 100)")
        host.do("evaluateMany", function="take", count=100)
    host.events.wait(event="away", since=mark, timeout=60)
    told = time.monotonic() - begin
    window.wait("pagebridge.state !== 'attached'", timeout=60)
    noticed = time.monotonic() - begin
    record_property("seconds", [round(told, 1), round(noticed, 1)])
    assert told < 20 + SLACK and noticed < 20 + SLACK
    proxy.refusing = False
    window.js("clearInterval(window.timer); dispatchEvent(new Event('online'))")
    window.attached()
    if traffic == "traffic":
        window.wait("got.length === 100")
        assert window.value("got") == list(range(1, 101))
    window.js("post('last')")
    host.journal.wait(lambda entry: entry.get("body") == typed("last"), event="received")
    assert host.evaluate("pagebridge.state") == typed("attached")


def test_B67_a_host_whose_network_is_gone_is_noticed_and_comes_back_by_itself(
    relay, line, probe, put, open_window, record_property
):
    proxy = line(relay.port)
    host = probe(proxy.ws)
    window = open_window(put(relay.http, POST))
    session = window.session()
    mark = host.events.mark()
    proxy.refusing = True
    assert proxy.each("swallow", 600) == 1
    begin = time.monotonic()
    window.js("post('meanwhile')")
    window.wait("pagebridge.state === 'away'", timeout=60)
    told = time.monotonic() - begin
    host.events.wait(event="disconnected", since=mark, timeout=60)
    noticed = time.monotonic() - begin
    record_property("seconds", [round(told, 1), round(noticed, 1)])
    assert told < 20 + SLACK and noticed < 20 + SLACK
    proxy.refusing = False
    host.connected(since=mark)
    assert host.received("iOSNative")["body"] == typed("meanwhile")
    assert host.evaluate("1") == typed(1)
    assert window.session() == session
    assert len(host.messages()) == 1


def test_B72_sixteen_megabytes_reach_a_reader_with_a_small_window(relay, line, probe, put, open_window, tmp_path):
    """Writes to the page are taken a little at a time; nothing is sent twice and nobody is closed."""
    host = probe(relay.ws)
    proxy = line(relay.port, window=4_096)
    window = open_window(put(proxy.http, POST))
    session = window.session()
    size = 16 * 1024 * 1024 - 20_000
    source = tmp_path / "large.js"
    # A polynomial over all characters, so that a part that comes twice, late or not at all is seen.
    text = "".join(chr(97 + (i * 7 + i // 1000) % 26) for i in range(100_000))
    text = (text * (size // len(text) + 1))[:size]
    source.write_text(
        f"(() => {{ const text = '{text}'; let sum = 0;"
        " for (let i = 0; i < text.length; i++) sum = (sum * 31 + text.charCodeAt(i)) % 1000003;"
        " return `${text.length} ${sum}`; })()"
    )
    total = 0
    for character in text.encode():
        total = (total * 31 + character) % 1_000_003
    before = proxy.opened
    assert host.do("evaluate", sourceFile=str(source), timeout=120) == typed(f"{size} {total}")
    assert window.session() == session
    assert proxy.opened == before
    # And the same way back.
    window.js("post('y'.repeat(arguments[0]))", size)
    assert host.received("iOSNative", timeout=120)["body"]["bytes"] == size
