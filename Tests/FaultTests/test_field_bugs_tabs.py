"""What broke for others when tabs went to the back or came back: entries of the field-bug list that concern the browser's life cycle.

In Chromium and in Firefox: they differ in what they keep of a page, and in when they let its timers run.
"""

import time

from harness.values import typed
from harness.waiting import until

POST = "const post = (body, name = 'iOSNative') => webkit.messageHandlers[name].postMessage(body);"

# What a loaded machine with two cores may add to a promised time; with it, it is still less than a silent relay takes (18 s).
SLACK = 5.0


def test_B61_a_page_that_is_gone_back_to_goes_on_in_its_session(relay, probe, put, pages, open_tab, engine, app):
    """Chromium brings back the very document, with a new connection; Firefox, which keeps no page that has an open socket,
    loads it anew as the session's next document. Either way there is one session, and no message comes twice."""
    host = probe(relay.ws)
    window = open_tab(
        put(relay.http, POST + "window.shown = []; addEventListener('pageshow', (e) => shown.push(e.persisted)); window.life = Math.random();")
    )
    session, life = window.session(), window.value("life")
    window.js("post('first')")
    host.received("iOSNative")
    elsewhere = pages.put(f"/{app}-elsewhere.html", "<!DOCTYPE html><title>elsewhere</title>no bridge here")
    # A link's way: what a script does with an address of its own is no different.
    window.js("location.href = arguments[0]", elsewhere)
    window.wait("document.title === 'elsewhere' && document.readyState === 'complete'")
    window.js("history.back()")
    window.wait("window.shown?.length && pagebridge.state === 'attached'")
    assert window.session() == session
    assert (window.value("life") == life) == (engine == "chromium")
    assert window.value("shown") == ([False, True] if engine == "chromium" else [False])
    window.js("post('second')")
    host.received("iOSNative", 2)
    assert [entry["body"] for entry in host.messages()] == [typed("first"), typed("second")]
    assert host.evaluate("location.pathname.startsWith('/test_B61')") == typed(True)
    assert len(host.journal.matching(event="opened")) == 1


def test_B63_a_tab_that_comes_to_the_front_notices_that_its_socket_is_dead(
    relay, line, probe, put, open_tab, record_property
):
    """Packets vanish both ways and nobody is told; then the tab is shown again."""
    host = probe(relay.ws)
    proxy = line(relay.port)
    window = open_tab(put(proxy.http, POST + "window.seen = []; document.onvisibilitychange = () => seen.push(document.visibilityState);"))
    session = window.session()
    # Its driver would bring it to the front to ask it something: from here on only the host asks.
    front = window.cover()
    until(lambda: host.evaluate("document.visibilityState") == typed("hidden"), "a hidden tab")
    host.evaluate("setTimeout(() => post('into the void'), 1000)")
    assert proxy.each("swallow", 600) >= 1
    begin = time.monotonic()
    window.show()
    assert host.received("iOSNative")["body"] == typed("into the void")
    seconds = time.monotonic() - begin
    record_property("seconds", round(seconds, 2))
    assert seconds < 6 + SLACK
    window.attached()
    assert window.value("seen") == ["hidden", "visible"]
    assert window.session() == session
    assert len(host.messages()) == 1
    front.close()


def test_B65_round_trips_of_a_hidden_tab_wait_for_no_timer(relay, probe, put, open_tab):
    """Browsers let timers of hidden tabs fire about once a second: a sending path with one would need a turn of it each time."""
    host = probe(relay.ws)
    window = open_tab(
        put(relay.http, POST + "const echo = (n) => { post(n); return n; }; window.turns = 0; setInterval(() => { turns++; });")
    )
    window.attached()
    front = window.cover()
    until(lambda: host.evaluate("document.visibilityState") == typed("hidden"), "a hidden tab")
    before = host.evaluate("turns")["value"]
    for number in range(60):
        assert host.evaluate(f"echo({number})") == typed(number)
    turns = host.evaluate("turns")["value"] - before
    host.received("iOSNative", 60)
    assert host.numbers("iOSNative") == list(range(60))
    assert turns < 60
    front.close()


def test_B69_a_browser_that_slept_goes_on(relay, probe, put, open_tab, asleep):
    """It runs nothing and answers nothing until the relay has ended its socket, and a little longer: some twenty seconds here in
    place of 2 and 20 minutes, for what makes the difference happens in them."""
    host = probe(relay.ws)
    window = open_tab(put(relay.http, POST + "window.life = Math.random();"))
    session, life = window.session(), window.value("life")
    mark = host.events.mark()
    with asleep():
        host.events.wait(event="away", since=mark, timeout=60)
        host.do("evaluateMany", function="post", count=3)
    host.received("iOSNative", 3)
    assert host.numbers("iOSNative") == [1, 2, 3]
    window.attached()
    assert (window.session(), window.value("life")) == (session, life)


def test_B69_a_session_that_is_over_after_the_sleep_is_made_anew(start_relay, probe, put, open_tab, asleep):
    relay = start_relay("--host-grace", "0.5")
    host = probe(relay.ws)
    window = open_tab(put(relay.http, POST))
    old = window.session()
    mark = host.events.mark()
    with asleep():
        host.events.wait(event="away", since=mark, timeout=60)
        assert host.stop() == 0
        host = probe(relay.ws)
    host.opened()
    assert window.session() != old
    window.js("post('new')")
    assert host.received("iOSNative")["body"] == typed("new")
