"""Readers that stop: what waits for them is bounded in page, relay and host, and their neighbours go on."""

from harness.pages import page
from harness.values import typed
from harness.waiting import until
from kit.load import health, resident_bytes
from kit.storm import heap

POST = "const post = (body, name = 'iOSNative') => webkit.messageHandlers[name].postMessage(body);"
TAKE = "window.got = []; const take = (n) => { got.push(n); return n; };"

MIB = 1024 * 1024
# What one end keeps for another that does not acknowledge.
RETENTION = 64 * MIB
# What the relay may hold for a page that does not read, and what its allocator makes of it.
RELAY_GROWTH = 24 * MIB
# A host and a page keep the messages, and for a moment what they are made of.
KEEPER_GROWTH = 5 * RETENTION


def view_of(host, session: str) -> int:
    return host.journal.wait(event="opened", session=session)["view"]


def test_a_page_that_does_not_read_is_bounded_and_its_neighbour_is_served(
    relay, line, probe, put, open_window, tmp_path, record_property
):
    """Nothing reads its socket any more, and its host goes on asking: up to a limit the calls wait, beyond it they fail at once.
    A page of the same host beside it is served all the while."""
    host = probe(relay.ws)
    proxy = line(relay.port)
    slow = open_window(put(proxy.http, POST + TAKE, path="-slow"))
    beside = open_window(put(relay.http, POST + TAKE, path="-beside"))
    slow_view, view = view_of(host, slow.session()), view_of(host, beside.session())
    session = slow.session()
    host.evaluate("1", view=slow_view)
    source = tmp_path / "large.js"
    source.write_text("take(got.length + 1) /*" + "x" * 2_000_000 + "*/")
    before = resident_bytes(relay), resident_bytes(host)
    assert proxy.each("stall", 600) >= 1
    numbers = [host.send("evaluate", view=slow_view, sourceFile=str(source)) for _ in range(40)]
    # Its answer comes behind all that was said before it.
    for number in range(100):
        assert host.evaluate(f"take({number})", view=view) == typed(number)
    refused = [number for number in numbers if host.answers(number)]
    assert 0 < len(refused) < 12
    for number in refused:
        assert str(RETENTION) in str(host.answer(number)["error"])
    assert refused == numbers[-len(refused):]
    assert health(relay.http)["waitingBytes"] <= 4 * MIB
    grown = resident_bytes(relay) - before[0], resident_bytes(host) - before[1]
    record_property("grown", [round(each / MIB, 1) for each in grown])
    assert grown[0] < RELAY_GROWTH and grown[1] < KEEPER_GROWTH
    # It reads again: all that waited comes, once and in order.
    proxy.each("reset")
    kept = numbers[: -len(refused)]
    assert [host.answer(number, 90)["result"] for number in kept] == [typed(number) for number in range(1, len(kept) + 1)]
    assert slow.value("got") == list(range(1, len(kept) + 1))
    assert slow.session() == session
    assert beside.value("got") == list(range(100))


def test_a_host_that_does_not_read_is_bounded_and_another_app_is_served(
    relay, probe, put, pages, app, open_window, record_property
):
    """It stands still while its page posts: the page keeps what fits and refuses the rest at once, the relay holds next to nothing,
    and host and page of another app go on."""
    host = probe(relay.ws)
    other = probe(relay.ws, name=app[:50] + "-other")
    window = open_window(put(relay.http, POST + TAKE))
    session = window.session()
    neighbour = open_window(pages.put(f"/{app}-other.html", page(relay.http, app[:50] + "-other", POST + TAKE)))
    neighbour.attached()
    host.evaluate("1")
    before, base = resident_bytes(relay), heap(window)
    host.pause()
    try:
        window.js(
            """window.kept = []; window.refusals = [];
               for (let i = 1; i <= 1300; i++) post(i + ':' + 'x'.repeat(60000)).then(() => kept.push(i), (error) => refusals.push(String(error)));"""
        )
        window.wait("kept.length + refusals.length === 1300")
        kept, refusals = window.value("kept"), window.value("refusals")
        assert kept == list(range(1, len(kept) + 1)) and 0 < len(refusals) < 400
        assert all(str(RETENTION) in each for each in refusals)
        assert window.value("pagebridge.delivery.bytes") <= RETENTION
        for number in range(100):
            assert other.evaluate(f"take({number})") == typed(number)
            neighbour.js("post(arguments[0])", number)
        other.received("iOSNative", 100)
        assert other.numbers("iOSNative") == list(range(100))
        grown = resident_bytes(relay) - before, heap(window) - base
        record_property("grown", [round(each / MIB, 1) for each in grown])
        assert grown[0] < RELAY_GROWTH and grown[1] < KEEPER_GROWTH
    finally:
        host.resume()
    host.received("iOSNative", len(kept), timeout=90)
    window.js("post('last')")
    host.received("iOSNative", len(kept) + 1)
    assert [entry["body"]["value"].split(":")[0] for entry in host.messages()] == [*map(str, kept), "last"]
    assert window.session() == session
    # What was handled is let go.
    window.js("kept = refusals = undefined")
    until(lambda: window.value("pagebridge.delivery.held") == 0, "the last acknowledgement")
    assert heap(window) < base + 24 * MIB
